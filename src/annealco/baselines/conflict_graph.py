"""Look at a problem as an independent set problem, the one that most solvers of others know."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.baselines.method import Refusal
from annealco.baselines.shapes import shape_of
from annealco.energy import Cover, Instance
from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import Problem
from annealco.search.covering import as_hitting_set


class Conflicts(NamedTuple):
    """A graph whose independent sets are the feasible sets, or what these leave out.

    Attributes:
        graph: with the weights of the nodes.
        inverted: whether a feasible set is what an independent set leaves out, as a vertex cover is.
    """

    graph: Graph
    inverted: bool

    def as_bits(self, independent: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return the feasible set of an independent set, [num_nodes]."""
        chosen = np.zeros(self.graph.num_nodes, np.bool_)
        chosen[independent] = True
        return ~chosen if self.inverted else chosen


def conflict_graph(instance: Instance) -> Conflicts:
    """Return the conflict graph of an instance of one graph, its own or that of all pairs that exclude each other."""
    sets = as_hitting_set(instance)
    if sets is None or np.any(np.diff(sets.set_ptr) != 2):
        raise InputError("this is no independent set problem, or its pairs are too many to list")
    pairs = np.unique(np.sort(sets.members.reshape(-1, 2), axis=1), axis=0).T
    return Conflicts(Graph.from_edges(pairs, instance.num_nodes, node_weight=sets.cost), not sets.inverted)


def takes_independent_sets(*, weighted: bool) -> Refusal:
    """Return what refuses all but independent sets and what they stand for, and, unless it takes them, weights."""

    def refuse(problem: Problem, graph: Graph) -> str | None:
        instance = problem.declare(graph)
        covers = [each.term for each in instance.constraints if isinstance(each.term, Cover)]
        two = all(np.all(np.diff(term.set_ptr) == 2) for term in covers)
        if shape_of(instance) != "packing" and not (shape_of(instance) == "covering" and two):
            return "it is for independent sets, cliques and vertex covers"
        if weighted and not np.all(graph.node_weight == np.round(graph.node_weight)):
            return "it takes whole node weights"
        return None if weighted or np.all(graph.node_weight == 1) else "it takes no node weights"

    return refuse
