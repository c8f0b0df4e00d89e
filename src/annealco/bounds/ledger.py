"""Keep the best bound found so far, and the clock that says how long to go on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from annealco.bounds.rounding import ceil_to_grid

CHUNK_SECONDS = 0.004
"""Compiled work cannot look at the clock; it runs in chunks of about this length."""

CLOSE = 1e-9
"""A bound this close to the target, relative to its size, has reached it: what is left is rounding."""


class Ledger:
    """The best lower bound on the least cost, until time is up or the bound meets the target.

    Args:
        seconds: how long from now.
        target: cost of the best known assignment; inf where none is known.
        step: every cost is a multiple of it, so that bounds are rounded up to the next one; 0 where there is none.

    Attributes:
        cost: the best bound, -inf before the first.
        method: what proved it.
    """

    def __init__(self, *, seconds: float, target: float = math.inf, step: float = 0.0) -> None:
        self._started, self._seconds = time.perf_counter(), seconds
        self.deadline = self._started + seconds
        self.target = target
        self.step = step
        self.cost = -math.inf
        self.method = ""

    def allot(self, share: float) -> None:
        """Let the time be up when this share of all of it has passed."""
        self.deadline = self._started + share * self._seconds

    def offer(self, cost: float, method: str) -> None:
        """Take a proven lower bound, if it is better than those before."""
        rounded = ceil_to_grid(cost, self.step)
        if rounded > self.cost:
            self.cost, self.method = rounded, method

    @property
    def closed(self) -> bool:
        """Whether the bound has reached the target, so that nothing better can be proven."""
        return self.cost >= self.target - CLOSE * max(1.0, abs(self.target))

    @property
    def settled(self) -> bool:
        """Whether to stop: closed, or out of time."""
        return self.closed or self.seconds_left <= 0

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.perf_counter()

    def spend(self, run: Callable[[int], int], *, seconds: float = math.inf) -> None:
        """Call ``run(amount)`` in chunks until it returns 0, the ledger is settled or the seconds are used up.

        Args:
            run: does up to so much work and returns how much it did, 0 where there is no more to do.
            seconds: how long at most, from now.
        """
        until = min(self.deadline, time.perf_counter() + seconds)
        chunk = 1
        while not self.closed and (now := time.perf_counter()) < until and (done := run(chunk)) > 0:
            took = max(time.perf_counter() - now, 1e-7)
            allowed = min(CHUNK_SECONDS, max(until - now - took, 0.0))
            # A chunk may grow at most fourfold, so that one lucky measurement cannot overstay.
            chunk = max(1, min(4 * done, int(done * allowed / took)))
