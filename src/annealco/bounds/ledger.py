"""What is proven: a number that no feasible assignment beats, and how it was found.

Keep the best bound found so far, and the clock that says how long to go on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from annealco._core import Clock, StopFlag
from annealco.bounds.certify import EXACT, Slack, ceil_to_grid
from annealco.clock import now


@dataclass(frozen=True)
class Bound:
    """A proven bound on the best value.

    Attributes:
        value: in the user's sense: no feasible assignment has a larger value where that is maximised, or a smaller one
            where it is minimised.
        method: what proved it, in a few words.
    """

    value: float
    method: str


MARGIN = 1e-3
"""A cost that is above the next lower step by this share of it is certain to be rounded up to the target."""


class Ledger:
    """The best lower bound on the least cost, until time is up, the bound meets the target or a caller says stop.

    Args:
        seconds: how long from now.
        target: cost of the best known assignment; inf where none is known.
        step: every cost is a multiple of it, so that bounds are rounded up to the next one; 0 where there is none.
        slack: of computed costs; bounds are lowered by it, so that no computed cost is below them.
        stop: once it is set, no time is left.

    Attributes:
        cost: the best bound, -inf before the first.
        method: what proved it.
    """

    def __init__(
        self,
        *,
        seconds: float,
        target: float = math.inf,
        step: float = 0.0,
        slack: Slack = EXACT,
        stop: StopFlag | None = None,
    ) -> None:
        self._started, self._seconds = now(), seconds
        self._deadline = self._started + seconds
        self._stop = stop
        self.target = target
        self.step = step
        self.slack = slack
        self.cost = -math.inf
        self.method = ""

    def allot(self, share: float) -> None:
        """Let the time be up when this share of all of it has passed."""
        self._deadline = self._started + share * self._seconds

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Let the time be up after so many seconds from now, if it is not up before, while the context lasts."""
        before = self._deadline
        self._deadline = min(before, now() + seconds)
        try:
            yield
        finally:
            self._deadline = before

    def offer(self, cost: float, method: str) -> None:
        """Take a proven lower bound, if it is better than those before."""
        slack = self.slack.at(cost) if math.isfinite(cost) else 0.0
        rounded = ceil_to_grid(math.nextafter(cost - slack, -math.inf) if slack > 0 else cost, self.step)
        if rounded > self.cost:
            self.cost, self.method = rounded, method

    @property
    def is_quick(self) -> bool:
        """Whether only the quick bounds are wanted, which are then worked out to their end."""
        return self._seconds == 0

    @property
    def stop(self) -> StopFlag | None:
        """The flag by which a caller says stop, if there is one."""
        return self._stop

    @property
    def enough(self) -> float:
        """A cost that closes the ledger, up to rounding, once it is offered; inf where no target is known."""
        if not math.isfinite(self.target):
            return math.inf
        return self.target - max((1 - MARGIN) * self.step, self.slack.excused(self.target) / 2)

    @property
    def closed(self) -> bool:
        """Whether the bound has reached the target, so that nothing better can be proven."""
        return math.isfinite(self.target) and self.cost >= self.target - self.slack.excused(self.target)

    @property
    def settled(self) -> bool:
        """Whether to stop: closed, or out of time."""
        return self.closed or self.seconds_left <= 0

    @property
    def seconds_left(self) -> float:
        """Seconds until the time is up; 0 or less once it is, and at once when a caller has said stop."""
        left = self._deadline - now()
        return min(left, 0.0) if self._stop is not None and self._stop.is_set() else left

    def clock(self, seconds: float = math.inf) -> Clock:
        """Return a clock for compiled work: over when the time is up, after so many seconds, or at a stop."""
        return Clock(seconds=max(0.0, min(seconds, self.seconds_left)), stop=self._stop)

    def quick_clock(self) -> Clock:
        """Return a clock for a quick bound: with no time at all, one that a stop alone ends."""
        return Clock(stop=self._stop) if self.is_quick else self.clock()
