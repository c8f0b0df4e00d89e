"""Read graph files and folders of them such that every graph has a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from annealco.errors import InputError
from annealco.graph.formats import Format, graph_files, read_graph
from annealco.graph.graph import Graph
from annealco.terminal import watched

__all__ = ["graph_files", "read_named", "stem", "with_names"]


def read_named(
    paths: Sequence[Path],
    *,
    format: str | None = None,  # noqa: A002 (what `read_graph` calls it)
    formats: Sequence[Format] = (),
    **names: Any,
) -> Graph:
    """Read all graphs of all files and folders as one batch in which every graph has a name.

    Args:
        paths: files, each with one or many graphs, and folders of them.
        format: a name in `FORMATS`; by default each file's extension tells.
        formats: those of a problem, which come before the others.
        **names: what the files call their parts, as in `read_graph`.

    Raises:
        InputError: as `read_graph`, for the first file that breaks a rule.
    """
    nodes = names.get("nodes")
    files = [file for path in paths for file in graph_files(path, nodes, formats)]
    if nodes is not None and len(files) > 1:
        raise InputError(f"nodes are those of one graph, these are {len(files)} files")
    parts = [
        with_names(read_graph(file, format=format, formats=formats, **names), stem(file))
        for file in watched(files, "reading")
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
