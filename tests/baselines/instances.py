"""Small graphs and problems with their best scores by brute force, for everything that is to be exact."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS, Problem
from annealco.problems.small_graphs import small_graphs
from tests.problems.brute_force import best_score
from tests.problems.sums import SUMS


def solved_instances(name: str, *, num_random: int, seed: int = 0) -> Iterator[tuple[Problem, Graph, float]]:
    """Yield a problem, with options where it has some, a small graph, and the best score of any set."""
    rng = np.random.default_rng(seed)
    for graph in small_graphs(rng, num_random=num_random):
        plain = PROBLEMS[name] if name in PROBLEMS else SUMS[name]
        for problem in (plain, *_with_options(plain, graph, rng)):
            best = best_score(problem, graph)
            if best is not None:
                yield problem, graph, best


def _with_options(problem: Problem, graph: Graph, rng: np.random.Generator) -> list[Problem]:
    """Return the problem with a volume box around the volume of a random set, and with a seed node of that set."""
    if "seed_node" not in problem.options or graph.num_nodes == 0:
        return []
    chosen = rng.random(graph.num_nodes) < 0.5
    chosen[rng.integers(graph.num_nodes)] = True
    volume = int(graph.degree[chosen].sum())
    box = (volume - int(rng.integers(0, 3)), volume + int(rng.integers(0, 3)))
    options = [{"volume": box}, {"volume": box, "seed_node": int(np.flatnonzero(chosen)[0])}]
    chosen_ones = [problem.with_options(**each) for each in options]
    return [each for each in chosen_ones if _is_legal(graph, each)]


def _is_legal(graph: Graph, problem: Problem) -> bool:
    try:
        problem.declare(graph)
    except InputError:
        return False
    return True
