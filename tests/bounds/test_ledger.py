import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from annealco._core import StopFlag
from annealco.bounds import Bound
from annealco.bounds import ledger as ledger_module
from annealco.bounds.certify import Slack
from annealco.bounds.ledger import QUICK_WORK, Ledger


def test_a_bound_is_a_value_and_how_it_was_proven():
    bound = Bound(3.0, "clique cover")
    assert bound == Bound(value=3.0, method="clique cover")
    with pytest.raises(FrozenInstanceError):
        bound.value = 2.0


class Watch:
    """A clock that stands still until it is told to go on."""

    now = 0.0

    def reading(self):
        return self.now


@pytest.fixture
def watch(monkeypatch):
    standing = Watch()
    monkeypatch.setattr(ledger_module, "now", standing.reading)
    return standing


def test_only_better_bounds_are_taken():
    ledger = Ledger(seconds=1)
    for cost, method in ((-3.0, "first"), (-5.0, "worse"), (-2.0, "better")):
        ledger.offer(cost, method)
    assert (ledger.cost, ledger.method) == (-2.0, "better")


def test_a_better_assignment_that_a_proof_comes_upon_is_the_target():
    ledger = Ledger(seconds=1, target=5.0, goal=4.5)
    worse, better, infeasible = (np.array([each, True]) for each in (False, True, False))
    ledger.discover(better)
    assert (ledger.found, ledger.target) == (None, 5.0)
    ledger.cost_of = lambda bits: {id(worse): 5.0, id(better): 3.0, id(infeasible): math.inf}[id(bits)]
    ledger.goal_of = lambda target: 0.9 * target
    for each in (worse, infeasible):
        ledger.discover(each)
        assert ledger.found is None
    ledger.discover(better)
    assert ledger.found is better
    assert (ledger.target, ledger.goal) == (3.0, 0.9 * 3.0)
    ledger.offer(2.8, "any")
    assert ledger.closed


def test_bounds_are_rounded_up_to_the_grid_of_costs():
    ledger = Ledger(seconds=1, step=2.0)
    ledger.offer(-4.9, "any")
    assert ledger.cost == -4.0


def test_bounds_without_a_grid_are_lowered_by_what_rounding_can_do():
    ledger = Ledger(seconds=1, slack=Slack(share=1e-13, constant=1e-11), target=101.0)
    ledger.offer(100.0, "any")
    assert 100 - 3e-11 < ledger.cost <= 100 - 2e-11
    assert not ledger.closed
    ledger.offer(101.0, "any")
    assert ledger.cost < 101.0
    assert ledger.closed


def test_a_bound_that_reaches_the_target_closes_the_ledger(watch):
    ledger = Ledger(seconds=10, target=5.0)
    ledger.offer(4.0, "any")
    assert not ledger.closed
    assert not ledger.settled
    ledger.offer(5.0 - 1e-12, "any")
    assert not ledger.closed
    ledger.offer(5.0, "any")
    assert ledger.closed
    assert ledger.settled


def test_a_goal_closes_the_ledger_before_the_target():
    ledger = Ledger(seconds=1, target=10.0, goal=7.4, step=1.0)
    ledger.offer(7.0, "any")
    assert not ledger.closed
    assert ledger.enough > 7.0
    ledger.offer(ledger.enough, "any")
    assert ledger.cost == 8.0
    assert ledger.closed


@pytest.mark.parametrize(
    "settings", [{"step": 1.0}, {"step": 0.25}, {"slack": Slack(share=1e-13)}, {"slack": Slack(constant=1e-11)}]
)
@pytest.mark.parametrize("target", [5.0, -5.0, 1e6])
def test_what_is_enough_closes_the_ledger(settings, target):
    ledger = Ledger(seconds=1, target=target, **settings)
    assert ledger.enough <= target
    ledger.offer(ledger.enough, "any")
    assert ledger.closed
    assert Ledger(seconds=1, **settings).enough == math.inf


def test_time_settles_a_ledger_and_can_be_allotted(watch):
    ledger = Ledger(seconds=100)
    watch.now = 10.0
    assert ledger.seconds_left == 90
    ledger.allot(0.5)
    assert ledger.seconds_left == 40
    watch.now = 50.0
    assert ledger.settled
    ledger.allot(1.0)
    assert not ledger.settled
    assert Ledger(seconds=0).settled


def test_a_context_shortens_the_time_and_gives_it_back(watch):
    ledger = Ledger(seconds=100)
    with ledger.within(10), ledger.within(50):
        assert ledger.seconds_left == 10
    with ledger.within(1000):
        assert ledger.seconds_left == 100
    assert ledger.seconds_left == 100


def test_no_time_is_left_once_stop_is_set(watch):
    stop = StopFlag()
    ledger = Ledger(seconds=100, stop=stop)
    clock = ledger.clock()
    assert not ledger.settled
    assert not clock.is_over
    assert ledger.stop is stop
    stop.set()
    assert ledger.seconds_left <= 0
    assert ledger.settled
    assert clock.is_over


def test_clocks_are_over_when_the_time_is(watch):
    ledger = Ledger(seconds=100)
    assert ledger.clock(0.0).is_over
    assert not ledger.clock(1000.0).is_over
    watch.now = 100.0
    assert ledger.clock().is_over
    assert ledger.quick_clock(QUICK_WORK + 1).is_over
    assert not ledger.quick_clock(QUICK_WORK).is_over


def test_no_time_at_all_asks_for_quick_bounds_that_a_stop_ends():
    stop = StopFlag()
    quick = Ledger(seconds=0.0, stop=stop)
    assert quick.is_quick
    assert quick.clock().is_over
    assert not quick.quick_clock(QUICK_WORK + 1).is_over
    stop.set()
    assert quick.quick_clock(QUICK_WORK + 1).is_over
    assert quick.quick_clock(0).is_over
    assert not Ledger(seconds=1e-9).is_quick
