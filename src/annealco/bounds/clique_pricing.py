"""Price the cliques of a packing by linear programming."""

from __future__ import annotations

import numpy as np

from annealco.bounds.clique_cover import CliqueCover, cover_of_labels
from annealco.bounds.clique_separation import fractional_point, overfilled_cliques
from annealco.bounds.cutting_plane import SetList, gather, join_sets, tighten
from annealco.bounds.greedy_cover import greedy_cover_in_time
from annealco.bounds.ledger import Ledger
from annealco.bounds.neighbours import Neighbours
from annealco.bounds.packing import Packing
from annealco.graph.segments import FloatArray, IntArray

MAX_FOUND = 16
"""Members of cliques, a node, that are added in one round at most."""


def price_cliques(
    packing: Packing, conflicts: Neighbours, label: IntArray, ledger: Ledger, *, seconds: float, seed: int
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
    classes = priced = cover_of_labels(label, packing.weight)
    sets, rng = SetList(classes.start, classes.member), np.random.default_rng(seed)

    def separate(solution: FloatArray) -> SetList:
        point, shared = fractional_point(solution, rng), np.zeros(packing.num_nodes, np.int64)

        def find(seeds: IntArray) -> SetList:
            return SetList(*overfilled_cliques(conflicts, point, seeds, shared))

        return gather(find, point.order, ledger, most=MAX_FOUND * packing.num_nodes)

    def offer(sets: SetList, price: FloatArray) -> None:
        nonlocal priced
        priced = CliqueCover(*sets, price)
        packing.offer(ledger, priced, "linear program")

    with ledger.within(seconds):
        if not packing.is_unweighted:
            greedy = greedy_cover_in_time(conflicts, packing.weight, ledger)
            if greedy is None:
                return priced
            priced = greedy
            packing.offer(ledger, greedy, "greedy")
            sets = join_sets([sets, SetList(greedy.start, greedy.member)])
        tighten("packing", packing.weight, sets, ledger, separate=separate, offer=offer)
    return priced
