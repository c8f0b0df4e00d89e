"""Improve the bound of a packing of up to a few thousand nodes, whose conflicts fit into a matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.bounds.branch_bound import demands_of, prove_by_branching
from annealco.bounds.clique_cover import CliqueCover, cover_of_labels, labels_of_cover
from annealco.bounds.clique_pricing import price_cliques
from annealco.bounds.colouring import greedy_colouring
from annealco.bounds.cover_search import CoverSearch
from annealco.bounds.cutting_plane import SetList, join_sets
from annealco.bounds.greedy_cover import greedy_cover_in_time
from annealco.bounds.ledger import Ledger
from annealco.bounds.neighbours import Neighbours, neighbour_matrix, rows_of_matrix
from annealco.bounds.packing import Packing
from annealco.bounds.pair_cover import cover_pairs
from annealco.bounds.rounding import upper_sum
from annealco.graph.segments import IntArray

SEARCH_SHARE = 0.2
PROGRAM_SHARE = 0.4
"""How much of the time the search for few cliques gets, and of what is then left the linear program."""

MAX_BRANCHING = 100_000
"""Up to so many members of cliques that cover all conflicts, branching is tried."""


def improve_small(packing: Packing, ledger: Ledger, *, seed: int) -> None:
    """Look for few cliques, then for the best prices of many, then branch; until the ledger is settled."""
    conflict = _conflict_matrix(packing)
    label = _first_partition(packing, ledger)
    if label is None:
        return
    packing.offer(ledger, cover_of_labels(label, packing.weight), "greedy")
    search = CoverSearch(~conflict & ~np.eye(len(conflict), dtype=bool), label, seed=seed)

    def run(moves: int) -> int:
        label = search.label
        done = search.run(moves)
        if search.label is not label:
            packing.offer(ledger, cover_of_labels(search.label, packing.weight), "tabu search")
        return done

    ledger.spend(run, seconds=SEARCH_SHARE * ledger.seconds_left)
    if ledger.settled:
        return
    rows = rows_of_matrix(conflict) if packing.complemented else packing.rows
    seconds = PROGRAM_SHARE * ledger.seconds_left
    priced = price_cliques(packing, rows, search.label, ledger, seconds=seconds, seed=seed)
    if not ledger.settled and not _branch(packing, rows, priced, ledger) and packing.is_unweighted:
        ledger.spend(run)


def _conflict_matrix(packing: Packing) -> NDArray[np.bool_]:
    listed = neighbour_matrix(packing.rows)
    return ~listed & ~np.eye(len(listed), dtype=bool) if packing.complemented else listed


def _first_partition(packing: Packing, ledger: Ledger) -> IntArray | None:
    """Return a partition of the nodes into classes of which any two members conflict, None where time is up."""
    ones = np.ones(packing.num_nodes)
    if packing.complemented:
        return greedy_colouring(packing.rows, ones)
    cover = greedy_cover_in_time(packing.rows, ones, ledger)
    return None if cover is None else labels_of_cover(cover)


def _branch(packing: Packing, conflicts: Neighbours, priced: CliqueCover, ledger: Ledger) -> bool:
    """Search the complements of choices: of a clique of k nodes, k − 1 must be left out. Tell whether it was ended."""
    paid = np.flatnonzero(priced.price > 0)
    lengths = np.diff(priced.start)[paid]
    kept = np.repeat(priced.price > 0, np.diff(priced.start))
    cliques = SetList(np.concatenate([[0], np.cumsum(lengths)]), priced.member[kept])
    others = cover_pairs(conflicts, cliques, ledger, most=MAX_BRANCHING)
    if others is None or ledger.settled:
        return False
    rows = join_sets([cliques, others])
    return prove_by_branching(
        demands_of(packing.weight, rows, np.diff(rows.start) - 1),
        np.concatenate([priced.price[paid], np.zeros(len(others.start) - 1)]),
        ledger,
        constant=packing.constant - upper_sum(packing.weight),
        offer=lambda cost: ledger.offer(min(packing.floor, cost), "branch and bound on cliques"),
    )
