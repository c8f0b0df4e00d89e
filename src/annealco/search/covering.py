"""Hitting sets: choose variables of least cost such that every set has a chosen member, by local search with weights.

Independent set (the nodes left out hit every edge), vertex cover, clique (they hit every pair that is not joined),
dominating set and set cover are all this one problem, read off the terms here. The search itself is in the core:
`native/search/covering.hpp` tells its idea and sources.

Reductions of hitting set problems, made once per instance; `native/search/reductions.hpp` has the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from annealco import _core
from annealco._core import Clock, Reduction, StopFlag, reduce_sets
from annealco.arrays import FloatArray, IntArray
from annealco.clock import Budget, Trace
from annealco.energy import AllPairs, Cover, Instance, Linear, Pairs
from annealco.graph.operations import MAX_COMPLEMENT_PAIRS, num_pairs
from annealco.search.protocol import seed_word

Bits = NDArray[np.bool_]
Int32Array = NDArray[np.int32]

MAX_LISTED_PAIRS = 30_000_000
"""More pairs than this are not listed; a clique of such a graph is searched on the graph itself."""

CHEAP_PAIRS, PAIRS_PER_PARTNER = 500_000, 20
"""Nor are more than these, in all and per pair that is allowed: neighbourhoods of such a graph are small."""


@dataclass(frozen=True, eq=False)
class HittingSet:
    """A hitting set problem, and what its variables mean.

    Attributes:
        core: the problem in the compiled core, which owns the arrays below.
        inverted: whether variable i is chosen where node i is not.
        cost: [num_variables], not negative.
        set_ptr: [num_sets + 1] offsets into ``members``.
        members: [num_members] variables.
        variable_ptr: [num_variables + 1] offsets into ``sets``.
        sets: [num_members] the sets of each variable.
        partner: [num_members] the other member of each set, beside ``sets``; empty unless all sets are pairs.
    """

    core: _core.HittingSet
    inverted: bool

    @property
    def cost(self) -> FloatArray:
        return self.core.cost

    @property
    def set_ptr(self) -> IntArray:
        return self.core.set_ptr

    @property
    def members(self) -> Int32Array:
        return self.core.members

    @property
    def variable_ptr(self) -> IntArray:
        return self.core.variable_ptr

    @property
    def sets(self) -> Int32Array:
        return self.core.sets

    @property
    def partner(self) -> Int32Array:
        return self.core.partner


def as_hitting_set(instance: Instance) -> HittingSet | None:
    """Read a hitting set problem off an instance of one graph, or None where it is none.

    The objective must be linear and of one sign: costs with `Cover` constraints, or gains with pairs that exclude
    each other.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> path = as_hitting_set(PROBLEMS["mis"].declare(Graph.from_edges([[0, 1], [1, 2]])))
        >>> path.members.tolist(), path.inverted
        ([0, 1, 1, 2], True)
    """
    if not instance.constraints or not all(isinstance(term, Linear) for term in instance.objective):
        return None
    cost = sum((term.coefficient for term in instance.objective), start=np.zeros(instance.num_nodes))
    terms = [constraint.term for constraint in instance.constraints]
    if np.all(cost >= 0) and all(isinstance(term, Cover) for term in terms):
        covers = [term for term in terms if isinstance(term, Cover)]
        lengths = np.concatenate([np.diff(term.set_ptr) for term in covers])
        members = np.concatenate([term.members for term in covers])
        core = _core.HittingSet(cost, lengths.astype(np.int64, copy=False), members.astype(np.int32, copy=False))
        return HittingSet(core, inverted=False)
    if np.all(cost <= 0) and all(isinstance(term, (Pairs, AllPairs)) for term in terms):
        listed = [_listed_pairs(term) for term in terms if isinstance(term, (Pairs, AllPairs))]
        if any(pairs is None for pairs in listed):
            return None
        # Mostly there is one term, whose pairs may be millions: no copy then.
        known = [pairs for pairs in listed if pairs is not None]
        pairs = known[0] if len(known) == 1 else np.concatenate(known, axis=1)
        core = _core.HittingSet.of_pairs(-cost, pairs.astype(np.int32, order="C", copy=False))
        return HittingSet(core, inverted=True)
    return None


def _listed_pairs(term: Pairs | AllPairs) -> NDArray[np.integer] | None:
    """Return the pairs that must not both be chosen, [2, num_pairs], or None where they are too many."""
    if isinstance(term, Pairs):
        return term.pairs
    allowed, every = term.excluded.shape[1], int(num_pairs(term.node_ptr).sum())
    most = min(MAX_LISTED_PAIRS, max(CHEAP_PAIRS, PAIRS_PER_PARTNER * allowed))
    if every - allowed > most or every > MAX_COMPLEMENT_PAIRS:
        return None
    return term.listed().pairs


class CoveringSearch:
    """Local search with weights on what reductions leave of a hitting set problem; see `Search`.

    Its weights stay from one call to the next. How a run is cut into calls makes no difference.
    """

    name = "covering search"

    def __init__(self, sets: HittingSet, reduction: _core.Reduction, start: Bits, seed: int) -> None:
        self.inverted = sets.inverted
        self.reduction = reduction
        # Leaving a node out costs what choosing it would have gained.
        self.offset = float(sets.cost[reduction.chosen].sum() - (sets.cost.sum() if sets.inverted else 0.0))
        chosen = ~start if sets.inverted else start
        self.core = _core.CoveringSearch(reduction.kernel, chosen[reduction.left], seed_word(seed), self.offset)

    @property
    def solved(self) -> bool:
        """Whether reductions left nothing."""
        return self.reduction.kernel.num_variables == 0

    def run(self, budget: Budget, target: float, trace: Trace) -> tuple[int, Bits, float]:
        """Go on; see `annealco.search.searches.Search`."""
        clock = budget.clock()
        self.core.run(clock, target)
        trace.follow(clock)
        best = self.reduction.lift(self.core.best)
        return clock.moves, ~best if self.inverted else best, self.core.best_cost + self.offset


REDUCTION_SHARE = 0.3
"""Share of the time that reductions may take, where they are many."""


class ReducedSets(NamedTuple):
    """A hitting set problem and what reductions leave of it."""

    sets: HittingSet
    reduction: Reduction


class _Once:
    """What is made once per instance, by the first of several threads that ask."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.made: tuple[ReducedSets | None] | None = None


# Restarts of one instance begin with the same sets: on dense graphs these take longer than decoding.
_CACHE: WeakKeyDictionary[Instance, _Once] = WeakKeyDictionary()


def reduced_sets(
    instance: Instance, *, seconds: float | None = None, stop: StopFlag | None = None
) -> ReducedSets | None:
    """Return the hitting set problem of an instance, reduced, or None where it is none; made once per instance.

    Args:
        instance: of one graph.
        seconds: that the search will have; reductions stop when they have taken their share of it.
        stop: ends reductions at once.
    """
    once = _CACHE.setdefault(instance, _Once())
    with once.lock:
        if once.made is None:
            sets = as_hitting_set(instance)
            clock = Clock(seconds=None if seconds is None else REDUCTION_SHARE * seconds, stop=stop)
            once.made = (None if sets is None else ReducedSets(sets, reduce_sets(sets.core, clock)),)
    return once.made[0]
