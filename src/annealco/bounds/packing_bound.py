"""Prove how little a packing can cost: a quick cover first, then better ones for as long as there is time."""

from __future__ import annotations

import time

import numpy as np

from annealco.bounds.clique_cover import CliqueCover, cover_of_labels, labels_of_cover
from annealco.bounds.clique_pricing import price_cliques
from annealco.bounds.colouring import colour_in_order, greedy_colouring
from annealco.bounds.greedy_cover import greedy_clique_cover, greedy_cover_in_time, part_of_greedy_cover
from annealco.bounds.iterated_greedy import cliques_in_order, next_partition
from annealco.bounds.ledger import Ledger
from annealco.bounds.packing import Packing, reachable
from annealco.bounds.small_packing import improve_small

MAX_DENSE = 2500
"""Up to so many nodes the conflicts are held as a matrix."""

MAX_PROGRAM = 300_000
"""Up to so many listed neighbours a larger graph's cliques are priced by linear programming."""


def prove_packing(packing: Packing, ledger: Ledger, *, seed: int) -> None:
    """Offer bounds on the cost of a packing until the ledger is settled or nothing is left to try."""
    packing.offer(ledger, _first_cover(packing, ledger), "greedy")
    if ledger.settled:
        return
    rest = reachable(packing, ledger.target, ledger.step)
    if rest.num_nodes < packing.num_nodes:
        rest.offer(ledger, _first_cover(rest, ledger), "greedy")
    if ledger.settled or rest.num_nodes == 0:
        return
    if rest.num_nodes <= MAX_DENSE:
        improve_small(rest, ledger, seed=seed)
    else:
        _improve_large(rest, ledger, seed)


def _first_cover(packing: Packing, ledger: Ledger) -> CliqueCover:
    if packing.complemented:
        return cover_of_labels(greedy_colouring(packing.rows, packing.weight), packing.weight)
    if ledger.is_quick:
        return greedy_clique_cover(packing.rows, packing.weight)
    return part_of_greedy_cover(packing.rows, packing.weight, ledger)


def _improve_large(packing: Packing, ledger: Ledger, seed: int) -> None:
    """Price cliques where their list is not too long, then partition the nodes again and again."""
    rng, began = np.random.default_rng(seed), time.perf_counter()
    if packing.complemented:
        label, regroup = greedy_colouring(packing.rows, packing.weight), colour_in_order
    else:
        cover = greedy_cover_in_time(packing.rows, np.ones(packing.num_nodes), ledger)
        if cover is None:
            return
        label, regroup = labels_of_cover(cover), cliques_in_order
    took = time.perf_counter() - began
    if not packing.complemented and len(packing.rows.node) <= MAX_PROGRAM and not ledger.settled:
        price_cliques(packing, packing.rows, label, ledger, seconds=ledger.seconds_left, seed=seed)
    while not ledger.closed and ledger.seconds_left > took:
        began, classes = time.perf_counter(), label.max()
        label = next_partition(packing.rows, label, regroup, rng)
        if label.max() < classes:
            packing.offer(ledger, cover_of_labels(label, packing.weight), "iterated greedy")
        took = time.perf_counter() - began
