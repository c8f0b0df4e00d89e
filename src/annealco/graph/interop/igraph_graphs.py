"""Convert from and to igraph graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.interop.containers import expect, import_package, single
from annealco.graph.labelled import from_labelled


def from_igraph(graph: Any, *, node_weight: str | None = "weight", edge_weight: str | None = "weight") -> Graph:
    """Read an igraph graph; the vertex attribute ``name`` gives the labels, where there is one.

    Args:
        graph: an ``igraph.Graph``; parallel edges are duplicates.
        node_weight: name of the vertex attribute, 1 where it is absent or None; None to ignore weights.
        edge_weight: name of the edge attribute, 1 where it is absent or None; None to ignore weights.
    """
    expect(graph, "igraph", "Graph")
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
    igraph = import_package("igraph", "igraph")
    low, high = graph.edges.tolist()
    result = igraph.Graph(n=single(graph, "igraph").num_nodes, edges=list(zip(low, high, strict=True)))
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
