from __future__ import annotations

import numpy as np
import pytest

from annealco.graph.generators import erdos_renyi, generate
from annealco.problems import PROBLEMS
from annealco.search.rounding import drawn, rounded


@pytest.mark.parametrize("name", ["mis", "clique"])
def test_rounded_sets_are_never_smaller_than_size_less_conflicts(name: str) -> None:
    problem = PROBLEMS[name]
    for seed in range(6):
        rng = np.random.default_rng(seed)
        graph = erdos_renyi(rng, num_nodes=20, edge_probability=0.3)
        given = rng.random((4, 20)) * 0.8
        instance = problem.declare(graph)
        for row, chance in zip(rounded(instance, given), given, strict=True):
            nodes = np.flatnonzero(row).tolist()
            assert set(nodes) <= set(np.flatnonzero(chance > 0.5).tolist())
            assert problem.score(graph, nodes) is not None
            assert len(nodes) >= (chance > 0.5).sum() - instance.violations(chance > 0.5)[0]


def test_draws_follow_probabilities_and_seeds_and_end_in_the_box() -> None:
    graph, cut = generate("ba-small", count=1, seed=1), PROBLEMS["cut"]
    instance = cut.declare(graph)
    given = np.tile(np.where(np.arange(graph.num_nodes) < 100, 0.7, 0.05), (5, 1))
    first, again, other = (drawn(instance, given, seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert len({row.tobytes() for row in first}) == 5
    assert all(cut.score(graph, np.flatnonzero(row).tolist()) is not None for row in first)
    assert first[:, :100].mean() > 3 * first[:, 100:].mean()
