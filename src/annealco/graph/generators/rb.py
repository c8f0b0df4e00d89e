"""Draw RB graphs: random instances of model RB (Xu, Boussemart, Hemery, Lecoutre 2007) written as graphs.

With n groups of k nodes and tightness p, let α = ln k / ln n, r = −α / ln(1−p) and s = ⌊p·n^{2α}⌋. Every group is a
clique. Then ⌊r·n·ln n − 1⌋ times, two distinct groups are picked and s new random edges are added between them, or as
many as are left. An independent set takes at most one node of a group, so the independence number is at most n; the
forced variant hides one node in each group and never joins two hidden ones, which makes it exactly n.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.arguments import as_integer
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.normalisation import MAX_NODES


def rb_graph(
    rng: np.random.Generator, *, num_groups: int, group_size: int, tightness: float, forced: bool = True
) -> Graph:
    """Draw one RB graph.

    Node numbers are shuffled; what they would have told is in ``node_data["group"]`` [num_nodes],
    ``graph_data["num_groups"]`` and, if forced, ``node_data["planted"]`` (bool [num_nodes], a maximum independent set)
    and ``graph_data["planted_size"]``.

    Takes O(k² · joined group pairs) time and memory.

    Args:
        rng: source of randomness.
        num_groups: n, at least 1.
        group_size: k, at least 1.
        tightness: p, above 0 and at most 1.
        forced: hide an independent set of ``num_groups`` nodes.

    Example:
        >>> graph = rb_graph(np.random.default_rng(1), num_groups=3, group_size=2, tightness=0.5)
        >>> graph.num_nodes, int(graph.node_data["planted"].sum()), graph.graph_data["planted_size"].tolist()
        (6, 3, [3])
    """
    groups, size = as_integer("num_groups", num_groups, 1), as_integer("group_size", group_size, 1)
    if groups * size > MAX_NODES:
        raise InputError(f"{groups:,} groups of {size:,} are more than {MAX_NODES:,} nodes")
    if not 0 < tightness <= 1:
        raise InputError(f"tightness must be above 0 and at most 1, not {tightness}")
    hidden = rng.integers(size, size=groups) if forced else None
    edges = np.concatenate([_group_cliques(groups, size), _cross_edges(rng, groups, size, tightness, hidden)], axis=1)
    number = rng.permutation(groups * size)
    node_data: dict[str, ArrayLike] = {"group": np.argsort(number) // size}
    graph_data: dict[str, ArrayLike] = {"num_groups": [groups]}
    if hidden is not None:
        planted = np.zeros(groups * size, dtype=bool)
        planted[number[np.arange(groups) * size + hidden]] = True
        node_data["planted"] = planted
        graph_data["planted_size"] = [groups]
    return Graph.from_edges(number[edges], groups * size, node_data=node_data, graph_data=graph_data, origin="rb_graph")


def _group_cliques(groups: int, size: int) -> NDArray[np.int64]:
    """Join all pairs in each group, [2, groups * size * (size - 1) / 2]."""
    inside = np.stack(np.triu_indices(size, 1))
    starts = np.arange(groups) * size
    return (inside[:, None, :] + starts[None, :, None]).reshape(2, -1)


def _cross_edges(
    rng: np.random.Generator, groups: int, size: int, tightness: float, hidden: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """Draw the edges between groups, [2, num_cross_edges].

    The rounds that hit one pair of groups draw new edges without replacement one after the other. Together they are
    one uniform subset of min(times · s, capacity) of its k² possible edges, so that all rounds are drawn first and
    each pair then takes its quota in the order of random priorities.
    """
    each, rounds = _edges_a_round(size, tightness), _num_rounds(groups, size, tightness)
    if each == 0 or rounds == 0:
        return np.zeros((2, 0), np.int64)
    pair, times = _draw_pairs(rng, groups, rounds)
    low, high = np.divmod(pair, groups)
    priority = rng.random((len(pair), size * size))
    capacity = size * size
    if hidden is not None:
        capacity -= 1
        priority[np.arange(len(pair)), hidden[low] * size + hidden[high]] = np.inf
    quota = np.minimum(times * each, capacity)
    taken = np.arange(size * size) < quota[:, None]
    in_low, in_high = np.divmod(np.argsort(priority, axis=1)[taken], size)
    return np.stack([np.repeat(low * size, quota) + in_low, np.repeat(high * size, quota) + in_high])


def _draw_pairs(rng: np.random.Generator, groups: int, rounds: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pick two distinct groups ``rounds`` times; return the pairs as low · groups + high, and how often each came."""
    first = rng.integers(groups, size=rounds)
    second = rng.integers(groups - 1, size=rounds)
    second += second >= first
    return np.unique(np.minimum(first, second) * groups + np.maximum(first, second), return_counts=True)


def _edges_a_round(size: int, tightness: float) -> int:
    # n^{2α} is k² exactly; as a power of floats it may fall just below.
    return _floor(tightness * size * size)


def _num_rounds(groups: int, size: int, tightness: float) -> int:
    """Return ⌊r·n·ln n − 1⌋ = ⌊−n·ln k / ln(1−p)⌋ − 1, never below 0; a single group has no pair to join."""
    if groups == 1 or tightness == 1:
        return 0
    return max(0, _floor(-groups * math.log(size) / math.log1p(-tightness)) - 1)


def _floor(value: float) -> int:
    """Round down, except from within rounding error below an integer: 0.29 · 10² is 29, not 28."""
    nearest = round(value)
    return nearest if math.isclose(value, nearest, rel_tol=1e-12) else math.floor(value)
