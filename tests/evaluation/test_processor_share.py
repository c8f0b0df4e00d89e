from __future__ import annotations

import time

import pytest

from annealco.baselines import Outcome
from annealco.evaluation.processor_share import TRIES, Processor, run_for_cpu


class Slow:
    """Something that uses half of the time that it is given, or none."""

    def __init__(self, *, ends_by_itself: bool = False, part: float = 0.5) -> None:
        self.given, self.ends_by_itself, self.part = [], ends_by_itself, part

    def __call__(self, budget: float) -> Outcome:
        self.given.append(budget)
        begun = time.process_time()
        while time.process_time() - begun < budget * self.part:
            pass
        return Outcome(None, seconds=0.0 if self.ends_by_itself else budget)


def test_a_limit_is_stretched_until_the_cpu_seconds_are_what_it_says() -> None:
    slow, processor = Slow(), Processor()
    _, cpu, budget = run_for_cpu(slow, 0.05, processor=processor)
    assert slow.given[0] == 0.05
    assert len(slow.given) == 2
    assert budget == pytest.approx(0.1, rel=0.2)
    assert cpu == pytest.approx(0.05, rel=0.2)
    assert processor.share == pytest.approx(0.5, rel=0.2)
    # The next one profits from what was learned.
    run_for_cpu(slow, 0.05, processor=processor)
    assert len(slow.given) == 3


def test_what_ends_by_itself_is_not_run_again() -> None:
    quick = Slow(ends_by_itself=True)
    run_for_cpu(quick, 0.05, processor=Processor())
    assert quick.given == [0.05]


def test_tries_are_counted() -> None:
    idle = Slow(part=0.0)
    _, _, budget = run_for_cpu(idle, 0.01, processor=Processor())
    assert len(idle.given) == TRIES
    assert budget == idle.given[-1]
