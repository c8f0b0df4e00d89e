"""Convert from and to networkx graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.interop.containers import expect, import_package, single
from annealco.graph.labelled import from_labelled


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
    expect(graph, "networkx", "Graph")
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
    networkx = import_package("networkx", "networkx")
    result, labels = networkx.Graph(), single(graph, "networkx").labels.tolist()
    low, high = ([labels[node] for node in ends] for ends in graph.edges.tolist())
    result.add_nodes_from(labels)
    if (graph.node_weight != 1).any():
        networkx.set_node_attributes(result, dict(zip(labels, graph.node_weight.tolist(), strict=True)), "weight")
    if (graph.edge_weight != 1).any():
        result.add_weighted_edges_from(zip(low, high, graph.edge_weight.tolist(), strict=True))
    else:
        result.add_edges_from(zip(low, high, strict=True))
    return result
