"""Read graphs from any container, and convert them to those of networkx, igraph, SciPy and PyG.

`as_graph` takes lists of pairs, dicts of neighbours, arrays, matrices, DataFrames of pandas and polars, and the graphs
of networkx, igraph and PyG. Objects are recognised by the names of their classes: none of these packages is imported
before something is converted *to* it. Nodes and edges without a weight weigh 1; weights are written only where not all
of them are 1. Self-loops and duplicate edges follow the rule of :mod:`annealco.graph.normalisation`; directed graphs
are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from annealco.arrays import unmasked
from annealco.errors import GraphFileError, InputError, did_you_mean
from annealco.graph.construction import (
    WEIGHT,
    DefaultName,
    Names,
    NodeTable,
    from_adjacency,
    from_labelled,
    from_neighbours,
    from_pairs,
    is_missing,
)
from annealco.graph.graph import Graph

__all__ = [
    "as_graph",
    "from_igraph",
    "from_networkx",
    "from_pyg",
    "from_scipy",
    "holds_graphs",
    "to_igraph",
    "to_networkx",
    "to_pyg",
    "to_scipy",
]

ACCEPTED = (
    "Graph, networkx, igraph, SciPy sparse, PyG Data or Batch, DataFrame of pandas or polars, dict of neighbours, "
    "list of pairs, edge array [2, num_edges] or [num_edges, 2], square matrix, or a list of these"
)

MOST_SHOWN = 12
"""Names that an error lists."""

FREE_NODES, NODES_PER_EDGE = 1_000_000, 160
"""An edge array may number so many nodes, and so many more for each edge, as files do: an id may be a name."""

PYG_NODE_WEIGHT, PYG_EDGE_WEIGHT = DefaultName("node_weight"), DefaultName("edge_weight")

LABELLED = ("node_weight", "nodes")
"""What pairs and neighbours of labels take besides."""


def as_graph(
    source: Any,
    *,
    node_weight: Any = WEIGHT,
    edge_weight: Any = WEIGHT,
    ends: tuple[Any, Any] | None = None,
    nodes: Any = None,
) -> Graph:
    """Make a graph of any container the library accepts; a list or tuple of containers becomes a batch.

    A list is read by the lengths of its items:

    | items | read as |
    |---|---|
    | all of length 2; tuples of length 3 | pairs of labels, ``(u, v)``, ``(u, v, weight)`` or ``(u, v, attributes)`` |
    | two of one length other than 2 | rows of ends, as an edge array |
    | n of length n, for n ≥ 3 | a matrix; lists of length 3 must be symmetric with zeros on the diagonal |
    | other lists of length 3 | ``(u, v, weight)`` |
    | anything else | containers, one graph each |

    The nodes of pairs are those that occur: integers in ascending order, other labels in the order of their first
    occurrence. All must be of one type. Attributes are a dict, as ``list(G.edges(data=True))`` of networkx has it.

    An array [2, num_edges] or [num_edges, 2] lists every edge once, in either direction; its nodes reach to the largest
    id. One of 2 × 2 could mean either, and is refused. Any other square array is an adjacency matrix: symmetric, with
    the edge weights as its entries; 0 is no edge.

    Args:
        source: the container.
        node_weight: attribute of nodes, or column of ``nodes``, with their weights; by default ``weight`` (in PyG
            ``node_weight``) where there is one. None ignores weights.
        edge_weight: attribute or column with the weights of edges, likewise (in PyG ``edge_weight``).
        ends: the columns of a DataFrame that hold the ends of edges, ``("source", "target")`` by default.
        nodes: all nodes of pairs, of a dict or of a DataFrame, those without edges too: a list of labels, a dict from
            labels to weights, or a DataFrame with the labels in its first column. By default those that occur.

    Raises:
        InputError: for a type it does not know, for names that are not there, for labels of several types, and for
            what the ``from_...`` functions refuse.

    Example:
        >>> import scipy.sparse
        >>> as_graph([(0, 1), (1, 2)])
        Graph(3 nodes, 2 edges)
        >>> as_graph({"Ann": ["Bob", "Cy"]}, nodes={"Ann": 2, "Bob": 1, "Cy": 3, "Di": 1}).node_weight.tolist()
        [2.0, 1.0, 3.0, 1.0]
        >>> as_graph([scipy.sparse.csr_array([[0, 1], [1, 0]]), [(0, 1), (1, 2)]])
        Graph(2 graphs, 5 nodes, 3 edges)
    """
    return _read(source, Names(node_weight, edge_weight, ends, nodes))


def _read(source: Any, names: Names) -> Graph:
    if isinstance(source, Graph):
        names.taken("Graph")
        return source
    if isinstance(source, list | tuple):
        return _read_list(source, names)
    for kind, (reader, takes) in _READERS.items():
        if _is_a(source, *kind):
            return reader(source, **_arguments(names, _type_name(source), takes))
    raise InputError(f"cannot read a graph from {_type_name(source)}; accepted: {ACCEPTED}")


def _arguments(names: Names, origin: str, takes: Sequence[str]) -> dict[str, Any]:
    """Return what a reader gets of the names that were given: a table of nodes has the node weights in it."""
    given = names.taken(origin, *takes)
    if "nodes" not in takes:
        return given
    weight = given.pop("node_weight", WEIGHT)
    if "nodes" in given:
        given["nodes"] = as_node_table(given["nodes"], weight)
    elif weight is not None and not isinstance(weight, DefaultName):
        raise InputError(f"node_weight={weight!r} is a column of the table of nodes: give that as nodes", origin=origin)
    return given


def holds_graphs(source: list[Any] | tuple[Any, ...]) -> bool:
    """Tell a list of containers from the pairs, rows or matrix of one graph."""
    return _kind_of_list(source) == "graphs"


def _kind_of_list(source: Sequence[Any]) -> str:
    """Tell what a list holds by the lengths of its items, as `as_graph` says."""
    if not source or not _are_flat(source):
        return "graphs"
    lengths, count = set(map(len, source)), len(source)
    if lengths == {2} or (lengths <= {2, 3} and all(isinstance(item, tuple) for item in source)):
        return "pairs"
    if count == 2:
        return "rows"
    if lengths == {count}:
        return "matrix"
    return "pairs" if lengths <= {2, 3} else "matrix"


def _are_flat(items: Sequence[Any]) -> bool:
    """Tell whether all items are rows of labels or numbers; tuples may have tuples as labels, lists may not."""
    if set(map(type, items)) <= {list, tuple}:
        kinds = set(map(type, chain.from_iterable(items)))
        if all(issubclass(kind, str | int | float | np.generic) for kind in kinds):
            return True
    return all(map(_is_flat, items))


def _is_flat(item: Any) -> bool:
    if isinstance(item, list | tuple):
        if _has_attributes(item):
            item = item[:2]
        # Tuples in a list, and behind the ends of an edge, are pairs themselves.
        labels = item[:2] if isinstance(item, tuple) else item[:0]
        return all(isinstance(each, Hashable) and not _is_container(each) for each in item) and not any(
            isinstance(each, tuple) for each in item[len(labels) :]
        )
    return isinstance(item, range) or (is_dense(item) and item.ndim == 1)


def _has_attributes(item: Any) -> bool:
    """Tell an edge (u, v, attributes)."""
    return isinstance(item, tuple) and len(item) == 3 and isinstance(item[2], Mapping)


def _is_container(item: Any) -> bool:
    return isinstance(item, Graph) or any(_is_a(item, *kind) for kind in _READERS)


def is_dense(item: Any) -> bool:
    """Tell arrays of NumPy and tensors of torch."""
    return _is_a(item, "numpy", "ndarray") or _is_a(item, "torch", "Tensor")


def _read_list(source: Sequence[Any], names: Names) -> Graph:
    kind = _kind_of_list(source)
    if kind == "graphs":
        if source and isinstance(source[0], int | float | np.generic):
            rule = "a list of edges has nothing but tuples (u, v), (u, v, weight) or (u, v, attributes)"
            raise InputError(f"{source!r:.60} is no graph; {rule}")
        if names.nodes is not None and len(source) != 1:
            raise InputError(f"nodes are those of one graph, these are {len(source)}")
        return Graph.batch([_read_item(place, item, names) for place, item in enumerate(source)])
    if kind == "pairs":
        takes = ("edge_weight", *LABELLED) if any(map(_has_attributes, source)) else LABELLED
        return _from_pair_list(source, **_arguments(names, "list of pairs", takes))
    names.taken("list of rows")
    rows = [as_numpy(row) for row in source]
    lengths = list(map(len, rows))
    if kind == "rows":
        if lengths[0] != lengths[1]:
            raise InputError("its two rows must be of one length", origin="edge array")
        return _from_ends(np.asarray(rows))
    if len(set(lengths)) > 1:
        place = next(place for place, length in enumerate(lengths) if length != lengths[0])
        rule = f"ragged: row {place} has length {lengths[place]}, row 0 has {lengths[0]}"
        raise InputError(f"{rule}; rows of a matrix are of one length, edges are pairs", origin="list of rows")
    matrix = np.asarray(rows)
    if len(rows) == 3 and not (np.array_equal(matrix, matrix.T) and not np.any(matrix.diagonal())):
        rule = "three rows of three are an adjacency matrix only if they are symmetric with zeros on the diagonal"
        raise InputError(f"{rule}; write edges with weights as tuples (u, v, weight)", origin="list of rows")
    return _from_matrix(matrix)


def _read_item(place: int, item: Any, names: Names) -> Graph:
    with item_errors(place):
        return _read(item, names)


@contextmanager
def item_errors(place: int) -> Iterator[None]:
    """Add to an error about an item of a list which of them it is; files are told by their names."""
    try:
        yield
    except GraphFileError:
        raise
    except InputError as error:
        raise InputError(str(error), origin=f"graph {place}", edge=error.edge, node=error.node) from None


def _from_pair_list(source: Sequence[Any], *, edge_weight: Any = WEIGHT, nodes: NodeTable | None = None) -> Graph:
    """Read pairs of labels, all with or all without a weight or attributes."""
    origin, width = "list of pairs", len(source[0])
    rows = [as_numpy(item).tolist() if is_dense(item) else item for item in source]
    if len(rows) == 2 and width == 2 and not all(isinstance(item, list | tuple) for item in source):
        raise _two_by_two(np.array(rows))
    if set(map(len, rows)) != {width}:
        place = next(place for place, row in enumerate(rows) if len(row) != width)
        rule = f"edge {place} has {len(rows[place])} entries, edge 0 has {width}"
        raise InputError(f"edges must be all (u, v) or all (u, v, weight): {rule}", origin=origin)
    one, two, *last = zip(*rows, strict=True)
    weight: Sequence[Any] | None = last[0] if last else None
    if any(map(_has_attributes, rows)):
        plain = next((place for place, row in enumerate(rows) if not _has_attributes(row)), None)
        if plain is not None:
            rule = f"edge {plain} has {rows[plain][2]!r:.40}, others have a dict"
            raise InputError(f"edges must be all (u, v, weight) or all (u, v, attributes): {rule}", origin=origin)
        check_attribute("edge", edge_weight, last[0], origin)
        weight = [1 if edge_weight is None else found.get(edge_weight, 1) for found in last[0]]
    return from_pairs(one, two, edge_weight=weight, nodes=nodes, origin=origin)


def _from_array(source: Any) -> Graph:
    """Read the ends of edges, [2, num_edges] or [num_edges, 2], or a square adjacency matrix."""
    array = as_numpy(source)
    if array.ndim == 2 and array.shape == (2, 2):
        raise _two_by_two(array)
    if array.ndim == 2 and array.shape[0] == array.shape[1]:
        return _from_matrix(array)
    if array.ndim == 2 and 2 in array.shape:
        return _from_ends(array if array.shape[0] == 2 else array.T)
    shape = list(array.shape)
    rule = f"its shape must be [2, num_edges], [num_edges, 2], or [num_nodes, num_nodes] for a matrix, not {shape}"
    raise InputError(rule, origin="array")


def _two_by_two(array: Any) -> InputError:
    (a, b), (c, d) = array.tolist()
    readings = f"the pairs {a}-{b} and {c}-{d}, or rows of ends, {a}-{c} and {b}-{d}"
    remedy = (
        "give a list of tuples for pairs, Graph.from_edges(array) for rows of ends, a SciPy matrix for an adjacency"
    )
    return InputError(f"a 2 × 2 array can mean {readings}: {remedy}", origin="array")


def _from_ends(ends: Any) -> Graph:
    if ends.size and not np.issubdtype(ends.dtype, np.integer):
        hint = "write edges with labels or weights as tuples, (u, v) or (u, v, weight)"
        raise InputError(f"edges must be integer node ids, these are {ends.dtype}; {hint}", origin="edge array")
    largest, most = int(ends.max()) if ends.size else -1, FREE_NODES + NODES_PER_EDGE * ends.shape[1]
    if largest >= most:
        rule = f"the largest node id is {largest:,}, and all from 0 to it are nodes: {ends.shape[1]:,} edges have"
        remedy = "write ids that are names as pairs, and numbers of nodes as Graph.from_edges(array)"
        raise InputError(f"{rule} at most {most:,}; {remedy}", origin="edge array")
    return Graph.from_edges(ends, origin="edge array")


def _from_matrix(matrix: Any) -> Graph:
    """Read a dense adjacency matrix [num_nodes, num_nodes]; entries that are not 0 are edge weights."""
    origin = "matrix"
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix must be square, this one has shape {list(matrix.shape)}", origin=origin)
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"edge weights must be real numbers, these are {matrix.dtype}", origin=origin)
    # A matrix of NumPy's own class stays two-dimensional whatever is taken out of it.
    entries = np.asarray(matrix)
    ends = np.stack(np.nonzero(entries))
    remedy = "np.maximum(A, A.T), if each edge is stored once"
    weight = entries[ends[0], ends[1]]
    return from_adjacency(ends, [0, len(entries)], entry_weight=weight, origin=origin, remedy=remedy)


def from_table(
    frame: Any,
    *,
    edge_weight: Any = WEIGHT,
    ends: tuple[Any, Any] | None = None,
    nodes: NodeTable | None = None,
) -> Graph:
    """Read a DataFrame of pandas or polars with an edge in each row.

    Args:
        frame: the table.
        edge_weight: column of the weights, ``weight`` where there is one; None to ignore weights.
        ends: columns of the labels of the ends, ``source`` and ``target`` by default; integers, or all of one type.
        nodes: all nodes in their order; by default those that occur.
    """
    origin = _type_name(frame)
    one, two = (_column(frame, name, origin, "ends=" if ends is None else "") for name in ends or ("source", "target"))
    absent = edge_weight is None or (isinstance(edge_weight, DefaultName) and edge_weight not in list(frame.columns))
    weight = None if absent else _column(frame, edge_weight, origin)
    for name, column in zip(ends or ("source", "target"), (one, two), strict=True):
        _check_labels(name, column, origin)
    return from_pairs(one, two, edge_weight=weight, nodes=nodes, origin=origin)


def _column(frame: Any, name: Any, origin: str, argument: str = "") -> list[Any]:
    """Return a column of a table; ``argument`` is what names it, where the user did not."""
    columns = list(frame.columns)
    if columns.count(name) > 1:
        raise InputError(f"it has {columns.count(name)} columns {name!r:.60}; rename all but one", origin=origin)
    if name not in columns:
        remedy = f"; name the columns by {argument}" if argument else ""
        raise InputError(unknown_name("it has no column", name, columns) + remedy, origin=origin)
    return list(frame[name].to_list())


def _check_labels(name: Any, column: list[Any], origin: str) -> None:
    """Raise if labels are missing, or are numbers that have become fractions."""
    missing = next((place for place, label in enumerate(column) if is_missing(label)), None)
    if missing is not None:
        raise InputError(f"row {missing} has no label in the column {name!r:.60}", origin=origin)
    if float in set(map(type, column)):
        raise InputError(f"labels must be integers or text, the column {name!r:.60} has fractions", origin=origin)


def as_node_table(nodes: Any, node_weight: Any = WEIGHT) -> NodeTable:
    """Return the labels and weights of nodes from a DataFrame, a dict from labels to weights, or a list of labels.

    Example:
        >>> as_node_table({"a": 2, "b": 1})
        NodeTable(labels=['a', 'b'], weight=[2, 1], origin='nodes')
    """
    if isinstance(nodes, NodeTable):
        return nodes
    if any(_is_a(nodes, *kind) for kind in FRAMES):
        origin = f"nodes ({_type_name(nodes)})"
        if not len(nodes.columns):
            raise InputError("it has no columns", origin=origin)
        first = next(iter(nodes.columns))
        labels = _column(nodes, first, origin)
        _check_labels(first, labels, origin)
        default = isinstance(node_weight, DefaultName) and node_weight not in list(nodes.columns)
        absent = node_weight is None or default
        return NodeTable(labels, None if absent else _column(nodes, node_weight, origin), origin)
    if node_weight is not None and not isinstance(node_weight, DefaultName):
        raise InputError(f"node_weight={node_weight!r} is a column, and {_type_name(nodes)} has none", origin="nodes")
    if isinstance(nodes, Mapping):
        return NodeTable(list(nodes), None if node_weight is None else list(nodes.values()))
    if isinstance(nodes, list | tuple | range) or (is_dense(nodes) and nodes.ndim == 1):
        return NodeTable(as_numpy(nodes).tolist() if is_dense(nodes) else list(nodes))
    rule = f"nodes must be a list of labels, a dict from labels to weights or a DataFrame, not {_type_name(nodes)}"
    raise InputError(rule)


def from_networkx(
    graph: Any, *, node_weight: Any = WEIGHT, edge_weight: Any = WEIGHT, origin: str = "networkx graph"
) -> Graph:
    """Read a networkx graph; its nodes become the labels, in the order of ``list(graph)``.

    Args:
        graph: a ``networkx.Graph`` or ``MultiGraph``; parallel edges are duplicates.
        node_weight: name of the node attribute, 1 at nodes without it; None to ignore weights. Where it is given, at
            least one node must have it.
        edge_weight: name of the edge attribute, likewise.
        origin: what errors and warnings name as the source.

    Example:
        >>> import networkx
        >>> from_networkx(networkx.path_graph(["a", "b", "c"])).labels.tolist()
        ['a', 'b', 'c']
    """
    _expect(graph, "networkx", "Graph")
    if graph.is_directed():
        raise InputError("directed: convert it with .to_undirected() first", origin=origin)
    check_attribute("node", node_weight, (found for _, found in graph.nodes(data=True)), origin)
    check_attribute("edge", edge_weight, (found for *_, found in graph.edges(data=True)), origin)
    labels = list(graph)
    number = {label: position for position, label in enumerate(labels)}
    # No attribute is named None, so every node and edge takes the default then.
    links = list(graph.edges(data=edge_weight, default=1))
    return from_labelled(
        np.array([[number[u] for u, _, _ in links], [number[v] for _, v, _ in links]], dtype=np.int64),
        labels,
        node_weight=[weight for _, weight in graph.nodes(data=node_weight, default=1)],
        edge_weight=[weight for _, _, weight in links],
        origin=origin,
    )


def check_attribute(kind: str, name: Any, attributes: Iterable[Mapping[Any, Any]], origin: str) -> None:
    """Raise if a user names an attribute of nodes or edges that none of them has.

    Args:
        kind: ``node`` or ``edge``.
        name: of the attribute; None and names that nobody asked for are never wrong.
        attributes: of each node or edge.
        origin: what errors name as the source.
    """
    if name is None or isinstance(name, DefaultName):
        return
    known: dict[Any, None] = {}
    empty = True
    for found in attributes:
        if name in found:
            return
        empty = False
        known.update(dict.fromkeys(found))
    if not empty:
        raise InputError(unknown_name(f"no {kind} has an attribute", name, list(known)), origin=origin)


def unknown_name(what: str, name: Any, choices: Collection[Any]) -> str:
    """Say that there is nothing of a name, and what there is.

    Example:
        >>> unknown_name("there is no column", "cots", ["from", "to", "cost"])
        "there is no column 'cots'; did you mean 'cost'? there are 'from', 'to', 'cost'"
    """
    listed = ", ".join(map(repr, list(choices)[:MOST_SHOWN])) + ", ..." * (len(choices) > MOST_SHOWN)
    return f"{what} {name!r:.60}; {did_you_mean(name, choices)}{f'there are {listed}' if choices else 'there are none'}"


def to_networkx(graph: Graph) -> Any:
    """Make a ``networkx.Graph`` of a single graph, with its labels as nodes and its weights as ``weight``."""
    networkx = _import_package("networkx", "networkx")
    result, labels = networkx.Graph(), _check_single(graph, "networkx").labels.tolist()
    low, high = ([labels[node] for node in ends] for ends in graph.edges.tolist())
    result.add_nodes_from(labels)
    if (graph.node_weight != 1).any():
        networkx.set_node_attributes(result, dict(zip(labels, graph.node_weight.tolist(), strict=True)), "weight")
    if (graph.edge_weight != 1).any():
        result.add_weighted_edges_from(zip(low, high, graph.edge_weight.tolist(), strict=True))
    else:
        result.add_edges_from(zip(low, high, strict=True))
    return result


def from_igraph(graph: Any, *, node_weight: Any = WEIGHT, edge_weight: Any = WEIGHT) -> Graph:
    """Read an igraph graph; the vertex attribute ``name`` gives the labels, where there is one.

    Args:
        graph: an ``igraph.Graph``; parallel edges are duplicates.
        node_weight: name of the vertex attribute, 1 where its value is None; None to ignore weights. Where it is given,
            the graph must have it.
        edge_weight: name of the edge attribute, likewise.
    """
    _expect(graph, "igraph", "Graph")
    if graph.is_directed():
        raise InputError("directed: convert it with .as_undirected() first", origin="igraph graph")
    return from_labelled(
        np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2).T,
        graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount()),
        node_weight=_weights(graph.vs, "node", node_weight),
        edge_weight=_weights(graph.es, "edge", edge_weight),
        origin="igraph graph",
    )


def to_igraph(graph: Graph) -> Any:
    """Make an ``igraph.Graph`` of a single graph, with its labels as ``name`` and its weights as ``weight``."""
    igraph = _import_package("igraph", "igraph")
    low, high = graph.edges.tolist()
    result = igraph.Graph(n=_check_single(graph, "igraph").num_nodes, edges=list(zip(low, high, strict=True)))
    if graph.node_labels is not None:
        result.vs["name"] = graph.node_labels.tolist()
    if (graph.node_weight != 1).any():
        result.vs["weight"] = graph.node_weight.tolist()
    if (graph.edge_weight != 1).any():
        result.es["weight"] = graph.edge_weight.tolist()
    return result


def _weights(items: Any, kind: str, attribute: Any) -> list[Any]:
    check_attribute(kind, attribute, [dict.fromkeys(items.attributes())] * (len(items) > 0), "igraph graph")
    if attribute not in items.attributes():
        return [1] * len(items)
    return [1 if value is None else value for value in items[attribute]]


def from_scipy(matrix: Any, *, node_weight: ArrayLike | None = None) -> Graph:
    """Read a symmetric SciPy sparse adjacency matrix, whose entries are the edge weights.

    Stored zeros are edges of weight 0, and True weighs 1. Entries that a COO matrix stores twice are duplicates; where
    they are meant to be added, call ``matrix.sum_duplicates()`` first.

    Args:
        matrix: [num_nodes, num_nodes] in any sparse format, array or matrix kind.
        node_weight: [num_nodes], 1 where absent.

    Raises:
        InputError: if the matrix is not square, not real, or not equal to its transpose.

    Example:
        >>> import scipy.sparse
        >>> from_scipy(scipy.sparse.csr_array([[0, 3], [3, 0]])).edge_weight.tolist()
        [3.0]
    """
    origin = "SciPy matrix"
    _expect(matrix, "scipy", "sparray", "spmatrix")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix must be square, this one has shape {list(matrix.shape)}", origin=origin)
    entries = matrix.tocoo()
    ends, weight = np.stack([entries.row, entries.col]), entries.data
    if matrix.format == "bsr":
        # Blocks are filled up with zeros, which are not edges.
        ends, weight = ends[:, weight != 0], weight[weight != 0]
    nodes, remedy = [0, matrix.shape[0]], "A + A.T, if each edge is stored once"
    return from_adjacency(ends, nodes, entry_weight=weight, node_weight=node_weight, origin=origin, remedy=remedy)


def to_scipy(graph: Graph) -> Any:
    """Make a ``scipy.sparse.csr_array`` [num_nodes, num_nodes] of a single graph's edge weights, float64.

    Labels and node weights have no place in a matrix and stay behind.
    """
    sparse = _import_package("scipy.sparse", "scipy")
    shape = (_check_single(graph, "SciPy").num_nodes, graph.num_nodes)
    return sparse.csr_array((graph.edge_weight[graph.edge_of_index], graph.indices, graph.indptr), shape, copy=True)


def from_pyg(data: Any, *, node_weight: Any = PYG_NODE_WEIGHT, edge_weight: Any = PYG_EDGE_WEIGHT) -> Graph:
    """Read a PyG ``Data`` as one graph or a ``Batch`` as many; tensors may be on any device.

    Read are ``edge_index`` with both directions of every edge, ``num_nodes`` (as PyG infers it where it is not given),
    the weights, and ``node_name``, a list of [num_nodes] labels.

    Args:
        data: a ``Data`` or ``Batch``.
        node_weight: name of the attribute [num_nodes] with the node weights; None to ignore weights.
        edge_weight: name of the attribute [num_entries] with the edge weights, likewise.
    """
    origin = "PyG data"
    if _is_a(data, "torch_geometric", "HeteroData"):
        raise InputError("heterogeneous: convert it with .to_homogeneous() first", origin=origin)
    _expect(data, "torch_geometric", "Data")
    many = _is_a(data, "torch_geometric", "Batch")
    for key in ("edge_index", "ptr") if many else ("edge_index",):
        if getattr(data, key, None) is None:
            raise InputError(f"it has no {key}", origin=origin)
    names = getattr(data, "node_name", None)
    if not isinstance(names, list | None):
        raise InputError(f"node_name must be a list, not {_type_name(names)}", origin=origin)
    return from_adjacency(
        as_numpy(data.edge_index),
        as_numpy(data.ptr) if many else [0, data.num_nodes],
        entry_weight=_pyg_weight(data, "edge", edge_weight),
        node_weight=_pyg_weight(data, "node", node_weight),
        node_labels=list(chain.from_iterable(names)) if many and names else names,
        origin=origin,
        remedy="torch_geometric.transforms.ToUndirected()",
    )


def _pyg_weight(data: Any, kind: str, name: Any) -> Any:
    """Return the attribute of a name, or None where there is none that must be there; columns are made flat."""
    check_attribute(kind, name, [dict.fromkeys(data.keys())], "PyG data")
    weight = as_numpy(None if name is None else getattr(data, name, None))
    return weight[:, 0] if weight is not None and weight.ndim == 2 and weight.shape[1] == 1 else weight


def to_pyg(graph: Graph) -> Any:
    """Make a PyG ``Data`` of a single graph, or a ``Batch`` of many, which ``.to_data_list()`` takes apart again.

    ``edge_index`` has both directions of every edge, ``edge_weight`` and ``node_weight`` are float64, and labels are a
    list ``node_name``.
    """
    pyg, tensor = _import_package("torch_geometric.data", "torch_geometric"), _import_package("torch", "torch").tensor
    if graph.num_graphs == 0:
        raise InputError("PyG has no batch of no graphs")
    weighted_nodes, weighted_edges = (graph.node_weight != 1).any(), (graph.edge_weight != 1).any()
    parts = []
    for part in graph:
        rows = np.repeat(np.arange(part.num_nodes), part.degree)
        data = pyg.Data(edge_index=tensor(np.stack([rows, part.indices])), num_nodes=part.num_nodes)
        # PyG batches only what all parts have, so the whole batch decides what is written.
        if part.node_labels is not None:
            data.node_name = part.node_labels.tolist()
        if weighted_nodes:
            data.node_weight = tensor(part.node_weight)
        if weighted_edges:
            data.edge_weight = tensor(part.edge_weight[part.edge_of_index])
        parts.append(data)
    return parts[0] if len(parts) == 1 else pyg.Batch.from_data_list(parts)


def _is_a(source: Any, package: str, *names: str) -> bool:
    """Tell whether something is of one of these classes, or of a subclass, without importing its package."""
    kinds = type(source).__mro__
    return any(kind.__name__ in names and kind.__module__.partition(".")[0] == package for kind in kinds)


def _type_name(source: Any) -> str:
    """Return the name of something's class, for messages."""
    return f"{type(source).__module__}.{type(source).__qualname__}".removeprefix("builtins.")


