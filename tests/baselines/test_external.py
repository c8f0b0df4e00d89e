from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines import external
from annealco.baselines.external import run_external
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.budgets import FAR
from tests.fake_clock import FakeClock

PATH = Graph.from_edges([[0, 1], [1, 2]])


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    clock = FakeClock()
    monkeypatch.setattr(external, "time", clock)
    return clock


def build(bits, clock: FakeClock):
    """Something that takes 5 seconds to write down and 2 to solve."""

    def solve(seconds, seed):
        clock.now += 2
        return bits

    def write(instance):
        clock.now += 5
        return solve

    return write


def test_building_is_not_timed_and_the_note_is_kept(clock: FakeClock) -> None:
    bits = np.array([True, False, True])
    found = run_external(build(bits, clock), PROBLEMS["mis"], PATH, budget=FAR, seed=0, note="beware")
    assert found.assignment is bits
    assert found.seconds == 2
    assert (found.note, found.bound, found.proven) == ("beware", None, False)


def test_nothing_is_said_to_be_nothing(clock: FakeClock) -> None:
    found = run_external(build(None, clock), PROBLEMS["mis"], PATH, budget=FAR, seed=0, note="beware")
    assert (found.assignment, found.note) == (None, "nothing feasible was found")
