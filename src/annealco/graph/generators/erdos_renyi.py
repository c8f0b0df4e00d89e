"""Draw Erdős–Rényi graphs G(n, p): every pair of nodes is joined with probability p, independently."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.arguments import as_integer
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.normalisation import MAX_NODES


def erdos_renyi(rng: np.random.Generator, *, num_nodes: int, edge_probability: float) -> Graph:
    """Draw G(n, p) exactly, in O(n + m) time and memory for m edges.

    The gaps between the joined pairs, in the order of all pairs, are independent and geometric (Batagelj and Brandes
    2005): drawing the gaps alone never looks at the pairs in between.

    Args:
        rng: source of randomness.
        num_nodes: at least 0.
        edge_probability: 0 to 1.

    Example:
        >>> erdos_renyi(np.random.default_rng(1), num_nodes=4, edge_probability=1.0).num_edges
        6
    """
    nodes = as_integer("num_nodes", num_nodes, 0, MAX_NODES)
    if not 0 <= edge_probability <= 1:
        raise InputError(f"edge_probability must be between 0 and 1, not {edge_probability}")
    # The pairs (0,1), (0,2) .. (n-2,n-1) are numbered through; those with first node u start at starts[u].
    starts = np.concatenate([[0], np.cumsum(np.arange(nodes - 1, -1, -1))])
    joined = _each_with_probability(rng, int(starts[-1]), edge_probability)
    low = np.repeat(np.arange(nodes), np.diff(np.searchsorted(joined, starts)))
    return Graph.from_edges(np.stack([low, joined - starts[low] + low + 1]), nodes, origin="erdos_renyi")


def _each_with_probability(rng: np.random.Generator, population: int, probability: float) -> NDArray[np.int64]:
    """Take each number below ``population`` with the given probability; return those taken, ascending."""
    if probability == 0:
        return np.zeros(0, np.int64)
    parts: list[NDArray[np.int64]] = []
    last = -1
    while True:
        gaps = rng.geometric(probability, size=int((population - last) * probability) + 1)
        # A gap past the end is as good as a longer one, and the first sum past the end cannot overflow.
        taken = last + np.cumsum(np.minimum(gaps, population + 1))
        past_end = taken >= population
        if past_end.any():
            return np.concatenate([*parts, taken[: np.argmax(past_end)]])
        parts.append(taken)
        last = int(taken[-1])
