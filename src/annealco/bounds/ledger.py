"""What is proven so far, and what can prove something: a `BoundKind` says which instances it takes, and offers bounds.

A `Ledger` keeps the best bound that was offered, and the clock that says how long to go on. All of it is in terms of
costs, which are minimised whatever the sense of an instance; `annealco.bounds.prove` turns the best into a `Bound`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Real
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from annealco._core import Clock, StopFlag
from annealco.bounds.certify import EXACT, Slack, ceil_to_grid
from annealco.clock import now
from annealco.energy import Instance
from annealco.energy.structure import Structure
from annealco.errors import InputError
from annealco.registry import check_declared


@dataclass(frozen=True)
class Bound:
    """A proven bound on the best value.

    Attributes:
        value: in the user's sense: no feasible assignment has a larger value where that is maximised, or a smaller one
            where it is minimised.
        method: what proved it, in a few words.
        assignment: [num_nodes] a feasible one that is better than what was known, where the proof came upon one.
    """

    value: float
    method: str
    assignment: NDArray[np.bool_] | None = field(default=None, compare=False, repr=False)


MARGIN = 1e-3
"""A cost that is above the next lower step by this share of it is certain to be rounded up to the target."""

QUICK_WORK = 50_000
"""Numbers that a greedy bound goes through in a millisecond or two."""


class Ledger:
    """The best lower bound on the least cost, until time is up, nothing better can be proven or a caller says stop.

    Args:
        seconds: how long from now.
        target: cost of the best known assignment; inf where none is known.
        goal: a bound from which on nothing better is wanted; the target where it is None.
        step: every cost is a multiple of it, so that bounds are rounded up to the next one; 0 where there is none.
        slack: of computed costs; bounds are lowered by it, so that no computed cost is below them.
        stop: once it is set, no time is left.

    Attributes:
        cost: the best bound, -inf before the first.
        method: what proved it.
        complete: whether the best bound is known to be the least cost itself.
        cost_of: gives the cost of an assignment [num_nodes], inf where it is not feasible; without it, none is taken.
        goal_of: gives the goal for the cost of the best known assignment, where a gap is allowed.
        found: [num_nodes] the best assignment that a proof came upon, None where none is better than what is known.
    """

    def __init__(
        self,
        *,
        seconds: float,
        target: float = math.inf,
        goal: float | None = None,
        step: float = 0.0,
        slack: Slack = EXACT,
        stop: StopFlag | None = None,
    ) -> None:
        self._started, self._seconds = now(), seconds
        self._deadline = self._started + seconds
        self._stop = stop
        self.target = target
        self.goal = goal
        self.step = step
        self.slack = slack
        self.cost = -math.inf
        self.method = ""
        self.complete = False
        self.cost_of: Callable[[NDArray[np.bool_]], float] | None = None
        self.goal_of: Callable[[float], float] | None = None
        self.found: NDArray[np.bool_] | None = None

    def discover(self, assignment: NDArray[np.bool_]) -> None:
        """Take an assignment [num_nodes] that a proof came upon: if it is feasible and cheaper, it is the target."""
        if self.cost_of is None or not (cost := self.cost_of(assignment)) < self.target:
            return
        self.found, self.target = assignment, cost
        if self.goal_of is not None:
            self.goal = self.goal_of(cost)

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

    def offer(self, cost: float, method: str, *, complete: bool = False) -> None:
        """Take a proven lower bound, if it is better than those before.

        Args:
            cost: no feasible assignment costs less; −inf says nothing.
            method: what proved it, in a few words.
            complete: whether some feasible assignment costs just that, so that nothing better can be proven.

        Raises:
            InputError: for what is no number, for NaN, and for inf, which would say that nothing is feasible.
        """
        if not _is_below_infinity(cost):
            raise InputError(f"a bound must be a number, {method or 'a bound'} offers {cost!r:.40}")
        self.complete |= complete
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
        if not math.isfinite(self._wanted):
            return math.inf
        wanted = ceil_to_grid(self._wanted, self.step)
        return wanted - max((1 - MARGIN) * self.step, self.slack.excused(wanted) / 2)

    @property
    def closed(self) -> bool:
        """Whether nothing better can be proven or is wanted: the goal is reached, or the bound is the least cost."""
        return self.complete or self._has_reached_goal

    @property
    def _wanted(self) -> float:
        return self.target if self.goal is None else self.goal

    @property
    def _has_reached_goal(self) -> bool:
        return math.isfinite(self._wanted) and self.cost >= self._wanted - self.slack.excused(self._wanted)

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

    def quick_clock(self, work: int) -> Clock:
        """Return a clock for a quick bound, which a stop alone ends if there is no time at all or little work.

        A bound that takes a millisecond is worked out however late it is: without it, nothing better than the sum of
        all gains would be known.

        Args:
            work: how many numbers the bound goes through.
        """
        return Clock(stop=self._stop) if self.is_quick or work <= QUICK_WORK else self.clock()


def _is_below_infinity(cost: object) -> bool:
    """Tell whether something is a number, but neither NaN nor inf; a bound of a user's own may offer anything."""
    return isinstance(cost, Real) and float(cost) < math.inf


class Prove(Protocol):
    """Offer bounds on the cost of an instance of one graph, until the ledger is settled or nothing is left to try."""

    def __call__(self, instance: Instance, ledger: Ledger, *, seed: int) -> None: ...


@dataclass(frozen=True)
class BoundKind:
    """A way to prove bounds.

    Attributes:
        name: what users type.
        title: what it is, in a few words.
        takes: whether it can prove something about an instance of one graph, by the structure of its terms.
        prove: ``prove(instance, ledger, *, seed)`` offers bounds on the cost. The instance is without its constant,
            which is added to what was proven. Costs are minimised: the gain of a maximum is a cost below 0.
        brief: whether it ends soon by itself. What does not, shares the time with the others that take an instance, and
            must look at ``ledger.settled``, or give ``ledger.clock()`` to compiled work.
    """

    name: str
    title: str
    takes: Callable[[Structure], bool]
    prove: Prove
    brief: bool = False

    def __post_init__(self) -> None:
        check_declared("bound", self.name, title=self.title, takes=self.takes, prove=self.prove)
        if self.name in {"all", "none"}:
            raise InputError(f"a bound must not be called {self.name!r}, which stands for {self.name} of them")
