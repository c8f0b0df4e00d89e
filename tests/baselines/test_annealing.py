from __future__ import annotations

import time

import numpy as np
import pytest

from annealco.baselines.annealing import anneal
from annealco.graph.generators import generate
from annealco.problems import PROBLEMS
from tests.baselines.instances import solved_instances
from tests.problems.sums import CUTS, SUMS


@pytest.mark.parametrize("name", SUMS)
def test_most_small_optima_are_found(name: str) -> None:
    reached = []
    for problem, graph, best in list(solved_instances(name, num_random=6, seed=4))[::5]:
        found = anneal(problem.declare(graph), budget=0.1, seed=0, threads=1)
        value = problem.score(graph, np.flatnonzero(found).tolist())
        assert value is not None
        reached.append(value == pytest.approx(best))
    # Single flips do not lead everywhere in a narrow volume box.
    assert np.mean(reached) > (0.7 if name in CUTS else 0.99)


def test_the_time_is_kept_and_put_to_use() -> None:
    graph = generate("rb-small", count=1, seed=4)
    instance = PROBLEMS["mis"].declare(graph)
    anneal(instance, budget=0.01, seed=0, threads=1)
    begun = time.perf_counter()
    found = anneal(instance, budget=0.2, seed=0, threads=1)
    assert 0.15 < time.perf_counter() - begun < 1.0
    assert found.sum() >= 0.9 * graph.graph_data["planted_size"][0]
