from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines.greedy import fixed, updated
from annealco.energy import Instance, Range
from annealco.graph.errors import InputError
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.solving import solve
from tests.baselines.instances import solved_instances

COUNT = 100


def ratio(name: str, graph: Graph, chosen) -> float:
    value = PROBLEMS[name].score(graph, np.flatnonzero(chosen).tolist())
    assert value is not None
    return value / float(graph.graph_data["planted_size"][0])


@pytest.mark.parametrize("name", ["mis", "clique"])
def test_ratios_on_forced_graphs_are_the_known_ones(name: str) -> None:
    graphs = generate("rb-small" if name == "mis" else "rb-small-complement", count=COUNT, seed=0)
    instances = [(graph, PROBLEMS[name].declare(graph)) for graph in graphs]
    assert np.mean([ratio(name, graph, fixed(each)) for graph, each in instances]) == pytest.approx(0.782, abs=0.03)
    assert np.mean([ratio(name, graph, updated(each)) for graph, each in instances]) == pytest.approx(0.861, abs=0.03)


def test_set_cover_is_near_what_is_known_and_the_fixed_order_near_the_paper_s() -> None:
    graphs = generate("ba-small", count=50, seed=0)
    instances = [PROBLEMS["mds"].declare(graph) for graph in graphs]
    best = np.array([each.value for each in solve(list(graphs), "mds", moves=20_000, time_limit=5, bound=False)])
    weak = np.mean(best / [fixed(each).sum() for each in instances])
    strong = np.mean(best / [updated(each).sum() for each in instances])
    assert strong == pytest.approx(0.926, abs=0.02)
    assert weak == pytest.approx(0.743, abs=0.03)


@pytest.mark.parametrize("name", PROBLEMS)
def test_sets_are_feasible_and_no_better_than_the_best(name: str) -> None:
    for problem, graph, best in solved_instances(name, num_random=25, seed=2):
        sign = 1 if problem.sense == "max" else -1
        value = problem.score(graph, np.flatnonzero(updated(problem.declare(graph))).tolist())
        assert value is not None
        assert sign * value <= sign * best + 1e-9


def test_a_fixed_order_is_for_packings_and_coverings() -> None:
    for name in ("vertex_cover", "mds", "mis", "clique"):
        for graph in small_graphs(np.random.default_rng(1), num_random=5):
            assert (
                PROBLEMS[name].score(graph, np.flatnonzero(fixed(PROBLEMS[name].declare(graph))).tolist()) is not None
            )
    square = Graph.from_edges([[0, 1, 2, 0], [1, 2, 3, 3]])
    with pytest.raises(
        InputError, match="fixed greedy order is for packings and coverings, this instance is quadratic"
    ):
        fixed(PROBLEMS["max_cut"].declare(square))
    ptr = np.array([0, 1])
    with pytest.raises(InputError, match="greedy has no rule for these terms"):
        updated(Instance(ptr, (Range(ptr, np.ones(1), np.zeros(1), np.ones(1), np.ones(1)),)))
