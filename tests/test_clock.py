"""Imports are not on the clock."""

import math
import sys

import pytest

from annealco._core import StopFlag
from annealco.clock import Budget, Trace, load, now
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.search.tabu import TabuSearch

SLOW = """
import annealco.clock
for _ in range(100_000):
    pass
inner = annealco.clock.load("{inner}")
"""


def test_a_module_is_loaded_once_and_is_what_import_gives(tmp_path, monkeypatch):
    (tmp_path / "loaded_outside.py").write_text(SLOW.format(inner="loaded_inside"))
    (tmp_path / "loaded_inside.py").write_text("value = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    outside = load("loaded_outside")
    assert outside.inner.value == 3
    assert load("loaded_outside") is outside is sys.modules["loaded_outside"]


def test_the_clock_stands_still_while_modules_are_loaded(tmp_path, monkeypatch):
    readings = iter([10.0, 10.5, 14.0, 15.0, 15.0])
    monkeypatch.setattr("annealco.clock._spent", 0.0)
    monkeypatch.setattr("annealco.clock.time.perf_counter", lambda: next(readings))
    (tmp_path / "loaded_late.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert now() == 10.0
    load("loaded_late")  # From 10.5 to 14.
    assert now() == 11.5
    load("loaded_late")
    assert now() == 11.5


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({}, "needs seconds or moves"),
        ({"seconds": -1}, "seconds must not be negative"),
        ({"seconds": float("nan")}, "seconds must not be negative"),
        ({"moves": -1}, "moves must not be negative"),
    ],
)
def test_impossible_budgets_are_refused(arguments, rule):
    with pytest.raises(InputError, match=rule):
        Budget(**arguments)


def test_a_trace_only_falls():
    trace = Trace()
    for cost in (5.0, float("inf"), 7.0, 4.0, 4.0, 1.0):
        trace.record(cost)
    assert [cost for _, cost in trace.points] == [5.0, 4.0, 1.0]
    assert all(left[0] <= right[0] for left, right in zip(trace.points, trace.points[1:], strict=False))
    trace.record(0.5, 9.0)
    assert trace.points[-1] == (9.0, 0.5)


def test_the_seconds_of_a_trace_neither_fall_nor_are_negative():
    """The clock of compiled work goes on while this one stands still, as during an import."""
    trace = Trace()
    for cost, seconds in ((5.0, -0.25), (4.0, 0.5), (3.0, 0.25), (2.0, 0.75)):
        trace.record(cost, seconds)
    assert trace.points == [(0.0, 5.0), (0.5, 4.0), (0.5, 3.0), (0.75, 2.0)]


def test_time_that_has_passed_is_taken_off():
    assert Budget(seconds=20.0).after(5).seconds == 15.0
    assert Budget(seconds=20.0).after(50).seconds == 0.0
    assert Budget(moves=7).after(5) == Budget(moves=7)


def test_a_clock_has_the_limits_of_its_budget_and_a_trace_follows_it():
    stop = StopFlag()
    clock = Budget(moves=7, stop=stop).clock()
    assert not clock.is_over
    stop.set()
    assert clock.is_over
    assert Budget(seconds=0).clock().is_over
    graph = Graph.from_edges([[0, 1], [1, 2]], 3)
    search, trace, clock = TabuSearch(PROBLEMS["cut"].declare(graph), [0, 0, 0], 0), Trace(), Budget(moves=50).clock()
    _, cost = search.core.run(clock, -math.inf)
    trace.follow(clock)
    assert [cost for _, cost in trace.points] == [cost for _, cost in clock.trace]
    assert trace.points[-1][1] == cost
    assert 0 <= trace.points[0][0] <= trace.points[-1][0]


def test_joined_traces_fall_over_time():
    one, other, both = Trace(), Trace(), Trace()
    for seconds, cost in ((0.1, 9.0), (0.3, 5.0), (0.5, 4.0)):
        one.record(cost, seconds)
    for seconds, cost in ((0.2, 6.0), (0.4, 5.0), (0.6, 1.0)):
        other.record(cost, seconds)
    both.join([one, other])
    assert both.points == [(0.1, 9.0), (0.2, 6.0), (0.3, 5.0), (0.5, 4.0), (0.6, 1.0)]
