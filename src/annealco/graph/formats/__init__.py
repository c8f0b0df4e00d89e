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
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from annealco.errors import GraphFileError, InputError
from annealco.files import file_errors, store
from annealco.graph.formats.dimacs import read_dimacs, write_dimacs, write_pace
from annealco.graph.formats.edge_list import read_edge_list, write_edge_list
from annealco.graph.formats.graphml import read_graphml, write_graphml
from annealco.graph.formats.matrix_market import read_matrix_market, write_matrix_market
from annealco.graph.formats.metis import read_metis, write_metis
from annealco.graph.formats.npz import read_npz, write_npz
from annealco.graph.formats.text import check_num_nodes
from annealco.graph.graph import Graph

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
        read: makes a graph of a file.
        write: makes the content of a file of a graph it can hold; None for a format that is only read.
        holds: what it can hold beyond edges.
        text: whether it is text, and not compressed already.
    """

    name: str
    extensions: tuple[str, ...]
    read: Callable[[Path], Graph]
    write: Callable[[Graph], bytes] | None = None
    holds: Content = Content.NOTHING
    text: bool = True


_NUMBERED = Content.LABELS_FROM_ONE | Content.NO_NODES
_WEIGHTS = Content.EDGE_WEIGHTS | Content.NODE_WEIGHTS
_LABELS = Content.LABELS_FROM_ONE | Content.INTEGER_LABELS
_MANY = _WEIGHTS | _LABELS | Content.TEXT_LABELS | Content.SEVERAL_GRAPHS | Content.NO_NODES

FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        Format(
            "edgelist",
            (".edges", ".edgelist", ".txt", ".el"),
            read_edge_list,
            write_edge_list,
            Content.EDGE_WEIGHTS | _LABELS,
        ),
        Format("dimacs", (".col", ".clq", ".mis", ".dimacs"), read_dimacs, write_dimacs, _NUMBERED | _WEIGHTS),
        Format("pace", (".gr",), read_dimacs, write_pace, _NUMBERED),
        Format("metis", (".graph", ".metis"), read_metis, write_metis, _NUMBERED | _WEIGHTS),
        Format("matrixmarket", (".mtx",), read_matrix_market, write_matrix_market, _NUMBERED | Content.EDGE_WEIGHTS),
        Format("graphml", (".graphml", ".xml"), read_graphml, write_graphml, _MANY),
        Format("npz", (".npz",), read_npz, write_npz, _MANY | Content.NO_GRAPH | Content.COEFFICIENTS, text=False),
    )
}
"""The formats by name."""


def read_graph(
    path: str | PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 (what users expect)
    formats: Sequence[Format] = (),
) -> Graph:
    """Read all graphs of a file as one batch.

    Args:
        path: the file; gzip is recognised by its first bytes.
        format: a name in :data:`FORMATS`; by default the file's extension tells.
        formats: those of a problem (``Problem.formats``), which come before the others.

    Raises:
        GraphFileError: naming the file, the line where there is one, and the rule that is broken.
        InputError: for an unknown format, and for an empty name.
    """
    if not fspath(path):
        raise InputError("the file name is empty")
    file = Path(path)
    chosen = None if format is None else _find_format(file, format, formats)
    with file_errors(file, "read"):
        # What is wrong with the path comes before what is wrong with its extension.
        mode = file.stat().st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            # Some never end. Pipes do, and are how shells hand over what a program prints.
            raise GraphFileError(file, "cannot be read: it is a device")
        return (chosen or _find_format(file, None, formats)).read(file)


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
    if _is_gzip(file) and not chosen.text:
        raise GraphFileError(file, f"the format {chosen.name} is compressed already; leave .gz away")
    if chosen.write is None:
        raise GraphFileError(file, f"the format {chosen.name} is read, not written")
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
        raise InputError(f"unknown format {name!r}; choose one of {', '.join(known)}")
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
        able = [entry.name for entry in FORMATS.values() if part in entry.holds]
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
