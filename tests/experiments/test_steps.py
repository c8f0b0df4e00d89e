from __future__ import annotations

from functools import partial

import pytest

from annealco.experiments.steps import STARTUP, Step, run_steps, time_left


def test_every_line_tells_the_step_and_the_time_left() -> None:
    now: list[float] = [100.0]
    said: list[str] = []

    def work(seconds: float) -> None:
        now[0] += seconds

    # The guess is half of the truth, also for loading packages, which the first step does.
    seconds = [2 * (STARTUP + 10.0), 20.0, 20.0]
    steps = [Step(f"step {number}", 10.0, partial(work, each)) for number, each in enumerate(seconds)]
    run_steps(steps, tell=said.append, clock=lambda: now[0])
    assert said == [
        "1/3 step 0, about 40 s left",
        "2/3 step 1, about 40 s left",
        "3/3 step 2, about 20 s left",
    ]


def test_guesses_are_corrected_by_the_speed_so_far() -> None:
    assert time_left(spent=0.0, done=0.0, total=100.0) == 100.0
    assert time_left(spent=50.0, done=25.0, total=100.0) == 150.0
    assert time_left(spent=0.0, done=0.0, total=0.0) == 0.0


def test_an_error_ends_the_steps() -> None:
    done = []

    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_steps([Step("a", 1, fail), Step("b", 1, lambda: done.append("b"))], tell=lambda _: None)
    assert not done
