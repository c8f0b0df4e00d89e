"""Search for nodes of which every two are allowed together: cliques of graphs, and independent sets of dense ones.

`native/search/cliques.hpp` has the search: neighbourhoods in degeneracy order, by branch and bound. It ends with a
proof where they are small, as those of sparse graphs are. Where the forbidden pairs can be listed, `covering` search
takes over once this is not soon done, and the exact search has a small share of the work from then on; a growing one
where the other finds nothing better and the pairs leave few subsets to look at.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco import _core
from annealco._core import Clock, StopFlag
from annealco.arrays import FloatArray, IntArray, symmetric_rows
from annealco.clock import Budget, Trace, now
from annealco.energy import Instance
from annealco.energy.structure import Structure, structure_of
from annealco.errors import InputError
from annealco.search.covering import COVERING
from annealco.search.protocol import Bits, Found, Search, SearchKind, constant_of, seed_word

FIRST_WORK = 4_000_000
"""What the exact search does before another one has its turn, in words of bit sets: some milliseconds."""

TURN, WORK_PER_TURN = 20_000, 500_000
"""Moves that the other search then makes in turn with so much more work: a twentieth of the time or less."""

GROWTH, MOST_PER_TURN = 4, 32_000_000
"""By how much that work grows after a turn in vain where the exact search is likely to end, and the most: some
hundredths of a second."""

MOST_TRIED, MOST_SUBSETS = 50_000, 40.0
"""Up to so many allowed pairs it is tried in any case; of more where their subsets are few, by the logarithm."""

MAX_DENSE = 4000
"""Up to so many nodes the pairs that are not listed as forbidden are."""


class Partners(NamedTuple):
    """The pairs that are allowed, as sorted rows.

    Attributes:
        weight: [num_nodes] gain of choosing each node.
        indptr: [num_nodes + 1] row offsets.
        indices: [2 · num_pairs] partners, sorted in each row.
    """

    weight: FloatArray
    indptr: IntArray
    indices: NDArray[np.int32]


def as_partners(instance: Instance) -> Partners | None:
    """Read gains and allowed pairs off an instance with one `AllPairs` constraint, or None where it is another kind."""
    structure = structure_of(instance)
    if structure.kind != "packing" or structure.all_conflict_but is None:
        return None
    allowed = structure.all_conflict_but
    indptr, indices, _ = symmetric_rows(allowed, np.ones(allowed.shape[1]), instance.num_nodes)
    return Partners(-structure.node_cost, indptr, indices)


def _takes(structure: Structure) -> bool:
    if structure.kind != "packing":
        return False
    if structure.all_conflict_but is not None:
        allowed = structure.all_conflict_but.shape[1]
        return not COVERING.takes(structure) or is_promising(structure.num_nodes, allowed)
    return _is_dense(structure)


def _is_dense(structure: Structure) -> bool:
    """Tell whether fewer pairs are free than are listed as forbidden, and few enough for an exact search."""
    every, listed = structure.num_nodes * (structure.num_nodes - 1) // 2, int(structure.conflicts.shape[1])
    return (
        structure.num_nodes <= MAX_DENSE and 2 * listed >= every and is_promising(structure.num_nodes, every - listed)
    )


def is_promising(num_nodes: int, num_allowed: int) -> bool:
    """Tell whether an exact search of this many nodes and allowed pairs is soon set up, and may end.

    Of n nodes of which a share p of all pairs is allowed at random, all subsets that are allowed are about
    exp(ln² n / (2 ln 1/p)) (Bollobás and Erdős, 1976), of which bounds leave a small part to be looked at.

    Example:
        >>> is_promising(1000, 100_000), is_promising(1000, 400_000)
        (True, False)
    """
    return num_allowed <= MOST_TRIED or has_few_subsets(num_nodes, num_allowed)


def has_few_subsets(num_nodes: int, num_allowed: int) -> bool:
    """Tell whether so many pairs at random leave few subsets, as `is_promising` counts them.

    Example:
        >>> has_few_subsets(200, 13_900), has_few_subsets(200, 18_000)
        (True, False)
    """
    if num_allowed == 0:
        return True
    share = min(1 - 1e-9, 2 * num_allowed / (num_nodes * (num_nodes - 1)))
    return math.log(num_nodes) ** 2 / (2 * math.log(1 / share)) <= MOST_SUBSETS


def free_partners(instance: Instance) -> Partners | None:
    """Read gains and allowed pairs off any instance that this search takes, or None where it is another kind.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> free_partners(PROBLEMS["mis"].declare(Graph.from_edges([[0, 1, 0], [1, 2, 3]]))).indices.tolist()
        [2, 3, 0, 3, 1, 2]
    """
    structure = structure_of(instance)
    if structure.all_conflict_but is not None or not _takes(structure):
        return as_partners(instance)
    one, two = (np.ascontiguousarray(each, np.int32) for each in structure.conflicts)
    free = _core.Neighbours(one, two, instance.num_nodes).complement(Clock())
    return None if free is None else Partners(-structure.node_cost, free.start, free.node)


class CliqueSearch:
    """A greedy pass over all nodes, then an exact search in every neighbourhood that could hold something better.

    Another search, if there is one, has all further turns once the first is over; see above.
    """

    def __init__(
        self,
        partners: Partners,
        start: Bits,
        seed: int,
        *,
        constant: float = 0.0,
        begin_other: Callable[[Bits], Search] | None = None,
    ) -> None:
        """Begin with a choice of nodes.

        Args:
            partners: gains and allowed pairs.
            start: [num_nodes] the choice.
            seed: for the search in large neighbourhoods.
            constant: what every choice costs besides.
            begin_other: begins the other search with a choice, once it is needed.
        """
        self.core = _core.CliqueSearch(partners.indptr, partners.indices, partners.weight, start, seed_word(seed))
        self.constant = constant
        self.begin_other = begin_other
        self.other: Search | None = None
        self.most_work = None if begin_other is None else FIRST_WORK
        self.growth = GROWTH if has_few_subsets(len(partners.weight), len(partners.indices) // 2) else 1
        self.work_per_turn = WORK_PER_TURN
        self.moves_left = TURN
        self.found = Found(0, start, math.inf)

    @property
    def solved(self) -> bool:
        """Whether no neighbourhood can hold something better."""
        return self.core.is_solved or (self.other is not None and self.other.solved)

    def run(self, budget: Budget, target: float, trace: Trace) -> Found:
        """Go on; see `annealco.search.protocol.Search`.

        A move is a node of the greedy pass, a neighbourhood that is looked at, a step of branch and bound in one, or a
        move of the other search.
        """
        began, moves = now(), self._branch(budget, target, trace)
        while self.begin_other is not None and not self._is_done(target):
            if self.other is None:
                self.other = self.begin_other(self.found.assignment)
            left = budget.after(now() - began)
            some = self.moves_left if budget.moves is None else min(self.moves_left, budget.moves - moves)
            found = self.other.run(replace(left, moves=some), target, trace)
            moves += found.moves
            self.moves_left -= found.moves
            if found.cost < self.found.cost:
                self.found, self.work_per_turn = found, WORK_PER_TURN
                self.core.raise_limit(self.constant - found.cost)
            if self.moves_left > 0 or self.most_work is None:
                # The budget is spent, or the other search has nothing left to do.
                break
            self.moves_left = TURN
            self.most_work += self.work_per_turn
            self.work_per_turn = min(self.growth * self.work_per_turn, MOST_PER_TURN)
            rest = None if budget.moves is None else budget.moves - moves
            moves += self._branch(replace(budget.after(now() - began), moves=rest), target, trace)
        return Found(moves, self.found.assignment, self.found.cost)

    def _branch(self, budget: Budget, target: float, trace: Trace) -> int:
        """Let the exact search have its turn; return its moves."""
        clock = budget.clock()
        self.core.run(clock, target - self.constant, self.most_work)
        trace.follow(clock, constant=self.constant)
        if (cost := self.constant - self.core.best_weight) < self.found.cost:
            self.found = Found(0, self.core.best, cost)
        return clock.moves

    def _is_done(self, target: float) -> bool:
        """Tell whether nothing better is there, or wanted, or the exact search has not had its turn to its end."""
        unfinished = self.most_work is not None and self.core.work < self.most_work
        return self.core.is_solved or self.found.cost <= target or unfinished


def _begin(instance: Instance, start: Bits, *, seed: int, seconds: float | None, stop: StopFlag | None) -> CliqueSearch:
    partners = free_partners(instance)
    if partners is None:
        raise InputError("a search for cliques needs gains and pairs of which all but some exclude each other")
    covering = partial(COVERING.begin, instance, seed=seed, seconds=seconds, stop=stop)
    other = covering if COVERING.takes(structure_of(instance)) else None
    return CliqueSearch(partners, start, seed, constant=constant_of(instance), begin_other=other)


CLIQUES = SearchKind(name="cliques", title="clique search", takes=_takes, begin=_begin, proof="branch and bound")
