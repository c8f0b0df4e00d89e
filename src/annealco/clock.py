"""How long work may take, and when a search had found what.

The clock stands still while packages are imported: a new process that solves one small graph should import no more than
it needs, and what it imports late, SciPy above all, takes as long as many searches. So loading is on no time limit.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, TypeVar

from annealco._core import Clock, Patience, StopFlag
from annealco.errors import InputError

Result = TypeVar("Result")

LOOK_SECONDS = 0.02
"""How often a thread that waits for another one wakes, so that the main thread answers signals."""

_lock = threading.RLock()
_spent = 0.0


def now() -> float:
    """Return a clock reading in seconds, without the time that imports by `load` have taken."""
    return time.perf_counter() - _spent


def load(name: str) -> Any:
    """Import a module by its full name, off the clock."""
    global _spent  # noqa: PLW0603 (a clock is one for all)
    if name in sys.modules:
        return sys.modules[name]
    with _lock:
        began, before = time.perf_counter(), _spent
        module = import_module(name)
        # What it has loaded itself in this way is counted already.
        _spent += time.perf_counter() - began - (_spent - before)
    return module


def wait_for(call: Callable[[], Result], patience: float) -> Future[Result]:
    """Run a call in a thread of its own, and return once it has ended or so many seconds have passed.

    A call that has not ended goes on: nothing can end it but itself. It does not keep the process from ending.

    Example:
        >>> wait_for(lambda: 3, 60.0).result()
        3
    """
    task: Future[Result] = Future()

    def run() -> None:
        try:
            task.set_result(call())
        except BaseException as error:  # noqa: BLE001 (whoever waits gets it, whatever it is)
            task.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    until = time.monotonic() + patience
    # The main thread answers signals between two looks.
    while not task.done() and (left := until - time.monotonic()) > 0:
        wait([task], timeout=min(left, LOOK_SECONDS))
    return task


@dataclass(frozen=True)
class Budget:
    """How long to search: until the seconds or the moves are used up, whichever comes first.

    Attributes:
        seconds: wall-clock time, None for no limit.
        moves: number of moves, None for no limit; a run limited by moves alone is repeatable.
        stop: once it is set, by a signal handler say, the search ends with what it has.
        patience: how long the search may go on in vain; clocks of one budget after the other go on counting.
    """

    seconds: float | None = None
    moves: int | None = None
    stop: StopFlag | None = None
    patience: Patience | None = None

    def __post_init__(self) -> None:
        if self.seconds is None and self.moves is None:
            raise InputError("a budget needs seconds or moves")
        if self.seconds is not None and not self.seconds >= 0:
            raise InputError(f"a budget of seconds must not be negative, it is {self.seconds}")
        if self.moves is not None and self.moves < 0:
            raise InputError(f"a budget of moves must not be negative, it is {self.moves}")

    def clock(self) -> Clock:
        """Return a clock for compiled work, whose time begins now."""
        return Clock(seconds=self.seconds, moves=self.moves, stop=self.stop, patience=self.patience)

    def after(self, seconds: float) -> Budget:
        """Return what is left when some seconds have passed."""
        return self if self.seconds is None else replace(self, seconds=max(0.0, self.seconds - seconds))


@dataclass
class Trace:
    """What a search had found when: costs fall from entry to entry, and seconds never do.

    Attributes:
        started: clock reading at the start.
        points: (seconds since the start, cost).
    """

    started: float = field(default_factory=now)
    points: list[tuple[float, float]] = field(default_factory=list)

    def record(self, cost: float, seconds: float | None = None) -> None:
        """Add a point, of now unless said otherwise, where the cost is lower than all before."""
        if math.isfinite(cost) and (not self.points or cost < self.points[-1][1]):
            # The clock of compiled work does not stand still with this one, so that its readings may lie before these.
            least = self.points[-1][0] if self.points else 0.0
            self.points.append((max(least, now() - self.started if seconds is None else seconds), cost))

    def follow(self, clock: Clock, *, constant: float = 0.0) -> None:
        """Add what compiled work has recorded on a clock, and to each cost a constant."""
        began = now() - clock.elapsed - self.started
        for seconds, cost in clock.trace:
            self.record(cost + constant, began + seconds)

    def join(self, traces: Iterable[Trace]) -> None:
        """Add what several searches had found when, all of which started with this one."""
        for seconds, cost in sorted(point for each in traces for point in each.points):
            self.record(cost, seconds)
