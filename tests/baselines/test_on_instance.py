from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines import on_instance as module
from annealco.baselines.on_instance import on_instance
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.budgets import FAR
from tests.fake_clock import FakeClock


def test_a_function_of_the_instance_becomes_a_method(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, clock = [], FakeClock()
    monkeypatch.setattr(module, "time", clock)

    def find(instance, *, budget, seed, threads, moves):
        seen.append((instance.num_nodes, budget, seed, threads, moves))
        clock.now += 2
        return np.array([True, False, True])

    path = Graph.from_edges([[0, 1], [1, 2]])
    found = on_instance(find)(PROBLEMS["mis"], path, budget=FAR, seed=3, threads=4, start=np.zeros(3, bool))
    assert seen == [(3, FAR, 3, 4, None)]
    assert found.assignment is not None
    assert found.assignment.tolist() == [True, False, True]
    assert found.seconds == 2
    assert (found.bound, found.proven) == (None, False)
