"""Read and write graph files, in a format given by the file's extension or by name.

A format is one file with a reader and a writer, and one entry in :data:`FORMATS`. `Content` names the parts of a graph
that a format may be unable to hold, so that no writer drops a part silently. What each format holds, and the rules for
what it leaves open, are on the page ``docs/formats.md``.
"""

from __future__ import annotations

import gzip
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Flag, auto
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from annealco.errors import GraphFileError, InputError, did_you_mean, user_errors
from annealco.files import file_errors, store
from annealco.graph.construction import WEIGHT, Names
from annealco.graph.formats.dimacs import read_dimacs, write_dimacs, write_pace
from annealco.graph.formats.edge_list import (
    read_adjacency_list,
    read_edge_list,
    write_adjacency_list,
    write_edge_list,
)
from annealco.graph.formats.edge_tables import read_csv, read_tsv, write_csv, write_tsv
from annealco.graph.formats.exchange import (
    read_gexf,
    read_gml,
    read_graph6,
    read_node_link,
    read_pajek,
    write_graph6,
    write_node_link,
    write_sparse6,
)
from annealco.graph.formats.graphml import read_graphml, write_graphml
from annealco.graph.formats.matrix_market import read_matrix_market, write_matrix_market
from annealco.graph.formats.metis import read_metis, write_metis
from annealco.graph.formats.npz import read_npz, write_npz
from annealco.graph.formats.text import check_num_nodes
from annealco.graph.graph import Graph
from annealco.registry import is_of_package

__all__ = ["FORMATS", "Content", "Format", "read_graph", "write_graph"]


class Content(Flag):
    """Parts of a graph that some formats can hold and others cannot."""

    NOTHING = 0
    EDGE_WEIGHTS = auto()
    NODE_WEIGHTS = auto()
    LABELS_FROM_ONE = auto()
    INTEGER_LABELS = auto()
    TEXT_LABELS = auto()
    OTHER_LABELS = auto()
    ISOLATED_NODES = auto()
    NO_NODES = auto()
    NO_GRAPH = auto()
    SEVERAL_GRAPHS = auto()
    COEFFICIENTS = auto()


DESCRIPTIONS = {
    Content.EDGE_WEIGHTS: "edge weights",
    Content.NODE_WEIGHTS: "node weights",
    Content.LABELS_FROM_ONE: "node labels 1..n",
    Content.INTEGER_LABELS: "integer node labels",
    Content.TEXT_LABELS: "text node labels",
    Content.OTHER_LABELS: "node labels that are neither all 64-bit integers nor all text",
    Content.ISOLATED_NODES: "nodes without edges",
    Content.NO_NODES: "a graph without nodes",
    Content.NO_GRAPH: "a batch without graphs",
    Content.SEVERAL_GRAPHS: "several graphs",
    Content.COEFFICIENTS: "coefficients of a problem",
}


@dataclass(frozen=True)
class Format:
    """A way to store graphs in a file.

    Attributes:
        name: what the user calls it.
        extensions: those of its files; a text format takes ``.gz`` behind each.
        read: makes a graph of a file, with what it takes as keyword arguments.
        write: makes the content of a file of a graph it can hold; None for a format that is only read.
        holds: what it can hold beyond edges.
        text: whether it is text, and not compressed already.
        takes: names that a user may give its parts, of those of `annealco.graph.construction.Names`.
    """

    name: str
    extensions: tuple[str, ...]
    read: Callable[..., Graph]
    write: Callable[[Graph], bytes] | None = None
    holds: Content = Content.NOTHING
    text: bool = True
    takes: tuple[str, ...] = ()


_NUMBERED = Content.LABELS_FROM_ONE | Content.NO_NODES | Content.ISOLATED_NODES
_WEIGHTS = Content.EDGE_WEIGHTS | Content.NODE_WEIGHTS
_LABELS = Content.LABELS_FROM_ONE | Content.INTEGER_LABELS
_TABLE = Content.EDGE_WEIGHTS | _LABELS | Content.TEXT_LABELS | Content.NO_NODES
_ONE = _WEIGHTS | _LABELS | Content.TEXT_LABELS | Content.NO_NODES | Content.ISOLATED_NODES
_MANY = _ONE | Content.SEVERAL_GRAPHS

_UNLABELLED = Content.SEVERAL_GRAPHS | Content.NO_NODES | Content.ISOLATED_NODES
_ATTRIBUTES = ("node_weight", "edge_weight")
_COLUMNS = ("node_weight", "edge_weight", "ends", "nodes")

FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        Format(
            "edgelist",
            (".edges", ".edgelist", ".txt", ".el"),
            read_edge_list,
            write_edge_list,
            _WEIGHTS | _LABELS | Content.TEXT_LABELS | Content.ISOLATED_NODES,
            takes=("node_weight", "nodes"),
        ),
        Format("csv", (".csv",), read_csv, write_csv, _TABLE, takes=_COLUMNS),
        Format("tsv", (".tsv", ".tab"), read_tsv, write_tsv, _TABLE, takes=_COLUMNS),
        Format(
            "adjlist",
            (".adjlist",),
            read_adjacency_list,
            write_adjacency_list,
            _LABELS | Content.TEXT_LABELS | Content.ISOLATED_NODES,
        ),
        Format("dimacs", (".col", ".clq", ".wclq", ".mis", ".dimacs"), read_dimacs, write_dimacs, _NUMBERED | _WEIGHTS),
        Format("pace", (".gr",), read_dimacs, write_pace, _NUMBERED),
        Format("metis", (".graph", ".metis"), read_metis, write_metis, _NUMBERED | _WEIGHTS),
        Format("matrixmarket", (".mtx",), read_matrix_market, write_matrix_market, _NUMBERED | Content.EDGE_WEIGHTS),
        Format("graphml", (".graphml", ".xml"), read_graphml, write_graphml, _MANY, takes=_ATTRIBUTES),
        Format("json", (".json",), read_node_link, write_node_link, _ONE, takes=_ATTRIBUTES),
        Format("graph6", (".g6", ".graph6"), read_graph6, write_graph6, _UNLABELLED),
        Format("sparse6", (".s6", ".sparse6"), read_graph6, write_sparse6, _UNLABELLED),
        Format("pajek", (".net",), read_pajek, None, _ONE & ~Content.NODE_WEIGHTS),
        Format("gml", (".gml",), read_gml, None, _ONE, takes=_ATTRIBUTES),
        Format("gexf", (".gexf",), read_gexf, None, _ONE, takes=_ATTRIBUTES),
        Format("npz", (".npz",), read_npz, write_npz, _MANY | Content.NO_GRAPH | Content.COEFFICIENTS, text=False),
    )
}
"""The formats by name."""


def read_graph(
    path: str | PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 (what users expect)
    node_weight: Any = WEIGHT,
    edge_weight: Any = WEIGHT,
    ends: tuple[Any, Any] | None = None,
    nodes: Any = None,
    formats: Sequence[Format] = (),
) -> Graph:
    """Read all graphs of a file, or of all graph files in a folder by name, as one batch.

    Args:
        path: the file or folder; gzip is recognised by its first bytes.
        format: a name in :data:`FORMATS`; by default the file's extension tells.
        node_weight: attribute or column that the node weights are read from, ``weight`` by default where there is one;
            None ignores weights.
        edge_weight: the same of the edges.
        ends: the two columns of a table that hold the ends of edges.
        nodes: a table of nodes for an edge list or a table: a file, or what `as_graph` takes.
        formats: those of a problem (``Problem.formats``), which come before the others.

    Raises:
        GraphFileError: naming the file, the line where there is one, and the rule that is broken.
        InputError: for an unknown format, for an empty name, and for names that the format has no use for.
    """
    if not fspath(path):
        raise InputError("the file name is empty")
    if format is not None:
        _find_format(Path(path), format, formats)
    names = Names(node_weight, edge_weight, ends, nodes)
    files = graph_files(Path(path), nodes, formats)
    if names.nodes is not None and len(files) > 1:
        raise GraphFileError(path, f"nodes are those of one graph, this folder has {len(files)} files")
    parts = [_read_file(file, format, names, formats) for file in files]
    # A batch of one would copy a graph that may be large.
    return parts[0] if len(parts) == 1 else Graph.batch(parts)


def graph_files(path: Path, nodes: Any = None, formats: Sequence[Format] = ()) -> list[Path]:
    """Return a file, or the graph files of a folder in the order of their names.

    Args:
        path: the file or folder.
        nodes: where this is the path of a table of nodes, it is left out.
        formats: those of a problem, besides `FORMATS`.

    Raises:
        GraphFileError: where there is no such file or folder, and for a folder without graph files.
    """
    with file_errors(path, "read"):
        if not stat.S_ISDIR(path.stat().st_mode):
            return [path]
        found = sorted(each for each in path.iterdir() if _has_format(each, formats) and each.is_file())
    if isinstance(nodes, str | PathLike):
        found = [each for each in found if each.resolve() != Path(nodes).resolve()]
    if not found:
        raise GraphFileError(path, "this folder has no graph files")
    return found


def _has_format(path: Path, formats: Sequence[Format]) -> bool:
    plain = path.name.lower().removesuffix(".gz")
    return any(plain.endswith(entry.extensions) for entry in (*formats, *FORMATS.values()))


def _read_file(file: Path, name: str | None, names: Names, formats: Sequence[Format]) -> Graph:
    chosen = None if name is None else _find_format(file, name, formats)
    with file_errors(file, "read"):
        # What is wrong with the path comes before what is wrong with its extension.
        mode = file.stat().st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            # Some never end. Pipes do, and are how shells hand over what a program prints.
            raise GraphFileError(file, "cannot be read: it is a device")
        chosen = chosen or _find_format(file, None, formats)
        given = names.taken(f"{file}: the format {chosen.name}", *chosen.takes)
        with user_errors(f"{file}: the format {chosen.name} failed", is_own=_is_own(chosen)):
            found: object = chosen.read(file, **given)
    if not isinstance(found, Graph):
        rule = f"the reader of the format {chosen.name} must return an annealco.Graph"
        raise GraphFileError(file, f"{rule}, it returned a {type(found).__name__}")
    return found


