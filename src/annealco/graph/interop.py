"""Convert graphs from and to networkx, igraph, SciPy sparse matrices and PyG; `as_graph` accepts any of them.

Objects are recognised by the names of their classes: none of these packages is imported before something is converted
*to* it. Nodes and edges without a weight weigh 1; weights are written only where not all of them are 1. Self-loops and
duplicate edges follow the rule of :mod:`annealco.graph.normalisation`; directed graphs are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from annealco.errors import InputError
from annealco.graph.construction import from_adjacency, from_labelled
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

ACCEPTED = "Graph, networkx, igraph, SciPy sparse, PyG Data or Batch, edge array [2, num_edges], or a list of these"


def as_graph(source: Any) -> Graph:
    """Make a graph of any container the library accepts; a list or tuple of containers becomes a batch.

    An edge array [2, num_edges] lists every edge once, in either direction; its nodes reach to the largest id. A list
    of flat rows is an edge array, any other list holds containers, and an empty list is a batch of no graphs.

    Raises:
        InputError: for a type it does not know, and for what the ``from_...`` functions refuse.

    Example:
        >>> import scipy.sparse
        >>> as_graph([[0, 1], [1, 2]])
        Graph(3 nodes, 2 edges)
        >>> as_graph([scipy.sparse.csr_array([[0, 1], [1, 0]]), [[0, 1], [1, 2]]])
        Graph(2 graphs, 5 nodes, 3 edges)
    """
    if isinstance(source, Graph):
        return source
    if isinstance(source, (list, tuple)):
        return Graph.batch([as_graph(item) for item in source]) if holds_graphs(source) else _from_array(source)
    for kind, reader in _READERS.items():
        if _is_a(source, *kind):
            return reader(source)
    raise InputError(f"cannot read a graph from {_type_name(source)}; accepted: {ACCEPTED}")


def holds_graphs(source: list[Any] | tuple[Any, ...]) -> bool:
    """Tell a list of containers from the rows of an edge array."""
    return len(source) == 0 or not all(map(_is_row, source))


def _is_row(item: Any) -> bool:
    if isinstance(item, (list, tuple, range)):
        return len(item) == 0 or isinstance(item[0], Real)
    return (_is_a(item, "numpy", "ndarray") or _is_a(item, "torch", "Tensor")) and item.ndim == 1


def _from_array(source: Any) -> Graph:
    rows = [as_numpy(row) for row in source] if isinstance(source, (list, tuple)) else as_numpy(source)
    try:
        edges = np.asarray(rows)
    except ValueError:
        raise InputError("its two rows must be of one length", origin="edge array") from None
    if edges.ndim != 2 or edges.shape[0] != 2:
        hint = "transpose an array of pairs, and give an adjacency matrix as scipy.sparse.csr_array"
        raise InputError(f"its shape must be [2, num_edges], not {list(edges.shape)}; {hint}", origin="edge array")
    return Graph.from_edges(edges, origin="edge array")


def from_networkx(graph: Any, *, node_weight: str | None = "weight", edge_weight: str | None = "weight") -> Graph:
    """Read a networkx graph; its nodes become the labels, in the order of ``list(graph)``.

    Args:
        graph: a ``networkx.Graph`` or ``MultiGraph``; parallel edges are duplicates.
        node_weight: name of the node attribute, 1 at nodes without it; None to ignore weights.
        edge_weight: name of the edge attribute, 1 at edges without it; None to ignore weights.

    Example:
        >>> import networkx
        >>> from_networkx(networkx.path_graph(["a", "b", "c"])).labels.tolist()
        ['a', 'b', 'c']
    """
    _expect(graph, "networkx", "Graph")
    if graph.is_directed():
        raise InputError("directed: convert it with .to_undirected() first", origin="networkx graph")
    labels = list(graph)
    number = {label: position for position, label in enumerate(labels)}
    # No attribute is named None, so every node and edge takes the default then.
    links = list(graph.edges(data=edge_weight, default=1))
    return from_labelled(
        np.array([[number[u] for u, _, _ in links], [number[v] for _, v, _ in links]], dtype=np.int64),
        labels,
        node_weight=[weight for _, weight in graph.nodes(data=node_weight, default=1)],
        edge_weight=[weight for _, _, weight in links],
        origin="networkx graph",
    )


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


def from_igraph(graph: Any, *, node_weight: str | None = "weight", edge_weight: str | None = "weight") -> Graph:
    """Read an igraph graph; the vertex attribute ``name`` gives the labels, where there is one.

    Args:
        graph: an ``igraph.Graph``; parallel edges are duplicates.
        node_weight: name of the vertex attribute, 1 where it is absent or None; None to ignore weights.
        edge_weight: name of the edge attribute, 1 where it is absent or None; None to ignore weights.
    """
    _expect(graph, "igraph", "Graph")
    if graph.is_directed():
        raise InputError("directed: convert it with .as_undirected() first", origin="igraph graph")
    return from_labelled(
        np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2).T,
        graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount()),
        node_weight=_weights(graph.vs, node_weight),
        edge_weight=_weights(graph.es, edge_weight),
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


def _weights(items: Any, attribute: str | None) -> list[Any]:
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


def from_pyg(data: Any) -> Graph:
    """Read a PyG ``Data`` as one graph or a ``Batch`` as many; tensors may be on any device.

    Read are ``edge_index`` with both directions of every edge, ``num_nodes`` (as PyG infers it where it is not given),
    ``edge_weight`` [num_entries], ``node_weight`` [num_nodes] and ``node_name``, a list of [num_nodes] labels.
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
        entry_weight=as_numpy(getattr(data, "edge_weight", None)),
        node_weight=as_numpy(getattr(data, "node_weight", None)),
        node_labels=list(chain.from_iterable(names)) if many and names else names,
        origin=origin,
        remedy="torch_geometric.transforms.ToUndirected()",
    )


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
        return None if value is None else np.asarray(value)
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


_READERS: dict[tuple[str, str], Callable[[Any], Graph]] = {
    ("networkx", "Graph"): from_networkx,
    ("igraph", "Graph"): from_igraph,
    ("scipy", "sparray"): from_scipy,
    ("scipy", "spmatrix"): from_scipy,
    ("torch_geometric", "Data"): from_pyg,
    ("torch_geometric", "HeteroData"): from_pyg,
    ("torch", "Tensor"): _from_array,
    ("numpy", "ndarray"): _from_array,
}
