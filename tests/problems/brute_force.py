"""The best sets of small graphs, by trying all of them with the plain score."""

from __future__ import annotations

from itertools import chain, combinations

from annealco.graph.graph import Graph
from annealco.problems import Problem


def best_score(problem: Problem, graph: Graph) -> float | None:
    """Return the best score of any set of nodes."""
    sets = chain.from_iterable(combinations(range(graph.num_nodes), size) for size in range(graph.num_nodes + 1))
    scores = [score for score in (problem.score(graph, nodes) for nodes in sets) if score is not None]
    return (max if problem.sense == "max" else min)(scores, default=None)
