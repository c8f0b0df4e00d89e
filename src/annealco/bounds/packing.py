"""Bound a packing: choose nodes of the most weight of which no two conflict.

Conflicts are listed, as the edges of an independent set's graph, or their opposite is, as the edges of a clique's
graph: then the nodes of a colour conflict with each other, and a colouring is what a clique cover is. A quick cover
comes first. Where conflicts are listed, reductions leave a kernel whose small connected parts are solved one by one;
better covers of what is left follow for as long as there is time.

The proof is a cover of the nodes by priced cliques. It prices cliques so that the prices of every node's cliques add up
to its weight at least. An independent set takes at most one node of a clique, hence weighs at most the sum of all
prices. A partition into cliques is a cover that prices each by its heaviest node. A partition into colours is the same
for cliques of the graph: they have at most one node of a colour. In sparse graphs odd cycles are priced too, of which a
set has less than half of the nodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco import _core
from annealco._core import Clock, Couplings, CycleSeparation, HittingSet, IteratedGreedy, Neighbours, PartitionSearch
from annealco.arrays import FloatArray, Int32Array, IntArray, PairArray, scatter_sum, segment_max
from annealco.bounds.branching import prove_by_branching
from annealco.bounds.certify import EPSILON, lower_sum, upper_sum
from annealco.bounds.hitting_sets import (
    capped_weights,
    covers_pairs,
    is_plain,
    is_reducible,
    kernel_of,
    whole_weights,
)
from annealco.bounds.ledger import QUICK_WORK, BoundKind, Ledger
from annealco.bounds.linear_program import SetList, join_sets, kept_sets, neighbours_of, tighten
from annealco.bounds.semidefinite import LEAST_STEPS, MAX_THETA, prove_theta, theta_seconds
from annealco.clock import now
from annealco.energy import Instance
from annealco.energy.structure import Structure, structure_of

MAX_DENSE = 2500
"""Up to so many nodes the conflicts are held as a matrix."""

MAX_PROGRAM = 300_000
"""Up to so many listed neighbours a larger graph's cliques are priced by linear programming."""

SEARCH_SHARE, PROGRAM_SHARE = 0.2, 0.4
"""How much of the time the search for few cliques gets, and of what is then left the linear program."""

CLIQUE_SHARE, CLIQUE_TURNS = 0.75, 5
"""How much of the time the exact search for cliques gets before all of that, and in how many turns."""

THETA_TURN, THETA_SHARE = 1, 0.3
"""After which of these the theta number is computed, and for which share of what they have left."""

FAR_SHARE, FAR_THETA_SHARE = 0.3, 0.6
"""A bound that is further than this from the best known choice, in units of its weight, gives so much of the time to
the theta number before anything else."""

MAX_FREE = 10_000
"""Up to twice so many pairs of nodes, the free ones are searched however few conflicts there are."""

TRIAL_SHARE = 0.1
"""How much of the time that is left at the end that search gets before it must have had success."""

PATIENCE = 20
"""How many times that search is shaken up without success before the linear program has its turn."""

MAX_FOUND = 16
"""Members of cliques, per node, that one round of the linear program adds at most."""

MAX_CYCLES = 24
"""Up to so many neighbours per node, odd cycles are priced as well."""

MAX_BRANCHING = 100_000
"""Up to so many members of cliques that cover all conflicts, branching is tried."""


Lift = Callable[[NDArray[np.bool_]], NDArray[np.bool_]]


