from __future__ import annotations

import pytest

from annealco.baselines import Outcome
from annealco.evaluation import processor_share
from annealco.evaluation.processor_share import TRIES, Processor, run_for_cpu
from tests.fake_clock import FakeClock


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    clock = FakeClock()
    monkeypatch.setattr(processor_share, "time", clock)
    return clock


class Slow:
    """Something that uses half of the time that it is given, or none."""

    def __init__(self, clock: FakeClock, *, ends_by_itself: bool = False, part: float = 0.5) -> None:
        self.clock, self.given, self.ends_by_itself, self.part = clock, [], ends_by_itself, part

    def __call__(self, budget: float) -> Outcome:
        self.given.append(budget)
        self.clock.now += budget * self.part
        return Outcome(None, seconds=0.0 if self.ends_by_itself else budget)


def test_a_limit_is_stretched_until_the_cpu_seconds_are_what_it_says(clock: FakeClock) -> None:
    slow, processor = Slow(clock), Processor()
    _, cpu, budget = run_for_cpu(slow, 8.0, processor=processor)
    assert slow.given == [8.0, 16.0]
    assert (budget, cpu, processor.share) == (16.0, 8.0, 0.5)
    # The next one profits from what was learned.
    run_for_cpu(slow, 8.0, processor=processor)
    assert slow.given == [8.0, 16.0, 16.0]


def test_what_ends_by_itself_is_not_run_again(clock: FakeClock) -> None:
    quick = Slow(clock, ends_by_itself=True)
    run_for_cpu(quick, 8.0, processor=Processor())
    assert quick.given == [8.0]


def test_tries_are_counted(clock: FakeClock) -> None:
    idle = Slow(clock, part=0.0)
    _, _, budget = run_for_cpu(idle, 8.0, processor=Processor())
    assert len(idle.given) == TRIES
    assert budget == idle.given[-1]
