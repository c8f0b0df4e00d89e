import time

from annealco._core import StopFlag
from annealco.bounds.ledger import Ledger
from annealco.bounds.slack import Slack


def test_only_better_bounds_are_taken():
    ledger = Ledger(seconds=1)
    for cost, method in ((-3.0, "first"), (-5.0, "worse"), (-2.0, "better")):
        ledger.offer(cost, method)
    assert (ledger.cost, ledger.method) == (-2.0, "better")


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


def test_a_bound_that_reaches_the_target_closes_the_ledger():
    ledger = Ledger(seconds=10, target=5.0)
    ledger.offer(4.0, "any")
    assert not ledger.closed
    assert not ledger.settled
    ledger.offer(5.0 - 1e-12, "any")
    assert not ledger.closed
    ledger.offer(5.0, "any")
    assert ledger.closed
    assert ledger.settled


def test_time_settles_a_ledger_and_can_be_allotted():
    ledger = Ledger(seconds=100)
    assert 99 < ledger.seconds_left <= 100
    ledger.allot(0.5)
    assert 49 < ledger.seconds_left <= 50
    assert Ledger(seconds=0).settled


def test_spending_keeps_to_the_time():
    ledger, done = Ledger(seconds=0.3), []

    def run(amount):
        time.sleep(amount * 2e-5)
        done.append(amount)
        return amount

    started = time.perf_counter()
    ledger.spend(run, seconds=0.1)
    assert 0.09 < time.perf_counter() - started < 0.2
    assert sum(done) > 100
    ledger.spend(run)
    assert 0.29 < time.perf_counter() - started < 0.4


def test_spending_ends_when_there_is_no_more_to_do_or_the_ledger_is_closed():
    calls = []
    Ledger(seconds=10).spend(lambda amount: calls.append(amount) or 0)
    assert calls == [1]
    ledger = Ledger(seconds=10, target=1.0)

    def prove(amount):
        ledger.offer(1.0, "any")
        return amount

    ledger.spend(prove)
    assert ledger.closed


def test_a_context_shortens_the_time_and_gives_it_back():
    ledger = Ledger(seconds=100)
    with ledger.within(10), ledger.within(50):
        assert 9 < ledger.seconds_left <= 10
    assert 99 < ledger.seconds_left <= 100


def test_no_time_is_left_once_stop_is_set():
    stop = StopFlag()
    ledger = Ledger(seconds=100, stop=stop)
    assert not ledger.settled

    def run(amount):
        stop.set()
        return amount

    started = time.perf_counter()
    ledger.spend(run)
    assert time.perf_counter() - started < 1
    assert ledger.seconds_left <= 0
    assert ledger.settled


def test_a_long_unit_of_work_is_not_begun_where_it_does_not_fit():
    calls = []

    def run(amount):
        calls.append(amount)
        time.sleep(0.06)
        return 1

    Ledger(seconds=0.1).spend(run)
    assert calls == [1]


def test_no_time_at_all_asks_for_quick_bounds():
    assert Ledger(seconds=0.0).is_quick
    assert not Ledger(seconds=1e-9).is_quick
