import time

import pytest

from annealco._core import StopFlag
from annealco.graph.errors import InputError
from annealco.search.budget import MAX_CHUNK, Budget, Trace, spend


def test_moves_are_spent_exactly():
    chunks = []
    assert spend(Budget(moves=1000), lambda moves: chunks.append(moves) is None) == 1000
    assert sum(chunks) == 1000
    assert spend(Budget(moves=0), lambda moves: True) == 0


def test_seconds_are_kept_by_growing_and_shrinking_chunks():
    def run(moves):
        time.sleep(moves * 1e-5)
        return True

    started = time.perf_counter()
    spent = spend(Budget(seconds=0.2), run)
    assert spent > 1000
    assert 0.15 < time.perf_counter() - started < 0.6


def test_a_run_ends_when_it_says_so_or_is_stopped():
    assert spend(Budget(moves=10**9), lambda moves: False) <= 64
    stop = StopFlag()

    def run(moves):
        stop.set()
        return True

    assert spend(Budget(moves=10**9, stop=stop), run) <= 64


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


def test_time_that_has_passed_is_taken_off():
    assert Budget(seconds=2.0).after(0.5).seconds == 1.5
    assert Budget(seconds=2.0).after(5).seconds == 0.0
    assert Budget(moves=7).after(5) == Budget(moves=7)


def test_runs_that_ignore_how_many_moves_they_may_make_come_to_an_end():
    calls = []
    spent = spend(Budget(seconds=60), lambda moves: calls.append(moves) or len(calls) < 2000)
    assert len(calls) == 2000
    assert max(calls) == MAX_CHUNK
    assert spent == sum(calls)


def test_joined_traces_fall_over_time():
    one, other, both = Trace(), Trace(), Trace()
    for seconds, cost in ((0.1, 9.0), (0.3, 5.0), (0.5, 4.0)):
        one.record(cost, seconds)
    for seconds, cost in ((0.2, 6.0), (0.4, 5.0), (0.6, 1.0)):
        other.record(cost, seconds)
    both.join([one, other])
    assert both.points == [(0.1, 9.0), (0.2, 6.0), (0.3, 5.0), (0.5, 4.0), (0.6, 1.0)]
