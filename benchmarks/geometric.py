"""Draw random geometric graphs: points in the unit square, joined where they are near."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial import cKDTree

from annealco.graph.graph import Graph


def random_geometric(rng: np.random.Generator, *, num_nodes: int, average_degree: float = 8.0) -> Graph:
    """Join all points within the radius that gives the average degree, but for the border; O(n log n + m).

    Example:
        >>> graph = random_geometric(np.random.default_rng(0), num_nodes=1000)
        >>> 7 < 2 * graph.num_edges / graph.num_nodes < 8
        True
    """
    points = rng.random((num_nodes, 2))
    radius = math.sqrt(average_degree / (math.pi * num_nodes))
    pairs = cKDTree(points).query_pairs(radius, output_type="ndarray")
    return Graph.from_edges(pairs.T, num_nodes, origin="random_geometric")