def _is_own(chosen: Format) -> bool:
    """Tell whether the reader of a format is of the package, and not of a user's own problem."""
    return is_of_package(chosen.read.func if isinstance(chosen.read, partial) else chosen.read)


def write_graph(graph: Graph, path: str | PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
    """Write graphs to a file, which appears complete or not at all.

    Args:
        graph: the graphs.
        path: the file; ``.gz`` at its end compresses a text format.
        format: a name in :data:`FORMATS`; by default the file's extension tells.

    Raises:
        GraphFileError: if the format cannot hold the graph, or the file cannot be written.
        InputError: for an unknown format.
    """
    file = Path(path)
    chosen = _find_format(file, format)
    if chosen.write is None:
        able = ", ".join(entry.name for entry in FORMATS.values() if entry.write is not None)
        raise GraphFileError(file, f"the format {chosen.name} is read, and not written; choose one of {able}")
    if _is_gzip(file) and not chosen.text:
        raise GraphFileError(file, f"the format {chosen.name} is compressed already; leave .gz away")
    _check_holds(chosen, graph, file)
    with file_errors(file, "written"):
        try:
            content = chosen.write(graph)
        except InputError as error:
            raise GraphFileError(file, error.rule) from None
        # What no reader would believe must not be written either.
        check_num_nodes(str(file), graph.num_nodes, len(content))
        store(file, gzip.compress(content, compresslevel=6, mtime=0) if _is_gzip(file) else content)


def _is_gzip(path: Path) -> bool:
    return path.name.lower().endswith(".gz")


def _find_format(path: Path, name: str | None, formats: Sequence[Format] = ()) -> Format:
    known = {**{entry.name: entry for entry in formats}, **FORMATS}
    if name is not None and name not in known:
        hint = did_you_mean(name, known)
        raise InputError(f"unknown format {name!r}; {hint}choose one of {', '.join(known)}")
    if name is not None:
        return known[name]
    plain = path.name.lower().removesuffix(".gz")
    for entry in known.values():
        if plain.endswith(entry.extensions):
            return entry
    if plain.endswith(".b"):
        raise GraphFileError(path, "binary DIMACS files (.b) are not supported; convert them to text first")
    choices = ", ".join(f"{entry.name} ({' '.join(entry.extensions)})" for entry in known.values())
    raise GraphFileError(path, f"unknown extension {path.suffix!r}; rename the file or choose a format: {choices}")


def _check_holds(chosen: Format, graph: Graph, path: Path) -> None:
    """Raise if writing would lose something."""
    for part in contents(graph) & ~chosen.holds:
        able = [entry.name for entry in FORMATS.values() if part in entry.holds and entry.write is not None]
        hint = f"; choose one of {', '.join(able)}" if able else ""
        raise GraphFileError(path, f"the format {chosen.name} cannot hold {DESCRIPTIONS[part]}{hint}")


def contents(graph: Graph) -> Content:
    """Return which of the parts a graph has; weights that are all 1 do not count.

    Example:
        >>> contents(Graph.from_edges([[0], [1]], edge_weight=[2.5], node_labels=[1, 2]))
        <Content.EDGE_WEIGHTS|LABELS_FROM_ONE: 5>
    """
    found = _label_content(graph)
    if np.any(graph.edge_weight != 1):
        found |= Content.EDGE_WEIGHTS
    if np.any(graph.node_weight != 1):
        found |= Content.NODE_WEIGHTS
    if not graph.degree.all():
        found |= Content.ISOLATED_NODES
    if graph.coefficients:
        found |= Content.COEFFICIENTS
    if graph.num_graphs > 1:
        found |= Content.SEVERAL_GRAPHS
    if graph.num_graphs == 0:
        found |= Content.NO_GRAPH
    elif graph.num_nodes == 0:
        found |= Content.NO_NODES
    return found


def _label_content(graph: Graph) -> Content:
    if graph.node_labels is None or graph.num_nodes == 0:
        return Content.NOTHING
    labels = graph.node_labels.tolist()
    if all(isinstance(label, str) for label in labels):
        return Content.TEXT_LABELS
    if not _are_integers(labels):
        return Content.OTHER_LABELS
    if np.array_equal(labels, replace(graph, node_labels=None).labels):
        return Content.NOTHING
    if graph.num_graphs == 1 and labels == list(range(1, graph.num_nodes + 1)):
        return Content.LABELS_FROM_ONE
    return Content.INTEGER_LABELS


def _are_integers(labels: Sequence[Any]) -> bool:
    whole = (int, np.integer)
    return all(
        isinstance(label, whole) and not isinstance(label, bool) and -(2**63) <= label < 2**63 for label in labels
    )
