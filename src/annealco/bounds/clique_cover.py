"""Cover the nodes of a graph by priced cliques: the proof of how much an independent set can weigh.

A cover prices cliques so that the prices of every node's cliques add up to its weight at least. An independent set
takes at most one node of a clique, hence weighs at most the sum of all prices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from annealco.bounds.neighbours import Int32Array
from annealco.bounds.rounding import EPSILON, upper_sum
from annealco.graph.segments import FloatArray, IntArray, segment_max


class CliqueCover(NamedTuple):
    """Priced cliques.

    Attributes:
        start: [num_cliques + 1] offsets into ``member``.
        member: [num_members] nodes, of which every two in one clique are neighbours.
        price: [num_cliques], not negative.
    """

    start: IntArray
    member: Int32Array
    price: FloatArray


def cover_of_labels(label: IntArray, weight: FloatArray) -> CliqueCover:
    """Return the cover by classes of nodes [num_nodes], each at the price of its heaviest member.

    Example:
        >>> cover_of_labels(np.array([1, 0, 1]), np.array([2.0, 5.0, 3.0])).price.tolist()
        [5.0, 3.0]
    """
    member = np.argsort(label, kind="stable").astype(np.int32)
    start = np.concatenate([[0], np.cumsum(np.bincount(label))]).astype(np.int64)
    return CliqueCover(start, member, segment_max(weight[member], start))


def labels_of_cover(cover: CliqueCover) -> IntArray:
    """Return the class of each node of a cover in which every node is once, [num_nodes]."""
    label = np.empty(len(cover.member), np.int64)
    label[cover.member] = np.repeat(np.arange(len(cover.price)), np.diff(cover.start))
    return label


def join_covers(parts: Sequence[CliqueCover]) -> CliqueCover:
    """Return the priced cliques of all parts, one part after the other."""
    lengths = np.concatenate([np.diff(part.start) for part in parts])
    return CliqueCover(
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate([part.member for part in parts]),
        np.concatenate([part.price for part in parts]),
    )


def certified_price(cover: CliqueCover, weight: FloatArray) -> float:
    """Return what the cover proves: an upper bound on the weight of any set with at most one node of each clique.

    Where the prices of a node's cliques fall short of its weight [num_nodes], by rounding or because a solver is not
    exact, the node pays for the difference itself. Every rounding is outward, so that the bound holds for any prices.

    Example:
        >>> cover = CliqueCover(np.array([0, 2]), np.array([0, 1], np.int32), np.array([1.0]))
        >>> round(certified_price(cover, np.array([1.0, 1.5])), 9)
        1.5
    """
    price = np.maximum(cover.price, 0.0)
    paid = np.repeat(price, np.diff(cover.start))
    terms = np.bincount(cover.member, minlength=len(weight))
    # A sum of k positive floats is off by at most k roundings of itself.
    received = np.bincount(cover.member, paid, minlength=len(weight)) * (1 - (terms + 2) * EPSILON)
    missing = np.where(received < weight, (weight - received) * (1 + 2 * EPSILON), 0.0)
    return upper_sum(np.concatenate([price, missing[missing > 0]]))
