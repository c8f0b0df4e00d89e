"""A packing: choose nodes of the most weight of which no two conflict.

Conflicts are listed, as the edges of an independent set's graph, or their opposite is, as the edges of a clique's
graph: then the nodes of a colour conflict with each other, and a colouring is what a clique cover is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from annealco.bounds.clique_cover import CliqueCover, certified_price
from annealco.bounds.colouring import within_reach
from annealco.bounds.ledger import Ledger
from annealco.bounds.neighbours import Neighbours, induced_rows, neighbours_of
from annealco.bounds.rounding import lower_sum, upper_sum
from annealco.bounds.structure import PairArray, Structure
from annealco.graph.segments import FloatArray


@dataclass(frozen=True, eq=False)
class Packing:
    """Choose nodes of which no two conflict: the cost is at least min(floor, constant − weight of the choice).

    Attributes:
        weight: [num_nodes], positive.
        rows: the conflicts, or the pairs that do not conflict.
        complemented: whether it is the latter.
        constant: see above.
        floor: least cost of a choice that is not within these nodes.
    """

    weight: FloatArray
    rows: Neighbours
    complemented: bool
    constant: float = 0.0
    floor: float = math.inf

    @property
    def num_nodes(self) -> int:
        return len(self.weight)

    @property
    def is_unweighted(self) -> bool:
        return bool(np.all(self.weight == self.weight[:1]))

    def offer(self, ledger: Ledger, cover: CliqueCover, how: str) -> None:
        """Offer the lower bound on the cost that a cover of the nodes proves, and say how it was found."""
        cost = math.nextafter(self.constant - certified_price(cover, self.weight), -math.inf)
        ledger.offer(min(self.floor, cost), f"{'colouring' if self.complemented else 'clique cover'}, {how}")

    def within(self, kept: NDArray[np.bool_], floor: float) -> Packing:
        """Return the packing of some of the nodes [num_nodes], all other choices costing the floor at least."""
        return replace(self, weight=self.weight[kept], rows=induced_rows(self.rows, kept), floor=min(self.floor, floor))


def packings_of(structure: Structure) -> list[Packing]:
    """Return the packings that a structure without pairs in its objective can be relaxed to.

    A node that costs something is left out of a packing: choosing it only adds to the cost.
    """
    weight = np.maximum(-structure.linear, 0.0)
    found = []
    for term in structure.apart:
        bound = term.coefficient > 0
        free = -upper_sum(weight[~bound]) if not bound.all() else 0.0
        found.append(_packing(np.where(bound, weight, 0.0), term.excluded, complemented=True, constant=free))
    if structure.conflicts.shape[1]:
        found.append(_packing(weight, structure.conflicts, complemented=False, constant=0.0))
    if covers_pairs(structure):
        # What a cover of pairs leaves out is a packing.
        ends, total = structure.members.reshape(-1, 2).T, lower_sum(structure.linear)
        found.append(_packing(structure.linear, ends, complemented=False, constant=total))
    return found


def covers_pairs(structure: Structure) -> bool:
    """Tell whether all sets to be hit are pairs, of nodes that cost something or nothing."""
    sizes = np.diff(structure.set_ptr)
    return len(sizes) > 0 and bool(np.all(sizes == 2) and np.all(structure.linear >= 0))


def reachable(packing: Packing, target: float, step: float) -> Packing:
    """Leave out the nodes that no choice of a cost below the target can hold, where that is quick to tell.

    Args:
        packing: any packing; only a complemented one can lose nodes.
        target: cost of a known choice, inf where none is known.
        step: every cost is a multiple of it, 0 where there is none.
    """
    if not packing.complemented or not math.isfinite(target):
        return packing
    # A lower cost is lower by a whole step.
    kept = within_reach(packing.rows, packing.weight, packing.constant - target + step / 2)
    return packing if kept.all() else packing.within(kept, target)


def _packing(weight: FloatArray, pairs: PairArray, *, complemented: bool, constant: float) -> Packing:
    rows, kept = neighbours_of(pairs, len(weight)), weight > 0
    return Packing(weight[kept], induced_rows(rows, kept), complemented, constant)
