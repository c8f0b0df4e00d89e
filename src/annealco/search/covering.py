"""Hitting sets: choose variables of least cost such that every set has a chosen member, by local search.

Independent set (the nodes left out hit every edge), vertex cover, clique (they hit every pair that is not joined),
dominating set and set cover are all this one problem, read off the terms here. What reductions leave of it, which are
made once per instance, is searched: by local search with weights, and where what is left are pairs and few of them per
variable, in turns with one that works in regions. All are in the core: `native/search/covering.hpp` and
`native/search/packing_search.hpp` tell the ideas of the searches and their sources, `native/search/reductions.hpp` and
`native/search/packing_kernel.hpp` have the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from annealco import _core
from annealco._core import Clock, Reduction, StopFlag, reduce_sets
from annealco.arrays import FloatArray, Int32Array, IntArray
from annealco.clock import Budget, Trace
from annealco.energy import AllPairs, Instance, Pairs
from annealco.energy.structure import Structure, structure_of
from annealco.errors import InputError
from annealco.graph.operations import MAX_COMPLEMENT_PAIRS, num_pairs
from annealco.search.protocol import Bits, Found, SearchKind, constant_of, seed_word, usual_setup_seconds

MAX_LISTED_PAIRS = 30_000_000
"""More pairs than this are not listed; a clique of such a graph is searched on the graph itself."""

CHEAP_PAIRS, PAIRS_PER_PARTNER = 500_000, 20
"""Nor are more than these, in all and per pair that is allowed: neighbourhoods of such a graph are small."""

SPARSE_PAIRS = 8
"""Up to this many pairs per variable, searching in regions pays; beyond, the search with weights is ahead by itself."""


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
    structure = structure_of(instance)
    if not _takes(structure):
        return None
    if structure.kind == "covering":
        covers = structure.cover_terms
        lengths = np.concatenate([np.diff(term.set_ptr) for term in covers]).astype(np.int64, copy=False)
        members = np.concatenate([term.members for term in covers]).astype(np.int32, copy=False)
        return HittingSet(_core.HittingSet(structure.node_cost, lengths, members), inverted=False)
    listed = [term.listed().pairs for term in structure.conflict_terms]
    # Mostly there is one term, whose pairs may be millions: no copy then.
    pairs = (listed[0] if len(listed) == 1 else np.concatenate(listed, axis=1)).astype(np.int32, order="C", copy=False)
    return HittingSet(_core.HittingSet.of_pairs(-structure.node_cost, pairs), inverted=True)


def _takes(structure: Structure) -> bool:
    if structure.kind == "covering":
        return True
    unlisted = (term for term in structure.conflict_terms if isinstance(term, AllPairs))
    return structure.kind == "packing" and all(map(_is_listable, unlisted))


def _is_listable(term: AllPairs) -> bool:
    """Tell whether the pairs that must not both be chosen are few enough to be listed."""
    allowed, every = term.excluded.shape[1], int(num_pairs(term.node_ptr).sum())
    most = min(MAX_LISTED_PAIRS, max(CHEAP_PAIRS, PAIRS_PER_PARTNER * allowed))
    return every - allowed <= most and every <= MAX_COMPLEMENT_PAIRS


def pays_in_regions(problem: _core.HittingSet) -> bool:
    """Tell whether all sets are pairs, and so few per variable that most variables are far from one another."""
    return problem.is_pairs and problem.num_sets <= SPARSE_PAIRS * problem.num_variables


class CoveringSearch:
    """Local search on what reductions leave of a hitting set problem; see `Search`.

    Its state stays from one call to the next. How a run is cut into calls makes no difference.
    """

    def __init__(
        self, sets: HittingSet, reduction: Reduction, start: Bits, seed: int, *, constant: float = 0.0
    ) -> None:
        """Begin with a choice of nodes; the constant is what every choice costs besides."""
        self.inverted = sets.inverted
        self.reduction = reduction
        # Leaving a node out costs what choosing it would have gained.
        gained = sets.cost.sum() if sets.inverted else 0.0
        self.offset = float(reduction.offset - gained) + constant
        kind = _core.PackingSearch if pays_in_regions(reduction.kernel) else _core.CoveringSearch
        chosen = reduction.restrict(~start if sets.inverted else start)
        self.core = kind(reduction.kernel, chosen, seed_word(seed), self.offset)

    @property
    def solved(self) -> bool:
        """Whether reductions left nothing."""
        return self.reduction.kernel.num_variables == 0

    def run(self, budget: Budget, target: float, trace: Trace) -> Found:
        """Go on; see `annealco.search.protocol.Search`."""
        clock = budget.clock()
        self.core.run(clock, target)
        trace.follow(clock)
        best = self.reduction.lift(self.core.best)
        return Found(clock.moves, ~best if self.inverted else best, self.core.best_cost + self.offset)


REDUCTION_SHARE, PAIR_REDUCTION_SHARE = 0.3, 0.4
"""Share of the time that reductions may take, where they are many; those of pairs go further and leave less."""

LEAST_SECONDS = 3e-7
"""Per variable and set: with less time in all than this, reductions and what they leave would take most of it."""


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
            once.made = (None if sets is None else ReducedSets(sets, _reduced(sets, seconds, stop)),)
    return once.made[0]


def _reduced(sets: HittingSet, seconds: float | None, stop: StopFlag | None) -> Reduction:
    share = PAIR_REDUCTION_SHARE if sets.core.is_pairs else REDUCTION_SHARE
    if seconds is not None and seconds < LEAST_SECONDS * (sets.core.num_variables + sets.core.num_sets):
        share = 0.0
    return reduce_sets(sets.core, Clock(seconds=None if seconds is None else share * seconds, stop=stop))


def _begin(
    instance: Instance, start: Bits, *, seed: int, seconds: float | None, stop: StopFlag | None
) -> CoveringSearch:
    reduced = reduced_sets(instance, seconds=seconds, stop=stop)
    if reduced is None:
        raise InputError("a covering search needs sets to be hit, or pairs to be avoided that can be listed")
    return CoveringSearch(reduced.sets, reduced.reduction, start, seed, constant=constant_of(instance))


PAIR_SETUP_SECONDS = 5e-8
"""What a search of pairs takes to be set up, per node and pair; other sets take the usual time."""


def _num_pairs(structure: Structure) -> int | None:
    """Return how many pairs there are, None where there may be other sets; the number of entries tells well enough."""
    if structure.kind == "packing":
        pairs = [term for term in structure.conflict_terms if isinstance(term, Pairs)]
        return sum(len(term.coefficient) for term in pairs) if len(pairs) == len(structure.conflict_terms) else None
    is_pairs = all(len(term.members) == 2 * len(term.coefficient) for term in structure.cover_terms)
    return sum(len(term.coefficient) for term in structure.cover_terms) if is_pairs else None


def _setup_seconds(structure: Structure) -> float:
    return usual_setup_seconds(structure) if _num_pairs(structure) is None else PAIR_SETUP_SECONDS


def _starts_itself(structure: Structure) -> bool:
    """Tell whether there are few pairs per node: the search in regions begins with a set of its own."""
    num_pairs = _num_pairs(structure)
    return num_pairs is not None and num_pairs <= SPARSE_PAIRS * structure.num_nodes


COVERING = SearchKind(
    name="covering",
    title="covering search",
    takes=_takes,
    begin=_begin,
    setup_seconds=_setup_seconds,
    starts_itself=_starts_itself,
)
