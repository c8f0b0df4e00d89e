"""Search for a partition into few classes by moving nodes in and out of them, with a tabu list.

A partial partition keeps its classes free of clashes and leaves some nodes out. A move puts a node that is out into a
class and throws out whatever clashes with it there; it is chosen to throw out the fewest, and what was thrown out may
not come back to that class for a while (Blöchliger and Zufferey, 2008). When no node is out, the partition is whole.
Which nodes clash is a dense matrix: this is for graphs of up to a few thousand nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.graph.segments import IntArray
from annealco.jit import kernel

OUT = -1

ClashMatrix = NDArray[np.bool_]


class PartialCover(NamedTuple):
    """Classes without clashes, and the nodes that are out; changed in place by `search`.

    Attributes:
        label: [num_nodes] class of each node, or `OUT`.
        clashes: [num_classes, num_nodes], int32, number of members that the node clashes with.
        barred_until: [num_classes, num_nodes], int32, the move up to which the node may not enter.
        out: [num_nodes] the nodes that are out, in the first ``tally[0]`` places.
        tally: [3] number of nodes out, least number of nodes out so far, moves made.
        random: [1], uint64, state of the random numbers.
    """

    label: IntArray
    clashes: NDArray[np.int32]
    barred_until: NDArray[np.int32]
    out: IntArray
    tally: IntArray
    random: NDArray[np.uint64]


def start_search(clash: ClashMatrix, label: IntArray, num_classes: int, seed: int) -> PartialCover:
    """Return a partial cover with the classes of ``label`` [num_nodes] below ``num_classes``, all other nodes out.

    Args:
        clash: [num_nodes, num_nodes], which two nodes cannot share a class.
        label: [num_nodes], classes without clashes.
        num_classes: how many classes to fill.
        seed: of the random choices.
    """
    kept = np.where((label >= 0) & (label < num_classes), label, OUT)
    clashes = np.zeros((num_classes, len(label)), np.int32)
    _count_clashes(clash, kept, clashes)
    missing = int(np.count_nonzero(kept == OUT))
    out = np.zeros(len(label), np.int64)
    out[:missing] = np.flatnonzero(kept == OUT)
    # Any odd multiple of this constant is a state that is not zero.
    state = np.array([((2 * seed + 1) * 0x9E3779B97F4A7C15) % 2**64], dtype=np.uint64)
    return PartialCover(kept, clashes, np.zeros_like(clashes), out, np.array([missing, missing, 0]), state)


@kernel
def search(clash: ClashMatrix, cover: PartialCover, moves: int) -> bool:
    """Make up to so many moves; tell whether no node is out any more."""
    tally = cover.tally
    last = tally[2] + moves
    while tally[0] > 0 and tally[2] < last:
        tally[2] += 1
        place, chosen = _best_move(cover)
        if place == OUT:
            place, chosen = _below(cover.random, tally[0]), _below(cover.random, len(cover.clashes))
        _enter(clash, cover, place, chosen)
        tally[1] = min(tally[1], tally[0])
    return bool(tally[0] == 0)


@kernel
def _count_clashes(clash: ClashMatrix, label: IntArray, clashes: NDArray[np.int32]) -> None:
    for node in range(len(label)):
        if label[node] != OUT:
            for other in range(len(label)):
                clashes[label[node], other] += clash[node, other]


@kernel
def _best_move(cover: PartialCover) -> tuple[int, int]:
    """Return the place in ``out`` and the class of a move that throws out the fewest, ties at random.

    Both are `OUT` where all moves are barred.
    """
    missing, fewest, move = cover.tally[0], cover.tally[1], cover.tally[2]
    best, ties, best_place, best_class = len(cover.label), 0, OUT, OUT
    for place in range(missing):
        node = cover.out[place]
        for each in range(len(cover.clashes)):
            thrown = cover.clashes[each, node]
            # A barred move is allowed all the same where it leaves fewer nodes out than ever.
            if thrown <= best and (cover.barred_until[each, node] < move or missing - 1 + thrown < fewest):
                ties = 1 if thrown < best else ties + 1
                best = thrown
                if ties == 1 or _below(cover.random, ties) == 0:
                    best_place, best_class = place, each
    return best_place, best_class


@kernel
def _enter(clash: ClashMatrix, cover: PartialCover, place: int, chosen: int) -> None:
    """Put a node that is out into a class; throw out and bar what clashes with it there."""
    node, tally = cover.out[place], cover.tally
    crowded = cover.clashes[chosen, node] > 0
    tally[0] -= 1
    cover.out[place] = cover.out[tally[0]]
    for other in range(len(cover.label)):
        cover.clashes[chosen, other] += clash[node, other]
    if crowded:
        until = tally[2] + (3 * tally[0]) // 5 + _below(cover.random, 10)
        for other in range(len(cover.label)):
            if clash[node, other] and cover.label[other] == chosen:
                cover.label[other] = OUT
                cover.barred_until[chosen, other] = until
                cover.out[tally[0]] = other
                tally[0] += 1
                for third in range(len(cover.label)):
                    cover.clashes[chosen, third] -= clash[other, third]
    cover.label[node] = chosen


@kernel
def _below(random: NDArray[np.uint64], limit: int) -> int:
    """Return a random number from 0 to limit - 1 (xorshift64*)."""
    state = random[0]
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    random[0] = state
    return int((state * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(33)) % limit
