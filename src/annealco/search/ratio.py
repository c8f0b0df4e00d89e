"""Least quotients a / b of sums, by Dinkelbach's method (1967): search at the price of the best set found so far.

Where b > 0, a set with a − p b < 0 has a quotient below p, and the other way round: whoever minimises sums can look for
quotients that are better than a known one. Every search that takes these sums will do: none of them knows of quotients.
At one price it is asked after so many moves whether it has found something better, then after twice as many, and so on;
no clock decides what it does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from annealco._core import Patience
from annealco.arrays import FloatArray
from annealco.clock import Budget, Trace, now
from annealco.energy import Instance
from annealco.energy.structure import Structure, structure_of
from annealco.search.decode import DEFAULT_ORDER, Order, decode
from annealco.search.protocol import Bits, SearchKind, constant_of, usual_setup_seconds
from annealco.search.searches import Improver

ROUNDING = 1e-12
"""By how much, relative to its size, a quotient must be less than another to be better."""

TOLERANCE = 1e-9
"""How far, relative to its size, a denominator that is told by costs may be from what it is."""

MOVES_PER_NODE = 64
"""Moves per node after which a search at a new price is asked for the first time: its first cooling."""

LARGE_SECONDS = 0.003
"""Where to score a set takes at least so long, time is set aside for scores and beginnings."""

NODE_SECONDS, PAIR_SECONDS = 1e-6, 6e-8
"""What a search at a new price takes to begin, per node and pair, at most about; later ones take what the last one
took. No measured time is the guess: a process that has to wait for a processor would guess too much, and not begin."""


class Quotient:
    """A quotient a / b of one graph, with b > 0 wherever a set is feasible.

    It is told by instances alone: the cost of a − price · b, and so b itself from two prices.
    """

    def __init__(self, numerator: Instance, at_price: Callable[[float], Instance]) -> None:
        """Keep what tells it.

        Args:
            numerator: minimises or maximises a; what is feasible here has a quotient.
            at_price: the instance of a − price · b, in the same sense.
        """
        self.numerator = numerator
        self._at_price = at_price
        self._sign = 1.0 if numerator.sense == "min" else -1.0
        # At a price as large as any a, the difference of two costs tells b to the last digits.
        sizes = [float(np.abs(term.coefficient).sum()) for term in numerator.objective]
        self._large = sum(sizes) + abs(constant_of(numerator)) or 1.0
        self._dear = at_price(self._large)

    def costs(self, assignments: Bits) -> FloatArray:
        """Return quotients, negated where they are maximised, [num_rows]; infinite where a set is not feasible."""
        above, priced = (each.cost.value(assignments)[:, 0] for each in (self.numerator, self._dear))
        below = np.abs(above - priced) / self._large
        feasible = (self.numerator.violations(assignments)[:, 0] == 0) & (below > 0)
        return np.where(feasible, above / np.where(feasible, below, 1.0), math.inf)

    @cached_property
    def span(self) -> tuple[float, float]:
        """Numbers between which b lies wherever a set is feasible, both above 0; not the closest ones."""
        plain, dear = structure_of(self.numerator), structure_of(self._dear)
        if plain.pairs.shape != dear.pairs.shape or not np.array_equal(plain.pair_value, dear.pair_value):
            return 0.0, math.inf
        part = np.abs(plain.node_cost - dear.node_cost) / self._large
        # Sums of many weights cancel in these differences.
        part[part <= TOLERANCE * part.max(initial=0.0)] = 0.0
        low, high = float(part[part > 0].min(initial=math.inf)), float(part.sum())
        for box in plain.ranges:
            heavy = box.weight > 0
            if np.array_equal(heavy, part > 0) and heavy.any():
                share = part[heavy] / box.weight[heavy]
                low = max(low, float(share.min() * box.lower[0]))
                high = min(high, float(share.max() * box.upper[0]))
        return (1 - TOLERANCE) * low, (1 + TOLERANCE) * high

    def at(self, cost: float) -> Instance:
        """Return the instance in which exactly what costs less than a quotient has a cost below 0."""
        return self._at_price(self._sign * cost if math.isfinite(cost) else 0.0)


def is_better(cost: float, than: float) -> bool:
    """Tell whether a quotient is less than another by more than rounding.

    Example:
        >>> is_better(0.1, 0.2), is_better(0.3, 0.1 + 0.2), is_better(0.3, float("inf"))
        (True, False, True)
    """
    return cost < than - ROUNDING * abs(than) if math.isfinite(than) else cost < than


def decode_quotient(
    quotient: Quotient,
    probability: FloatArray,
    *,
    penalty_scale: float = 1.0,
    order: Order = DEFAULT_ORDER,
    num_threads: int | None = None,
) -> Bits:
    """Decode probabilities at price 0, then at the price of the best set, until no set gets better.

    Args:
        quotient: of one graph.
        probability: [num_rows, num_nodes].
        penalty_scale: multiple of the critical penalty in the energy.
        order: of decoding.
        num_threads: all processors by default; no result depends on it.

    Returns:
        The best set of every row, [num_rows, num_nodes].
    """
    decoded = partial(
        decode, probability=probability, penalty_scale=penalty_scale, order=order, num_threads=num_threads
    )
    best = decoded(quotient.numerator)
    costs = quotient.costs(best)
    while True:
        least = float(costs.min(initial=math.inf))
        rows = decoded(quotient.at(least))
        found = quotient.costs(rows)
        best, costs = np.where((found < costs)[:, None], rows, best), np.minimum(found, costs)
        if not is_better(float(costs.min(initial=math.inf)), least):
            return best


def _beginning_seconds(structure: Structure) -> float:
    """Return what a search at a price takes to begin, at most about."""
    return NODE_SECONDS * structure.num_nodes + PAIR_SECONDS * int(structure.pairs.shape[1])


class QuotientImprover:
    """A search for a quotient on one graph that can be asked for its best, and continued: a peer of `Improver`.

    Attributes:
        assignment: [num_nodes] the best so far.
        cost: its quotient, negated where that is maximised; infinite where it is not feasible.
        moves: how many moves were made, at all prices together.
        trace: when which cost was reached.
        method: the title of the search.
        solved: whether a search at the price of the best left nothing to look at, so that the best is an optimum.
        setup_seconds: what the search takes to be set up, per node and edge of a graph.
    """

    least_seconds = 0.02
    """In which it comes to the last of its prices on a small graph: every price has its own beginning."""

    def __init__(
        self,
        quotient: Quotient,
        start: Bits,
        *,
        seed: int,
        search: SearchKind | None = None,
        started: float | None = None,
        seconds: float | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Begin with an assignment; `Improver` tells what is given."""
        self.quotient = quotient
        self.kind = search
        self.seed = seed
        self.seconds = seconds
        self.patience = Patience() if patience is None else patience
        self.moves = 0
        self.trace = Trace() if started is None else Trace(started)
        self.assignment = start
        begun = now()
        self.cost = float(quotient.costs(start[None])[0])
        self._scoring = now() - begun
        self.trace.record(self.cost)
        self.patience.improve(self.cost)
        self.method = "decoding"
        self.solved = False
        self.setup_seconds = usual_setup_seconds(structure_of(quotient.numerator))
        self._search: Improver | None = None
        self._round = 0
        self._beginning = _beginning_seconds(structure_of(quotient.numerator)) if self._scoring > LARGE_SECONDS else 0.0

    def improve(self, budget: Budget, *, target: float = -math.inf) -> None:
        """Search at one price after the other until budget or patience are spent or the cost reaches the target."""
        begun, before = now(), self.moves
        while self.cost > target and not self.solved and not (budget.stop and budget.stop.is_set()):
            if self.patience.is_over:
                return
            # What a search has found is scored when it ends.
            left = budget.after(now() - begun + (self._scoring if self._scoring > LARGE_SECONDS else 0.0))
            if left.moves is not None:
                left = replace(left, moves=max(0, left.moves - (self.moves - before)))
            # A new price needs a new beginning, which takes large graphs long.
            needed = self._beginning if self._search is None else 0.0
            if left.moves == 0 or (left.seconds is not None and left.seconds <= needed):
                return
            if self._search is None:
                self._search = self._begin()
            elif not self._go_on(self._search, left):
                return

    def adopt(self, assignment: Bits) -> bool:
        """Take an assignment [num_nodes] that was found elsewhere, if its quotient is better; tell whether it is."""
        cost = float(self.quotient.costs(assignment[None])[0])
        if not is_better(cost, self.cost):
            return False
        self.assignment, self.cost, self._search = assignment, cost, None
        self.trace.record(cost)
        return True

    def _begin(self) -> Improver:
        """Return a search at the price of the best, from the best."""
        begun = now()
        instance = self.quotient.at(self.cost)
        search = Improver(instance, self.assignment, seed=self.seed, search=self.kind, seconds=self.seconds)
        search.begin()
        self.method, self._round = search.method, MOVES_PER_NODE * instance.num_nodes
        self._beginning = now() - begun
        return search

    def _go_on(self, search: Improver, left: Budget) -> bool:
        """Search at one price for a round; tell whether it did anything."""
        before, begun = search.moves, now()
        some = min(self._round, self.patience.moves_left, self._round if left.moves is None else left.moves)
        seconds = min(self.patience.seconds_left, math.inf if left.seconds is None else left.seconds)
        # At one price nothing tells whether a sum makes a better quotient: it is scored when the round is over.
        search.improve(replace(left, moves=some, seconds=seconds if math.isfinite(seconds) else None))
        self.moves += search.moves - before
        self.patience.wait(now() - begun, search.moves - before)
        begun = now()
        cost = float(self.quotient.costs(search.assignment[None])[0])
        self._scoring = min(self._scoring, now() - begun)
        if is_better(cost, self.cost):
            self.assignment, self.cost, self._search = search.assignment, cost, None
            self.trace.record(cost)
            self.patience.improve(cost)
        self.solved = search.solved and self._search is search
        self._round *= 2
        return search.moves > before or self._search is None
