"""The searches that continue where they stopped, and the choice among them by the terms of an instance.

Hitting set problems go to the covering search, pairs that are too many to list to neighbourhoods; of everything else,
what has no constraints is annealed, and what has some is annealed and searched by tabu search in turns.
"""

from __future__ import annotations

import math
from threading import Lock
from typing import NamedTuple, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from annealco.energy import Instance
from annealco.search.alternating import AlternatingSearch
from annealco.search.annealing import AnnealingSearch
from annealco.search.budget import Budget, Trace, spend
from annealco.search.cover_state import begin
from annealco.search.covering import run
from annealco.search.covering_search import CoveringSearch
from annealco.search.hitting_set import HittingSet, as_hitting_set
from annealco.search.neighbourhoods import Partners, as_partners, as_small_problem, greedy_from, reach
from annealco.search.reduction import Reduction, reduce_sets

Bits = NDArray[np.bool_]

MOVES_A_PARTNER = 50
"""How long a neighbourhood is searched, for each node in it."""


REDUCTION_SHARE = 0.3
"""Share of the time that reductions may take, where they are many."""


class Search(Protocol):
    """A search with a state of its own."""

    name: str

    @property
    def solved(self) -> bool:
        """Whether nothing is left to look at, so that the best is an optimum."""

    def run(self, budget: Budget, target: float, trace: Trace) -> tuple[int, Bits, float]:
        """Go on until the budget is spent or the target reached; return moves, the best assignment and its cost."""


def choose_search(instance: Instance, start: Bits, seed: int, *, seconds: float | None = None) -> Search:
    """Return the search that fits the terms of an instance of one graph.

    Args:
        instance: of one graph.
        start: [num_nodes] the assignment to begin with.
        seed: for the search.
        seconds: that the search will have; reductions stop when they have taken their share of it.
    """
    reduced = _reduced_sets(instance, math.inf if seconds is None else REDUCTION_SHARE * seconds)
    if reduced is not None:
        return CoveringSearch(reduced.sets, start, seed, reduction=reduced.reduction)
    partners = as_partners(instance)
    if partners is not None:
        return NeighbourhoodSearch(partners, start, seed)
    if not instance.constraints:
        return AnnealingSearch(instance, start, seed)
    return AlternatingSearch(instance, start, seed)


class ReducedSets(NamedTuple):
    """A hitting set problem and what reductions leave of it."""

    sets: HittingSet
    reduction: Reduction


class _Once:
    """What is made once an instance, by the first of several threads that ask."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.made: tuple[ReducedSets | None] | None = None


# Restarts of one instance begin with the same sets: on dense graphs these take longer than decoding.
_CACHE: WeakKeyDictionary[Instance, _Once] = WeakKeyDictionary()


def _reduced_sets(instance: Instance, seconds: float) -> ReducedSets | None:
    """Return the hitting set problem of an instance, reduced, or None where it is none; made once an instance."""
    once = _CACHE.setdefault(instance, _Once())
    with once.lock:
        if once.made is None:
            sets = as_hitting_set(instance)
            once.made = (None if sets is None else ReducedSets(sets, reduce_sets(sets, seconds)),)
    return once.made[0]


class NeighbourhoodSearch:
    """A greedy pass over all nodes, then a covering search in every neighbourhood that could hold something better."""

    name = "neighbourhood search"

    def __init__(self, partners: Partners, start: Bits, seed: int) -> None:
        self.partners = partners
        self.seed = seed
        self.reach = reach(partners)
        self.order = np.argsort(-self.reach, kind="stable")
        self.best: NDArray[np.integer] = np.flatnonzero(start)
        self.weight = float(partners.weight[self.best].sum())
        self.greedy_done = 0
        self.searched = 0

    @property
    def solved(self) -> bool:
        """Whether no neighbourhood is heavy enough to hold something better."""
        return len(self.order) == 0 or float(self.reach[self.order[0]]) <= self.weight

    def run(self, budget: Budget, target: float, trace: Trace) -> tuple[int, Bits, float]:
        """Go on; see `Search`. A move looks at one node's later partners."""

        def chunk(moves: int) -> bool:
            go_on = self._pass(moves) if self.greedy_done < len(self.order) else self._search_next()
            trace.record(-self.weight)
            return go_on and -self.weight > target and not self.solved

        moves = spend(budget, chunk)
        assignment = np.zeros(len(self.order), np.bool_)
        assignment[self.best] = True
        return moves, assignment, -self.weight

    def _pass(self, moves: int) -> bool:
        last = min(self.greedy_done + moves, len(self.order))
        self._keep(greedy_from(self.partners, self.order, self.greedy_done, last, self.weight))
        self.greedy_done = last
        return True

    def _search_next(self) -> bool:
        if self.searched == len(self.order) or self.reach[self.order[self.searched]] <= self.weight:
            return False
        node = self.order[self.searched]
        sets, near = as_small_problem(self.partners, node)
        state = begin(sets, np.ones(len(near), np.bool_), seed=self.seed)
        run(sets, state, MOVES_A_PARTNER * (len(near) + 1), -math.inf)
        self._keep(np.append(near[~state.best], node))
        self.searched += 1
        return True

    def _keep(self, found: NDArray[np.integer]) -> None:
        weight = float(self.partners.weight[found].sum())
        if weight > self.weight:
            self.best, self.weight = found, weight
