from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines.mean_field import anneal_and_decode
from annealco.graph.generators import generate
from annealco.problems import PROBLEMS
from tests.baselines.instances import solved_instances


@pytest.mark.parametrize("name", PROBLEMS)
def test_sets_are_feasible_and_the_seed_repeats_them(name: str) -> None:
    for problem, graph, _ in solved_instances(name, num_random=8, seed=1):
        instance = problem.declare(graph)
        first = anneal_and_decode(instance, seed=3, threads=1)
        assert problem.score(graph, np.flatnonzero(first).tolist()) is not None
        assert first.tolist() == anneal_and_decode(instance, seed=3, threads=1).tolist()


def test_it_is_at_least_what_the_paper_reports() -> None:
    graphs = generate("rb-small", count=30, seed=0)
    sizes = [anneal_and_decode(PROBLEMS["mis"].declare(graph), seed=0, threads=1).sum() for graph in graphs]
    assert np.mean(sizes / graphs.graph_data["planted_size"]) > 0.784
