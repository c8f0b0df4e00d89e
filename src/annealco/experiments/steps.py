"""Do one long step after the other, and say before each how much time is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from annealco.terminal import in_words, say

STARTUP = 10.0
"""Seconds for loading packages in the first step, beside its work."""


class Step(NamedTuple):
    """Something that takes a while and can be done again at no cost once it is done.

    Attributes:
        what: a few words for people.
        guess: seconds that it may take; only its size beside those of other steps matters in the end.
        work: does it.
    """

    what: str
    guess: float
    work: Callable[[], object]


def run_steps(
    steps: Sequence[Step], *, tell: Callable[[str], None] = say, clock: Callable[[], float] = time.monotonic
) -> None:
    """Do all steps in their order.

    Args:
        steps: what to do.
        tell: prints a line.
        clock: seconds since some moment.
    """
    begun = clock()
    total, done = STARTUP + sum(step.guess for step in steps), 0.0
    for number, step in enumerate(steps, start=1):
        left = time_left(spent=clock() - begun, done=done, total=total)
        tell(f"{number}/{len(steps)} {step.what}, about {in_words(left)} left")
        step.work()
        done += step.guess + (STARTUP if number == 1 else 0.0)


def time_left(*, spent: float, done: float, total: float) -> float:
    """Return the seconds left: the guess, corrected by how true it was so far.

    Example:
        >>> time_left(spent=0.0, done=0.0, total=60.0), time_left(spent=40.0, done=20.0, total=60.0)
        (60.0, 80.0)
    """
    return (total - done) * (spent / done if done else 1.0)
