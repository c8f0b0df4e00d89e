from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines import METHODS
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.budgets import ANY_MOMENT
from tests.problems.brute_force import best_score

pytest.importorskip("chszlablib")


def random_graph(seed: int, *, weighted: bool) -> Graph:
    rng = np.random.default_rng(seed)
    low, high = np.triu_indices(9, 1)
    kept = rng.random(len(low)) < 0.45
    return Graph.from_edges(
        np.stack([low[kept], high[kept]]), 9, node_weight=rng.integers(1, 10, 9) if weighted else None
    )


@pytest.mark.parametrize("method", ["online_mis", "redu_mis", "chils"])
@pytest.mark.parametrize("name", ["mis", "clique", "vertex_cover"])
def test_sets_are_feasible_and_no_better_than_the_best(method: str, name: str) -> None:
    for seed in range(3):
        graph = random_graph(seed, weighted=method == "chils")
        found = METHODS[method].run(PROBLEMS[name], graph, budget=ANY_MOMENT, seed=1)
        assert found.assignment is not None
        value = PROBLEMS[name].score(graph, np.flatnonzero(found.assignment).tolist())
        best = best_score(PROBLEMS[name], graph)
        assert value is not None
        assert best is not None
        assert value >= best if name == "vertex_cover" else value <= best


def test_a_planted_set_is_found() -> None:
    graph = generate("rb-small", count=1, seed=5)
    # It uses up its limit, but has such a set after a small part of it.
    found = METHODS["online_mis"].run(PROBLEMS["mis"], graph, budget=5, seed=1)
    assert found.assignment is not None
    assert found.assignment.sum() >= graph.graph_data["planted_size"][0] - 1
