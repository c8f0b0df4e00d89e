"""Read graph files and folders of them such that every graph has a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from annealco.errors import GraphFileError
from annealco.graph.formats import FORMATS, Format, read_graph
from annealco.graph.graph import Graph
from annealco.terminal import watched


def graph_files(path: Path, formats: Sequence[Format] = ()) -> list[Path]:
    """Return a file, or the graph files of a folder in the order of their names.

    Args:
        path: the file or folder.
        formats: those of a problem, besides `FORMATS`.

    Raises:
        GraphFileError: where there is no such file or folder, and for a folder without graph files.
    """
    if not path.is_dir():
        if not path.exists():
            raise GraphFileError(path, "there is no such file or folder")
        return [path]
    known = (*formats, *FORMATS.values())
    endings = tuple(ending + more for each in known for ending in each.extensions for more in ("", ".gz"))
    files = sorted(each for each in path.iterdir() if each.is_file() and each.name.lower().endswith(endings))
    if not files:
        raise GraphFileError(path, "this folder has no graph files")
    return files


def read_named(
    files: Sequence[Path],
    *,
    format: str | None = None,  # noqa: A002 (what `read_graph` calls it)
    formats: Sequence[Format] = (),
) -> Graph:
    """Read all graphs of all files as one batch in which every graph has a name.

    Args:
        files: each with one or many graphs.
        format: a name in `FORMATS`; by default each file's extension tells.
        formats: those of a problem, which come before the others.

    Raises:
        InputError: as `read_graph`, for the first file that breaks a rule.
    """
    parts = [
        with_names(read_graph(file, format=format, formats=formats), stem(file)) for file in watched(files, "reading")
    ]
    # A batch of one would copy a graph that may be large.
    return parts[0] if len(parts) == 1 else Graph.batch(parts)


def with_names(graph: Graph, file_name: str) -> Graph:
    """Name each graph: by its own name, or by the file's, with a number where the file holds several.

    Example:
        >>> from annealco import Graph
        >>> pair = Graph.from_edges([[0], [1]])
        >>> with_names(Graph.batch([pair, pair]), "pairs").graph_data["name"].tolist()
        ['pairs#0', 'pairs#1']
    """
    several = graph.num_graphs > 1
    names = [f"{file_name}#{number}" if several else file_name for number in range(graph.num_graphs)]
    if "name" in graph.graph_data:
        names = [str(own) or name for own, name in zip(graph.graph_data["name"].tolist(), names, strict=True)]
    return replace(graph, graph_data={**graph.graph_data, "name": np.array(names, dtype=np.str_)})


def stem(file: Path) -> str:
    """Return a file's name without its extension and without that of gzip.

    Example:
        >>> stem(Path("graphs/path.v2.col.gz"))
        'path.v2'
    """
    return Path(file.name.removesuffix(".gz")).stem
