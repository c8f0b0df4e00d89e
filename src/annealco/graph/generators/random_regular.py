"""Draw random regular graphs, in which all nodes have the same degree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.arguments import as_integer
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.normalisation import MAX_NODES
from annealco.graph.operations import complement

MAX_REPAIR_ROUNDS = 200
"""Repair takes about log(num_edges) rounds; a pairing that resists this long, as tiny ones can, is drawn anew."""


def random_regular(rng: np.random.Generator, *, num_nodes: int, degree: int) -> Graph:
    """Draw a simple graph in which every node has ``degree`` neighbours.

    Pairs the ends of edges at random (the configuration model), then exchanges ends between each loop or repeated edge
    and a random other edge until the graph is simple. The result is close to uniform, not exactly so. Degrees above
    (num_nodes - 1) / 2 are drawn as the complement of a sparser graph.

    Args:
        rng: source of randomness.
        num_nodes: at least ``degree + 1``.
        degree: at least 0; ``num_nodes * degree`` must be even.

    Example:
        >>> random_regular(np.random.default_rng(1), num_nodes=4, degree=2).degree.tolist()
        [2, 2, 2, 2]
    """
    each = as_integer("degree", degree, 0, MAX_NODES - 1)
    nodes = as_integer("num_nodes", num_nodes, each + 1, MAX_NODES)
    if nodes * each % 2:
        raise InputError(f"num_nodes * degree must be even, not {nodes} * {each}")
    if 2 * each > nodes - 1:
        return complement(random_regular(rng, num_nodes=nodes, degree=nodes - 1 - each))
    edges = None
    while edges is None:
        edges = _repair(rng, rng.permutation(np.repeat(np.arange(nodes), each)).reshape(2, -1), nodes)
    return Graph.from_edges(edges, nodes, origin="random_regular")


def _repair(rng: np.random.Generator, edges: NDArray[np.int64], nodes: int) -> NDArray[np.int64] | None:
    """Exchange ends until no loop and no repeated edge is left; None if they stay."""
    for _ in range(MAX_REPAIR_ROUNDS):
        keys = _pair_keys(edges, nodes)
        ordered = np.sort(keys)
        bad = np.flatnonzero((edges[0] == edges[1]) | _is_repeat(keys, ordered))
        if len(bad) == 0:
            return edges
        edges = _exchange_ends(rng, edges, ordered, bad, nodes)
    return None


def _exchange_ends(
    rng: np.random.Generator, edges: NDArray[np.int64], ordered: NDArray[np.int64], bad: NDArray[np.int64], nodes: int
) -> NDArray[np.int64]:
    """Turn each bad edge (u, v) and a random good edge (x, y) into (u, y) and (x, v), where both of these are new.

    All bad edges try at once. Of those that want the same partner or make the same edge, the first alone may succeed.
    """
    partner = rng.integers(edges.shape[1], size=len(bad))
    swapped = np.where(rng.random(len(bad)) < 0.5, edges[::-1, partner], edges[:, partner])
    made = np.stack([[edges[0, bad], swapped[1]], [swapped[0], edges[1, bad]]])
    keys = np.stack([_pair_keys(pair, nodes) for pair in made])
    fits = (made[:, 0] != made[:, 1]).all(axis=0) & ~_contains(ordered, keys).any(axis=0)
    fits &= ~_contains(bad, partner) & _is_first(partner) & _is_first(keys.T.reshape(-1)).reshape(-1, 2).all(axis=1)
    result = edges.copy()
    result[:, bad[fits]] = made[0][:, fits]
    result[:, partner[fits]] = made[1][:, fits]
    return result


def _pair_keys(edges: NDArray[np.int64], nodes: int) -> NDArray[np.int64]:
    """Give each edge of [2, num_edges] a number that is the same in both directions."""
    keys: NDArray[np.int64] = np.minimum(edges[0], edges[1]) * nodes + np.maximum(edges[0], edges[1])
    return keys


def _is_repeat(keys: NDArray[np.int64], ordered: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark all but the first copy of each key; ``ordered`` are the same keys in ascending order."""
    # Copies are few, and sorting with positions is slow: the full sort need not carry them.
    copies = np.flatnonzero(_contains(ordered[1:][ordered[1:] == ordered[:-1]], keys))
    repeat = np.zeros(len(keys), dtype=bool)
    repeat[copies[~_is_first(keys[copies])]] = True
    return repeat


def _is_first(values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the first occurrence of each value, [len(values)]."""
    first = np.zeros(len(values), dtype=bool)
    first[np.unique(values, return_index=True)[1]] = True
    return first


def _contains(ordered: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the values that occur in an ascending array, in the shape of ``values``."""
    if len(ordered) == 0:
        return np.zeros(values.shape, dtype=bool)
    place = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    found: NDArray[np.bool_] = ordered[place] == values
    return found
