"""Cover the nodes of a graph by priced cliques: the proof of how much an independent set can weigh.

A cover prices cliques so that the prices of every node's cliques add up to its weight at least. An independent set
takes at most one node of a clique, hence weighs at most the sum of all prices. A partition into cliques is a cover that
prices each by its heaviest node. A partition into colours is the same for cliques of the graph: they have at most one
node of a colour.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annealco import _core
from annealco._core import Clock, Neighbours
from annealco.bounds.neighbours import Int32Array
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
        >>> from annealco.bounds.neighbours import neighbours_of
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
    return _core.certified_price(*cover, weight)
