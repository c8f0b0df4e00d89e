"""Draw Barabási–Albert graphs, whose degrees follow a power law."""

from __future__ import annotations

import numpy as np

from annealco._core import Clock, preferential_attachment
from annealco.arguments import as_integer
from annealco.graph.graph import Graph
from annealco.graph.normalisation import MAX_NODES


def barabasi_albert(rng: np.random.Generator, *, num_nodes: int, attachment: int = 4) -> Graph:
    """Draw a graph grown by preferential attachment, with (num_nodes - attachment) · attachment edges.

    Starts from a star on ``attachment + 1`` nodes; every further node joins ``attachment`` distinct nodes chosen in
    proportion to their degree. Node numbers are shuffled afterwards, they do not tell the age. Takes O(num_edges).

    Args:
        rng: source of randomness.
        num_nodes: at least ``attachment + 1``.
        attachment: at least 1.

    Example:
        >>> tree = barabasi_albert(np.random.default_rng(1), num_nodes=5, attachment=1)
        >>> tree.num_nodes, tree.num_edges
        (5, 4)
    """
    joined = as_integer("attachment", attachment, 1, MAX_NODES - 1)
    nodes = as_integer("num_nodes", num_nodes, joined + 1, MAX_NODES)
    with rng.bit_generator.lock:
        edges = preferential_attachment(rng.bit_generator, nodes, joined, Clock())
    return Graph.from_edges(rng.permutation(nodes)[edges.T], nodes, origin="barabasi_albert")
