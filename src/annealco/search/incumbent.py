"""Remember the best assignment of a search at a constant cost a flip.

Copying an assignment takes as long as it is large, and on the way down every flip finds a better one. Instead the flips
since the best are written down; where they become as many as there are nodes, the best is worked out from them, once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import inlined, kernel

SAVED = -1


class Incumbent(NamedTuple):
    """The best assignment, as such or as flips away from the present one.

    Attributes:
        best: [num_nodes] the best, where ``length`` is SAVED.
        journal: [num_nodes] nodes flipped since the best.
        length: [1] how many, or SAVED.
        cost: [1] of the best, infinite where there is none.
    """

    best: NDArray[np.bool_]
    journal: NDArray[np.int32]
    length: IntArray
    cost: FloatArray


def new_incumbent(assignment: NDArray[np.bool_], cost: float) -> Incumbent:
    """Return an incumbent that holds a copy of an assignment."""
    return Incumbent(
        best=assignment.copy(),
        journal=np.empty(len(assignment), dtype=np.int32),
        length=np.full(1, SAVED, dtype=np.int64),
        cost=np.full(1, cost),
    )


@inlined
def record_best(incumbent: Incumbent, cost: float) -> None:
    """Make the present assignment the best."""
    incumbent.length[0] = 0
    incumbent.cost[0] = cost


@inlined
def note_flip(incumbent: Incumbent, chosen: NDArray[np.bool_], node: int) -> None:
    """Write down that a node of the present assignment is about to be flipped."""
    if incumbent.length[0] == len(incumbent.journal):
        save_best(incumbent, chosen)
    if incumbent.length[0] != SAVED:
        incumbent.journal[incumbent.length[0]] = node
        incumbent.length[0] += 1


@kernel
def save_best(incumbent: Incumbent, chosen: NDArray[np.bool_]) -> None:
    """Work out the best from the present assignment and the flips since."""
    if incumbent.length[0] == SAVED:
        return
    for node in range(len(chosen)):
        incumbent.best[node] = chosen[node]
    for k in range(incumbent.length[0]):
        node = incumbent.journal[k]
        incumbent.best[node] = not incumbent.best[node]
    incumbent.length[0] = SAVED