def _as_it_is(chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return chosen


@dataclass(frozen=True, eq=False)
class Packing:
    """Choose nodes of which no two conflict: the cost is at least min(floor, constant − weight of the choice).

    Attributes:
        weight: [num_nodes], positive.
        rows: the conflicts, or the pairs that do not conflict.
        complemented: whether it is the latter.
        node: [num_nodes] their numbers among those that were listed, ascending.
        size: how many nodes were listed.
        constant: see above.
        floor: least cost of a choice that is not within these nodes.
        lift: makes an assignment of the instance of a choice of what was listed, [size].
    """

    weight: FloatArray
    rows: Neighbours
    complemented: bool
    node: IntArray
    size: int
    constant: float = 0.0
    floor: float = math.inf
    lift: Lift = _as_it_is

    @property
    def num_nodes(self) -> int:
        return len(self.weight)

    @property
    def is_unweighted(self) -> bool:
        return bool(np.all(self.weight == self.weight[:1]))

    def offer(self, ledger: Ledger, cover: CliqueCover, how: str) -> None:
        """Offer the lower bound on the cost that a cover of the nodes proves, and say how it was found."""
        price = certified_price(cover, self.weight)
        self.offer_weight(ledger, price, f"{'colouring' if self.complemented else 'clique cover'}, {how}")

    def offer_weight(self, ledger: Ledger, weight: float, method: str) -> None:
        """Offer the lower bound on the cost where no choice of these nodes weighs more."""
        ledger.offer(min(self.floor, math.nextafter(self.constant - weight, -math.inf)), method)

    def within(self, kept: NDArray[np.bool_], floor: float, clock: Clock) -> Packing | None:
        """Return the packing of some of the nodes [num_nodes], all other choices costing the floor at least."""
        rows = self.rows if kept.all() else self.rows.induced(kept, clock)
        if rows is None:
            return None
        return replace(self, weight=self.weight[kept], rows=rows, node=self.node[kept], floor=min(self.floor, floor))

    def lifted(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the assignment of the instance that a choice of these nodes stands for."""
        lifted = np.zeros(self.size, np.bool_)
        lifted[self.node[chosen]] = True
        return self.lift(lifted)


class ListedPacking(NamedTuple):
    """A packing of which only pairs are listed so far.

    Attributes:
        weight: [num_nodes], not negative.
        pairs: [2, num_pairs] the conflicts, or the pairs that do not conflict.
        complemented: whether it is the latter.
        constant: as of a `Packing`.
        lift: as of a `Packing`.
    """

    weight: FloatArray
    pairs: PairArray
    complemented: bool
    constant: float
    lift: Lift = _as_it_is

    @property
    def work(self) -> int:
        """How many numbers a greedy cover goes through."""
        return len(self.weight) + int(self.pairs.shape[1])

    def offer_cheapest(self, ledger: Ledger) -> None:
        """Offer the bound of one pass over the pairs: what there is time for however large the graph is.

        A choice weighs at most all nodes less what the pairs of a matching have in common, or where the pairs do not
        conflict, at most a node and all of its partners. A stop leaves it out of large graphs.
        """
        if self.work > QUICK_WORK and ledger.stop is not None and ledger.stop.is_set():
            return
        if not self.complemented:
            low, high = (np.ascontiguousarray(each, np.int32) for each in self.pairs)
            price, how = certified_price(CliqueCover(*_core.price_pairs(low, high, self.weight)), self.weight), "pairs"
        else:
            near, far = self.pairs.reshape(-1), self.pairs[::-1].reshape(-1)
            partners = scatter_sum(self.weight[far], near, len(self.weight))
            heaviest = float((self.weight + partners).max(initial=0.0))
            # A sum of k weights is off by at most k roundings of itself.
            price, how = heaviest * (1 + (len(near) + 2) * EPSILON), "neighbourhoods"
        ledger.offer(math.nextafter(self.constant - price, -math.inf) if price else self.constant, how)

    def build(self, clock: Clock) -> Packing | None:
        """Return the packing of the nodes that have weight, or None where the clock was over first."""
        if clock.is_over:
            return None
        rows = neighbours_of(self.pairs, len(self.weight))
        count = len(self.weight)
        whole = Packing(self.weight, rows, self.complemented, np.arange(count), count, self.constant, lift=self.lift)
        return whole.within(self.weight > 0, math.inf, clock)

    def reduced(self, ledger: Ledger) -> ListedPacking | None:
        """Return what reductions, and small parts that are solved, leave of conflicts; None where they do not apply.

        What a vertex cover of the conflicts leaves out is a choice: it weighs all that the cover does not cost.
        """
        if self.complemented or not is_reducible(len(self.weight), self.pairs.size, ledger):
            return None
        if (whole := whole_weights(self.weight, up=True)) is None:
            return None
        weight, step = whole
        kernel = kernel_of(HittingSet.of_pairs(weight, np.ascontiguousarray(self.pairs, np.int32)), step, ledger)
        left = kernel.reduction.kernel.cost[kernel.node]
        # Weights are whole numbers of a step, so that these sums are exact.
        beside = float(weight.sum()) - kernel.cost - float(left.sum())
        return ListedPacking(
            left,
            kernel.sets.member.reshape(-1, 2).T,
            complemented=False,
            constant=lower_sum(np.array([self.constant, -beside])),
            lift=lambda chosen: self.lift(~kernel.lifted(~chosen)),
        )


def packings_of(structure: Structure, target: float = math.inf) -> list[ListedPacking]:
    """Return the packings that a structure without pairs in its objective can be relaxed to.

    A node that costs something is left out of a packing: choosing it only adds to the cost. The target is the cost of a
    known choice: a cover that is cheaper holds no node that costs more.
    """
    weight = np.maximum(-structure.linear, 0.0)
    found = []
    for term in structure.apart:
        bound = term.coefficient > 0
        free = -upper_sum(weight[~bound]) if not bound.all() else 0.0
        found.append(ListedPacking(np.where(bound, weight, 0.0), term.excluded, complemented=True, constant=free))
    if structure.conflicts.shape[1]:
        found.append(ListedPacking(weight, structure.conflicts, complemented=False, constant=0.0))
    if covers_pairs(structure):
        # What a cover of pairs leaves out is a packing.
        ends, cost = structure.members.reshape(-1, 2).T, capped_weights(structure.linear, target)
        total = lower_sum(cost)
        found.append(ListedPacking(cost, ends, complemented=False, constant=total, lift=np.logical_not))
    return found


def reachable(packing: Packing, target: float, step: float, clock: Clock) -> Packing | None:
    """Leave out the nodes that no choice of a cost below the target can hold, where that is quick to tell.

    Args:
        packing: any packing; only a complemented one can lose nodes.
        target: cost of a known choice, inf where none is known.
        step: every cost is a multiple of it, 0 where there is none.
        clock: what it is over for is None.
    """
    if not packing.complemented or not math.isfinite(target):
        return packing
    # A lower cost is lower by a whole step.
    limit = packing.constant - target + step / 2
    kept = _core.within_reach(packing.rows, packing.weight, limit, clock).view(np.bool_)
    return packing if kept.all() else packing.within(kept, target, clock)


def prove_packing(listed: ListedPacking, ledger: Ledger, *, seed: int) -> None:
    """Offer bounds on the cost of a packing until the ledger is settled or nothing is left to try."""
    packing = listed.build(ledger.quick_clock(listed.work))
    if packing is None or not _offer_first(packing, ledger):
        listed.offer_cheapest(ledger)
        return
    if ledger.settled:
        return
    if (reduced := listed.reduced(ledger)) is not None:
        if len(reduced.weight) == 0:
            ledger.discover(reduced.lift(np.zeros(0, np.bool_)))
            ledger.offer(reduced.constant, "reductions and small parts")
            return
        packing = reduced.build(ledger.clock())
        if packing is None or not _offer_first(packing, ledger):
            return
    rest = reachable(packing, ledger.target, ledger.step, ledger.clock())
    if rest is None or (rest is not packing and not _offer_first(rest, ledger)) or ledger.settled:
        return
    if rest.num_nodes > 0 and _search_cliques(rest, ledger, seed):
        return
    if 0 < rest.num_nodes <= MAX_DENSE and not ledger.settled:
        _improve_small(rest, ledger, seed)
    elif rest.num_nodes > 0 and not ledger.settled:
        _improve_large(rest, ledger, seed)


def _offer_first(packing: Packing, ledger: Ledger) -> bool:
    """Offer the bound of a greedy cover, or of what there is time for; tell whether it is whole."""
    clock = ledger.quick_clock(packing.num_nodes + packing.rows.num_entries)
    whole = True
    if packing.complemented:
        label = _core.greedy_colouring(packing.rows, packing.weight, clock)
        if label is None:
            return False
        cover = cover_of_labels(label, packing.weight)
    else:
        cover, whole = greedy_cover(packing.rows, packing.weight, clock)
    packing.offer(ledger, cover, "greedy")
    return whole


def _search_cliques(packing: Packing, ledger: Ledger, seed: int) -> bool:
    """Search choices as cliques of the pairs that do not conflict, where these are few; tell whether all were searched.

    Bounds are offered now and then: what is left to search can hold no more than the colours there. What is not
    searched soon may have a theta number that shows it.
    """
    free = packing.rows
    if not packing.complemented:
        every = packing.num_nodes * (packing.num_nodes - 1)
        if packing.num_nodes > MAX_DENSE or every > max(MAX_FREE, 2 * packing.rows.num_entries):
            return False
        complement = packing.rows.complement(ledger.clock())
        if complement is None:
            return False
        free = complement
    known = max(0.0, packing.constant - ledger.target) if math.isfinite(ledger.target) else 0.0
    none = np.zeros(packing.num_nodes, np.bool_)
    search = _core.CliqueSearch(free.start, free.node, packing.weight, none, seed, known)
    share = ledger.seconds_left * CLIQUE_SHARE
    with ledger.within(share):
        for turn in range(CLIQUE_TURNS):
            more = search.run(ledger.clock(share * 2.0 ** (turn + 1 - CLIQUE_TURNS)), -math.inf)
            if search.best_weight > known:
                ledger.discover(packing.lifted(search.best))
            if search.bound < math.inf:
                cost = math.nextafter(packing.constant - search.bound, -math.inf)
                ledger.offer(min(packing.floor, cost), "branch and bound on cliques")
            if not more or ledger.settled:
                break
            if turn == THETA_TURN:
                _prove_theta(packing, ledger, seconds=THETA_SHARE * ledger.seconds_left)
    return search.is_solved


def _prove_theta(packing: Packing, ledger: Ledger, *, seconds: float, conflicts: Neighbours | None = None) -> None:
    """Offer the theta number of the conflicts, where there is time for most of the steps that it takes."""
    count, pairs = packing.num_nodes, packing.rows.num_entries // 2
    num_conflicts = count * (count - 1) // 2 - pairs if packing.complemented else pairs
    if count > MAX_THETA or seconds < theta_seconds(count, num_conflicts, LEAST_STEPS):
        return
    if conflicts is None:
        conflicts = packing.rows.complement(ledger.clock()) if packing.complemented else packing.rows
    if conflicts is None or ledger.settled:
        return
    prove_theta(
        conflicts,
        packing.weight,
        ledger,
        limit=packing.constant - ledger.enough,
        seconds=seconds,
        offer=lambda weight: packing.offer_weight(ledger, weight, "theta number"),
    )


def _improve_small(packing: Packing, ledger: Ledger, seed: int) -> None:
    """Look for few cliques, then for the best prices of many, then branch; until the ledger is settled."""
    label = greedy_partition(packing.rows, colours=packing.complemented, clock=ledger.clock())
    if label is None:
        return
    packing.offer(ledger, cover_of_labels(label, packing.weight), "greedy")
    search = PartitionSearch(packing.rows, packing.weight, label, colours=packing.complemented, seed=seed)
    _search(packing, search, ledger, seconds=SEARCH_SHARE * ledger.seconds_left, patience=PATIENCE)
    conflicts = packing.rows.complement(ledger.clock()) if packing.complemented else packing.rows
    if conflicts is None or ledger.settled:
        return
    # Prices of cliques that are so far off are better paid by a matrix, and leave too much to branching.
    is_far = ledger.target - ledger.cost > FAR_SHARE * abs(packing.constant - ledger.target)
    if is_far:
        _prove_theta(packing, ledger, seconds=FAR_THETA_SHARE * ledger.seconds_left, conflicts=conflicts)
    if _price_and_branch(packing, conflicts, search.label, ledger, seed):
        return
    if not is_far:
        _prove_theta(packing, ledger, seconds=ledger.seconds_left, conflicts=conflicts)
    if packing.is_unweighted:
        _search_on(packing, search, ledger)


def _price_and_branch(packing: Packing, conflicts: Neighbours, label: Int32Array, ledger: Ledger, seed: int) -> bool:
    """Look for the best prices of cliques, then branch; tell whether nothing is left to do."""
    if ledger.settled:
        return True
    priced = price_cliques(packing, conflicts, label, ledger, seconds=PROGRAM_SHARE * ledger.seconds_left, seed=seed)
    return ledger.settled or _branch(packing, conflicts, priced, ledger) or ledger.settled


def _search(packing: Packing, search: PartitionSearch, ledger: Ledger, *, seconds: float, patience: int | None) -> None:
    """Look for fewer cliques."""
    search.run(packing.constant - ledger.enough, patience, ledger.clock(seconds))
    packing.offer(ledger, cover_of_labels(search.cheapest, packing.weight), "tabu search")


def _search_on(packing: Packing, search: PartitionSearch, ledger: Ledger) -> None:
    """Look for fewer cliques until that was in vain for twice as long as it took to the last success.

    A partition that cannot be bettered is mostly found soon: the search for a better set has more use for the time.
    """
    began = success = now()
    turn = TRIAL_SHARE * ledger.seconds_left
    while not ledger.settled and now() - success <= turn + 2 * (success - began):
        before = search.num_classes
        search.run(packing.constant - ledger.enough, None, ledger.clock(turn / 4))
        if search.num_classes < before:
            success = now()
            packing.offer(ledger, cover_of_labels(search.cheapest, packing.weight), "tabu search")


def _branch(packing: Packing, conflicts: Neighbours, priced: CliqueCover, ledger: Ledger) -> bool:
    """Search the complements of choices: of a clique of k nodes, k − 1 must be left out, of an odd cycle (k + 1) / 2.

    Tell whether it was ended.
    """
    paid = priced.price > 0
    sets = kept_sets(SetList(priced.start, priced.member, priced.most), paid)
    cliques = kept_sets(sets, sets.limit == 1)
    found = _core.cover_pairs(conflicts, cliques.start, cliques.member, MAX_BRANCHING, ledger.clock())
    if found is None or ledger.settled:
        return False
    others = SetList(*found)
    rows = join_sets([sets, others])
    return prove_by_branching(
        packing.weight,
        rows,
        np.diff(rows.start) - rows.limit.astype(np.int64),
        np.concatenate([priced.price[paid], np.zeros(len(others.start) - 1)]),
        ledger,
        constant=packing.constant - upper_sum(packing.weight),
        offer=lambda cost: ledger.offer(min(packing.floor, cost), "branch and bound on cliques"),
    )


def _improve_large(packing: Packing, ledger: Ledger, seed: int) -> None:
    """Price cliques where their list is not too long, then partition the nodes again and again."""
    label = greedy_partition(packing.rows, colours=packing.complemented, clock=ledger.clock())
    if label is None or ledger.settled:
        return
    if not packing.complemented and packing.rows.num_entries <= MAX_PROGRAM:
        price_cliques(packing, packing.rows, label, ledger, seconds=ledger.seconds_left, seed=seed)
    search = IteratedGreedy(packing.rows, packing.weight, label, colours=packing.complemented, seed=seed)
    search.run(packing.constant - ledger.enough, ledger.clock())
    packing.offer(ledger, cover_of_labels(search.cheapest, packing.weight), "iterated greedy")


def price_cliques(
    packing: Packing, conflicts: Neighbours, label: Int32Array, ledger: Ledger, *, seconds: float, seed: int
) -> CliqueCover:
    """Offer the linear program's bounds and return its cliques, priced, or a plain cover where it finds none.

    It begins with a partition and, for weights that differ, a greedy cover, and adds cliques that its solution
    overfills.

    Args:
        packing: what is bounded.
        conflicts: the nodes that each node conflicts with.
        label: [num_nodes] a partition into cliques of conflicts.
        ledger: takes the bounds.
        seconds: how long at most.
        seed: of the order in which equal nodes are tried.
    """
    priced = cover_of_labels(label, packing.weight)
    sets, rng = SetList(priced.start, priced.member), np.random.default_rng(seed)

    cycles = OddCycles(conflicts) if conflicts.num_entries <= MAX_CYCLES * packing.num_nodes else None

    def separate(solution: FloatArray) -> SetList:
        most, draw = MAX_FOUND * packing.num_nodes, int(rng.integers(2**63))
        found = SetList(*_core.overfilled_cliques(conflicts, solution, draw, most, ledger.clock()))
        if len(found.start) > 1 or cycles is None:
            return found
        return cycles.overfilled(solution, rng.permutation(packing.num_nodes).astype(np.int32), most, ledger.clock())

    def offer(sets: SetList, price: FloatArray) -> None:
        nonlocal priced
        priced = CliqueCover(sets.start, sets.member, price, sets.most)
        packing.offer(ledger, priced, "linear program")

    with ledger.within(seconds):
        if not packing.is_unweighted:
            greedy, whole = greedy_cover(conflicts, packing.weight, ledger.clock())
            if not whole:
                return priced
            priced = greedy
            packing.offer(ledger, greedy, "greedy")
            sets = join_sets([sets, SetList(greedy.start, greedy.member)])
        tighten("packing", packing.weight, sets, ledger, separate=separate, offer=offer)
    return priced


class OddCycles:
    """Odd cycles of a graph: of k nodes, at most (k − 1) / 2 are chosen of which no two are joined.

    With 1 − x_u − x_v as lengths of edges, an odd cycle that is shorter than 1 holds more of x than that (Grötschel,
    Lovász and Schrijver, 1988).
    """

    def __init__(self, joined: Neighbours) -> None:
        near = np.repeat(np.arange(joined.num_nodes, dtype=np.int32), np.diff(joined.start))
        self._low, self._high = near[near < joined.node], joined.node[near < joined.node]
        # Couplings that all want to differ: a cycle of an odd number of them is at odds.
        couplings = Couplings(joined.num_nodes, self._low, self._high, np.ones(len(self._low)))
        self._separation = CycleSeparation(couplings)

    def overfilled(self, solution: FloatArray, roots: Int32Array, most: int, clock: Clock) -> SetList:
        """Return odd cycles that hold too much of a solution [num_nodes], through some of the roots.

        Example:
            >>> from annealco.bounds.linear_program import neighbours_of
            >>> ring = OddCycles(neighbours_of(np.array([[0, 1, 2, 3, 0], [1, 2, 3, 4, 4]]), 5))
            >>> found = ring.overfilled(np.full(5, 0.5), np.arange(5, dtype=np.int32), 100, Clock())
            >>> sorted(found.member[:5].tolist()), float(found.most[0])
            ([0, 1, 2, 3, 4], 2.0)
        """
        length = np.maximum(1.0 - solution[self._low] - solution[self._high], 0.0)
        start, pair = self._separation.find(length, roots, most, clock)
        sizes = np.diff(start)
        cycle = np.repeat(np.arange(len(sizes)), 2 * sizes)
        ends = np.stack([self._low[pair], self._high[pair]], axis=1).reshape(-1)
        # Every node of a simple cycle is the end of two of its edges.
        key = np.unique(cycle * len(solution) + ends)
        cycle, member = np.divmod(key, len(solution))
        is_simple = (np.bincount(cycle, minlength=len(sizes)) == sizes) & (sizes % 2 == 1)
        kept = is_simple[cycle]
        count = sizes[is_simple]
        offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        return SetList(offsets, member[kept].astype(np.int32), (count - 1) / 2)


class CliqueCover(NamedTuple):
    """Priced cliques, and perhaps odd cycles.

    Attributes:
        start: [num_cliques + 1] offsets into ``member``.
        member: [num_members] nodes, of which every two in one clique are neighbours.
        price: [num_cliques], not negative.
        most: [num_cliques] how many nodes of each can be chosen, 1 of a clique; None where there are cliques only.
    """

    start: IntArray
    member: Int32Array
    price: FloatArray
    most: FloatArray | None = None


def greedy_cover(rows: Neighbours, weight: FloatArray, clock: Clock) -> tuple[CliqueCover, bool]:
    """Price cliques grown from leaves and from nodes with few neighbours, until every weight is used up.

    A leaf is covered optimally by its edge. Near-linear time on sparse graphs.

    Args:
        rows: the graph.
        weight: [num_nodes], not negative; a node without weight needs no clique.
        clock: says when to stop; what is left out then has to pay for itself.

    Returns:
        The cover, and whether it is whole.

    Example:
        >>> from annealco.bounds.linear_program import neighbours_of
        >>> path = neighbours_of(np.array([[0, 1, 2], [1, 2, 3]]), 4)
        >>> greedy_cover(path, np.array([1.0, 3.0, 5.0, 5.0]), Clock())[0].price.tolist()
        [1.0, 2.0, 3.0, 2.0]
    """
    start, member, price, whole = _core.greedy_clique_cover(rows, weight, clock)
    return CliqueCover(start, member, price), whole


def greedy_partition(rows: Neighbours, *, colours: bool, clock: Clock) -> Int32Array | None:
    """Return classes of the nodes that are colours or cliques [num_nodes], or None where the clock was over first."""
    ones = np.ones(rows.num_nodes)
    if colours:
        return _core.greedy_colouring(rows, ones, clock)
    cover, whole = greedy_cover(rows, ones, clock)
    return labels_of_cover(cover) if whole else None


def cover_of_labels(label: Int32Array, weight: FloatArray) -> CliqueCover:
    """Return the cover by classes of nodes [num_nodes], each at the price of its heaviest member.

    Example:
        >>> cover_of_labels(np.array([1, 0, 1]), np.array([2.0, 5.0, 3.0])).price.tolist()
        [5.0, 3.0]
    """
    member = np.argsort(label, kind="stable").astype(np.int32)
    start = np.concatenate([[0], np.cumsum(np.bincount(label))]).astype(np.int64)
    return CliqueCover(start, member, segment_max(weight[member], start))


def labels_of_cover(cover: CliqueCover) -> Int32Array:
    """Return the class of each node of a cover in which every node is once, [num_nodes]."""
    label = np.empty(len(cover.member), np.int32)
    label[cover.member] = np.repeat(np.arange(len(cover.price)), np.diff(cover.start))
    return label


def certified_price(cover: CliqueCover, weight: FloatArray) -> float:
    """Return what the cover proves: an upper bound on the weight of any set with at most one node of each clique.

    Where the prices of a node's cliques fall short of its weight [num_nodes], by rounding or because a solver is not
    exact, the node pays for the difference itself. Every rounding is outward, so that the bound holds for any prices.

    Example:
        >>> cover = CliqueCover(np.array([0, 2]), np.array([0, 1], np.int32), np.array([1.0]))
        >>> certified_price(cover, np.array([1.0, 1.5])) - 1.5 < 1e-15
        True
    """
    return _core.certified_price(cover.start, cover.member, cover.price, weight, cover.most)


def _takes(structure: Structure) -> bool:
    constrained = structure.apart or structure.conflicts.shape[1] or covers_pairs(structure)
    return is_plain(structure) and bool(constrained)


def _prove(instance: Instance, ledger: Ledger, *, seed: int) -> None:
    """Offer bounds of all packings that an instance can be relaxed to; they share what is left of the time."""
    packings = packings_of(structure_of(instance), ledger.target)
    for place, packing in enumerate(packings):
        if not ledger.closed:
            seconds = math.inf if ledger.is_quick else ledger.seconds_left / (len(packings) - place)
            with ledger.within(seconds):
                prove_packing(packing, ledger, seed=seed)


CLIQUE_COVER = BoundKind(
    name="clique_cover",
    title="priced cliques, or colours, of nodes that exclude each other, and branching",
    takes=_takes,
    prove=_prove,
)
