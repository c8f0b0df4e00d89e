"""Price the cliques of a packing by linear programming."""

from __future__ import annotations

import numpy as np

from annealco.bounds.clique_cover import CliqueCover, cover_of_labels
from annealco.bounds.clique_separation import fractional_point, overfilled_cliques
from annealco.bounds.cutting_plane import SetList, tighten
from annealco.bounds.greedy_cover import greedy_clique_cover
from annealco.bounds.ledger import Ledger
from annealco.bounds.neighbours import Neighbours
from annealco.bounds.packing import Packing
from annealco.graph.segments import FloatArray, IntArray


def price_cliques(
    packing: Packing, conflicts: Neighbours, label: IntArray, ledger: Ledger, *, seconds: float, seed: int
) -> CliqueCover:
    """Offer the linear program's bounds and return its cliques, priced, or a greedy cover where it finds none.

    It begins with a partition and a greedy cover, and adds cliques that its solution overfills.

    Args:
        packing: what is bounded.
        conflicts: the nodes that each node conflicts with.
        label: [num_nodes] a partition into cliques of conflicts.
        ledger: takes the bounds.
        seconds: how long at most.
        seed: of the order in which equal nodes are tried.
    """
    classes, priced = cover_of_labels(label, packing.weight), greedy_clique_cover(conflicts, packing.weight)
    start = np.concatenate([classes.start, classes.start[-1] + priced.start[1:]])
    rng = np.random.default_rng(seed)

    def separate(solution: FloatArray) -> SetList:
        return SetList(*overfilled_cliques(conflicts, fractional_point(solution, rng)))

    def offer(sets: SetList, price: FloatArray) -> None:
        nonlocal priced
        priced = CliqueCover(*sets, price)
        packing.offer(ledger, priced, "linear program")

    sets = SetList(start, np.concatenate([classes.member, priced.member]))
    tighten("packing", packing.weight, sets, ledger, separate=separate, offer=offer, seconds=seconds)
    return priced
