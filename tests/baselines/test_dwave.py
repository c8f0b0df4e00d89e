from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines.external.dwave import _better, build
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.baselines.instances import solved_instances

PATH = PROBLEMS["mis"].declare(Graph.from_edges([[0, 1], [1, 2]]))


@pytest.mark.parametrize("name", ["mis", "clique", "vertex_cover", "max_cut"])
def test_small_optima_are_found(name: str) -> None:
    pytest.importorskip("dwave.samplers")
    for problem, graph, best in solved_instances(name, num_random=10, seed=3):
        if graph.num_edges and graph.num_nodes > 2:
            found = build(problem.declare(graph))(0.05, 1)
            assert found is not None
            assert problem.score(graph, np.flatnonzero(found).tolist()) == pytest.approx(best)


def test_only_feasible_and_better_samples_are_kept() -> None:
    one, two, joined = np.array([True, False, False]), np.array([True, False, True]), np.ones(3, bool)
    assert _better(PATH, None, joined) is None
    assert _better(PATH, one, joined) is one
    assert _better(PATH, one, two) is two
    assert _better(PATH, two, one) is two
