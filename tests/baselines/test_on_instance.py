from __future__ import annotations

import time

import numpy as np

from annealco.baselines.on_instance import on_instance
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS


def test_a_function_of_the_instance_becomes_a_method() -> None:
    seen = []

    def find(instance, *, budget, seed, threads, moves):
        seen.append((instance.num_nodes, budget, seed, threads, moves))
        time.sleep(0.01)
        return np.array([True, False, True])

    path = Graph.from_edges([[0, 1], [1, 2]])
    found = on_instance(find)(PROBLEMS["mis"], path, budget=2.0, seed=3, threads=4, start=np.zeros(3, bool))
    assert seen == [(3, 2.0, 3, 4, None)]
    assert found.assignment is not None
    assert found.assignment.tolist() == [True, False, True]
    assert found.seconds >= 0.01
    assert (found.bound, found.proven) == (None, False)
