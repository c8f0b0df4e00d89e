from __future__ import annotations

import time

import numpy as np

from annealco.baselines.external import run_external
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS

PATH = Graph.from_edges([[0, 1], [1, 2]])


def build(bits):
    def write(instance):
        time.sleep(0.05)
        return lambda seconds, seed: bits

    return write


def test_building_is_not_timed_and_the_note_is_kept() -> None:
    bits = np.array([True, False, True])
    found = run_external(build(bits), PROBLEMS["mis"], PATH, budget=1.0, seed=0, note="beware")
    assert found.assignment is bits
    assert found.seconds < 0.04
    assert (found.note, found.bound, found.proven) == ("beware", None, False)


def test_nothing_is_said_to_be_nothing() -> None:
    found = run_external(build(None), PROBLEMS["mis"], PATH, budget=1.0, seed=0, note="beware")
    assert (found.assignment, found.note) == (None, "nothing feasible was found")
