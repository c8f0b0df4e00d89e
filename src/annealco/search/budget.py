"""Spend a budget of seconds or of moves on a compiled search, chunk by chunk.

A compiled search cannot look at the clock. It is called again and again for a number of moves, each chunk as long as a
few milliseconds take; its state lives in arrays, so that how a run is cut into chunks does not change what it does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from annealco._core import Clock, StopFlag
from annealco.graph.errors import InputError
from annealco.loading import now

FIRST_CHUNK = 64
CHUNK_SECONDS = 0.004
"""A search overstays its time by at most about one chunk."""

MAX_CHUNK = 2**40
"""What does not count its moves would let chunks grow without end."""


@dataclass(frozen=True)
class Budget:
    """How long to search: until the seconds or the moves are used up, whichever comes first.

    Attributes:
        seconds: wall-clock time, None for no limit.
        moves: number of moves, None for no limit; a run limited by moves alone is repeatable.
        stop: once it is set, by a signal handler say, the search ends with what it has.
    """

    seconds: float | None = None
    moves: int | None = None
    stop: StopFlag | None = None

    def __post_init__(self) -> None:
        if self.seconds is None and self.moves is None:
            raise InputError("a budget needs seconds or moves")
        if self.seconds is not None and not self.seconds >= 0:
            raise InputError(f"a budget of seconds must not be negative, it is {self.seconds}")
        if self.moves is not None and self.moves < 0:
            raise InputError(f"a budget of moves must not be negative, it is {self.moves}")

    def clock(self) -> Clock:
        """Return a clock for compiled work, whose time begins now."""
        return Clock(seconds=self.seconds, moves=self.moves, stop=self.stop)

    def after(self, seconds: float) -> Budget:
        """Return what is left when some seconds have passed."""
        return self if self.seconds is None else replace(self, seconds=max(0.0, self.seconds - seconds))


@dataclass
class Trace:
    """What a search had found when: costs fall from entry to entry.

    Attributes:
        started: clock reading at the start.
        points: (seconds since the start, cost).
    """

    started: float = field(default_factory=now)
    points: list[tuple[float, float]] = field(default_factory=list)

    def record(self, cost: float, seconds: float | None = None) -> None:
        """Add a point, of now unless said otherwise, where the cost is lower than all before."""
        if math.isfinite(cost) and (not self.points or cost < self.points[-1][1]):
            self.points.append((now() - self.started if seconds is None else seconds, cost))

    def follow(self, clock: Clock) -> None:
        """Add what compiled work has recorded on a clock."""
        began = now() - clock.elapsed - self.started
        for seconds, cost in clock.trace:
            self.record(cost, began + seconds)

    def join(self, traces: Iterable[Trace]) -> None:
        """Add what several searches had found when, all of which started with this one."""
        for seconds, cost in sorted(point for each in traces for point in each.points):
            self.record(cost, seconds)


def spend(budget: Budget, run: Callable[[int], bool], *, started: float | None = None) -> int:
    """Call ``run(moves)`` until the budget is used up or it returns False; return the moves spent.

    Args:
        budget: what may be spent.
        run: makes up to so many moves, and says whether to go on.
        started: clock reading from which seconds count; now by default.
    """
    begin = now() if started is None else started
    deadline = math.inf if budget.seconds is None else begin + budget.seconds
    left = math.inf if budget.moves is None else budget.moves
    chunk, spent = FIRST_CHUNK, 0
    while left > 0 and (reading := now()) < deadline and not (budget.stop and budget.stop.is_set()):
        moves = int(min(chunk, left))
        go_on = run(moves)
        spent, left = spent + moves, left - moves
        if not go_on:
            break
        took = max(now() - reading, 1e-7)
        # A chunk may grow at most fourfold, so that one lucky measurement cannot overstay the deadline.
        fitting = chunk * min(CHUNK_SECONDS, max(deadline - reading - took, 0.0)) / took
        chunk = int(max(1, min(4 * chunk, fitting, MAX_CHUNK)))
    return spent
