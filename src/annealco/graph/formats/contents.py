"""Name what a graph contains beyond its edges, so that no writer drops a part of it in silence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Flag, auto
from typing import Any

import numpy as np

from annealco.graph.graph import Graph


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
}


def contents(graph: Graph) -> Content:
    """Return what a graph contains; weights that are all 1 are none.

    Example:
        >>> contents(Graph.from_edges([[0], [1]], edge_weight=[2.5], node_labels=[1, 2]))
        <Content.EDGE_WEIGHTS|LABELS_FROM_ONE: 5>
    """
    found = _label_content(graph)
    if np.any(graph.edge_weight != 1):
        found |= Content.EDGE_WEIGHTS
    if np.any(graph.node_weight != 1):
        found |= Content.NODE_WEIGHTS
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
