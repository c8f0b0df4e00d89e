"""Quotients that the tests of search share: one of the package, and one that is maximised."""

from __future__ import annotations

import numpy as np

from annealco.energy import Constraint, Cover, Instance, Linear, Pairs
from annealco.graph.graph import Graph
from annealco.problems import Problem
from annealco.search.ratio import Quotient


def _inside(graph: Graph, nodes: set[int]) -> float:
    ends = zip(*graph.edges.tolist(), graph.edge_weight.tolist(), strict=True)
    return sum((weight for u, v, weight in ends if {u, v} <= set(nodes)), start=0.0)


def _declare(graph: Graph) -> Instance:
    """The edges inside a set that is not empty; a single node has none either, so that every penalty is exact."""
    nodes, ones = np.arange(graph.num_nodes), np.ones(graph.num_graphs)
    some = Constraint(Cover(graph.node_ptr, graph.node_ptr, nodes, ones), ones)
    return Instance(graph.node_ptr, (Pairs(graph.node_ptr, graph.edges, -graph.edge_weight),), (some,), sense="max")


def _score(graph: Graph, nodes: set[int]) -> float | None:
    return _inside(graph, nodes) / len(nodes) if len(nodes) else None


def _at_price(price: float) -> Problem:
    def declare(graph: Graph) -> Instance:
        inside = Pairs(graph.node_ptr, graph.edges, -graph.edge_weight)
        return Instance(graph.node_ptr, (inside, Linear(graph.node_ptr, np.full(graph.num_nodes, price))), sense="max")

    def score(graph: Graph, nodes: set[int]) -> float | None:
        return _inside(graph, nodes) - price * len(nodes)

    return Problem("edges at a price", "edges inside a set, less a price a node", "max", declare, score)


DENSEST = Problem(
    "densest", "most edges inside a set, for each node of it", "max", _declare, _score, at_price=_at_price, sharp=False
)


def quotient_of(problem: Problem, graph: Graph) -> Quotient:
    """Return the quotient of a problem on one graph."""
    return Quotient(problem.declare(graph), lambda price: problem.at_price(price).declare(graph))