def _expect(source: Any, package: str, *names: str) -> None:
    """Refuse what is not of one of these classes."""
    if not _is_a(source, package, *names):
        raise InputError(f"expected a {package} {' or '.join(names)}, not {_type_name(source)}")


def as_numpy(value: Any) -> Any:
    """Return an array of a tensor on any device or of anything like an array; None stays None."""
    if not _is_a(value, "torch", "Tensor"):
        return None if value is None else np.asarray(unmasked(value))
    if str(value.layout) != "torch.strided":
        raise InputError(f"a torch tensor must be dense here, this one is {value.layout}")
    value = value.detach().cpu()
    # NumPy has no bfloat16.
    return (value.double() if value.is_floating_point() else value).numpy()


def _check_single(graph: Graph, target: str) -> Graph:
    """Refuse a batch, where the target holds one graph."""
    if graph.num_graphs != 1:
        raise InputError(f"{target} holds one graph, these are {graph.num_graphs}; convert them one by one")
    return graph


def _import_package(module: str, package: str) -> Any:
    """Import a module of a package that may be missing, and say how to install it then."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise ModuleNotFoundError(f"{package} is not installed: pip install {package}", name=package) from None


FRAMES = (("pandas", "DataFrame"), ("polars", "DataFrame"))


def _refuse_lazy(_: Any) -> Graph:
    raise InputError("a LazyFrame must be computed first, by .collect()")


_WEIGHTS = ("node_weight", "edge_weight")

_READERS: dict[tuple[str, str], tuple[Callable[..., Graph], tuple[str, ...]]] = {
    ("networkx", "Graph"): (from_networkx, _WEIGHTS),
    ("igraph", "Graph"): (from_igraph, _WEIGHTS),
    ("scipy", "sparray"): (from_scipy, ()),
    ("scipy", "spmatrix"): (from_scipy, ()),
    ("torch_geometric", "Data"): (from_pyg, _WEIGHTS),
    ("torch_geometric", "HeteroData"): (from_pyg, _WEIGHTS),
    ("torch", "Tensor"): (_from_array, ()),
    ("numpy", "ndarray"): (_from_array, ()),
    **dict.fromkeys(FRAMES, (from_table, ("edge_weight", "ends", *LABELLED))),
    ("polars", "LazyFrame"): (_refuse_lazy, ()),
    ("builtins", "dict"): (from_neighbours, ("edge_weight", *LABELLED)),
}
"""Readers by package and class, and which of the `Names` each takes."""
