from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines.annealing import anneal
from annealco.graph.generators import generate
from annealco.problems import PROBLEMS
from tests.baselines.instances import solved_instances
from tests.budgets import FAR, MOVES
from tests.problems.sums import CUTS, SUMS


@pytest.mark.parametrize("name", SUMS)
def test_most_small_optima_are_found(name: str) -> None:
    reached = []
    for problem, graph, best in list(solved_instances(name, num_random=6, seed=4))[::5]:
        found = anneal(problem.declare(graph), budget=FAR, moves=MOVES, seed=0, threads=1)
        value = problem.score(graph, np.flatnonzero(found).tolist())
        assert value is not None
        reached.append(value == pytest.approx(best))
    # Single flips do not lead everywhere in a narrow volume box.
    assert np.mean(reached) > (0.7 if name in CUTS else 0.99)


def test_moves_are_kept_and_put_to_use() -> None:
    graph = generate("rb-small", count=1, seed=4)
    instance = PROBLEMS["mis"].declare(graph)
    few, many = (anneal(instance, budget=FAR, moves=moves, seed=0, threads=1) for moves in (100, 20 * MOVES))
    assert few.sum() < many.sum()
    assert many.sum() >= 0.9 * graph.graph_data["planted_size"][0]


def test_without_time_there_is_a_feasible_set() -> None:
    instance = PROBLEMS["mis"].declare(generate("rb-small", count=1, seed=4))
    found = anneal(instance, budget=1e-9, seed=0, threads=1)
    assert instance.violations(found)[0] == 0
