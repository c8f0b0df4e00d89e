"""Place the nodes of a small graph in the plane, such that distances look like distances in the graph.

Each component minimises the stress Σ_{i<j} (|p_i − p_j| − d_ij)² / d_ij² over positions p, d the number of edges
between two nodes, by majorisation (Gansner, Koren and North, *Graph drawing by stress majorization*, 2004). The
components then stand side by side in rows. The same graph always gets the same places.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.graph.graph import Graph
from annealco.graph.operations import connected_components, induced_subgraph

Points = NDArray[np.float64]

ROUNDS = 200
ENOUGH = 1e-4
"""A round that lowers the stress by less than this share is the last."""

JITTER = 0.05
"""Nodes at one place never part: random shifts of this many edges keep the first places apart."""

MARGIN = 1.0
"""Room between components, in edges."""


def place_nodes(graph: Graph) -> Points:
    """Return the position of each node, [num_nodes, 2], with edges about 1 long.

    Takes O(n²) memory and O(n³) time: meant for a few hundred nodes.

    Example:
        >>> places = place_nodes(Graph.from_edges([[0, 1], [1, 2]]))
        >>> np.round(np.linalg.norm(places[[0, 1, 2]] - places[[1, 2, 0]], axis=1), 2).tolist()
        [1.0, 1.0, 2.0]
    """
    component = connected_components(graph)
    members = [np.flatnonzero(component == number) for number in range(component.max(initial=-1) + 1)]
    members.sort(key=len, reverse=True)
    places = np.zeros((graph.num_nodes, 2))
    drawn = [_level(_lower_stress(_distances(induced_subgraph(graph, nodes)))) for nodes in members]
    for nodes, points, corner in zip(members, drawn, _corners([np.ptp(each, axis=0) for each in drawn]), strict=True):
        places[nodes] = points - points.min(axis=0) + corner
    return places


def _distances(graph: Graph) -> Points:
    """Return the number of edges between each two nodes of a connected graph, [num_nodes, num_nodes]."""
    from scipy.sparse import csgraph, csr_array

    shape = (graph.num_nodes, graph.num_nodes)
    adjacency = csr_array((np.ones(len(graph.indices)), graph.indices, graph.indptr), shape=shape)
    return np.asarray(csgraph.shortest_path(adjacency, unweighted=True))


def _lower_stress(distances: Points) -> Points:
    """Return positions of low stress, [num_nodes, 2]."""
    num_nodes = len(distances)
    if num_nodes == 1:
        return np.zeros((1, 2))
    apart = np.where(np.eye(num_nodes, dtype=bool), np.inf, distances)
    weight = apart**-2.0
    # The Laplacian L of the weights does not change, so its inverse on centred points is computed once.
    inverse = np.linalg.inv(np.diag(weight.sum(axis=1)) - weight + 1 / num_nodes)
    points, stress = _first_guess(distances), np.inf
    for _ in range(ROUNDS):
        lengths = np.linalg.norm(points[:, None] - points, axis=2)
        before, stress = stress, float((weight * (lengths - distances) ** 2).sum())
        if stress > (1 - ENOUGH) * before:
            break
        pull = np.divide(1 / apart, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        points = inverse @ (pull.sum(axis=1)[:, None] * points - pull @ points)
    return points


def _first_guess(distances: Points) -> Points:
    """Return the two main axes of the distances (classical scaling), shifted a little."""
    squares = distances**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, axes = np.linalg.eigh(-centred / 2)
    points = axes[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))
    return np.asarray(points + np.random.default_rng(0).normal(0, JITTER, points.shape))


def _level(points: Points) -> Points:
    """Turn points such that their longest extent lies along the first axis."""
    centred = points - points.mean(axis=0)
    return np.asarray(centred @ np.linalg.svd(centred, full_matrices=False)[2].T) if len(points) > 1 else centred


def _corners(boxes: list[Points]) -> list[Points]:
    """Return the lower left corner of each box, in rows of about the shape of a screen."""
    sizes = np.array(boxes).reshape(-1, 2) + MARGIN
    width = max(sizes[:, 0].max(initial=0), 1.3 * np.sqrt(sizes.prod(axis=1).sum()))
    corners, across, top, height = [], 0.0, 0.0, 0.0
    for wide, high in sizes.tolist():
        if across > 0 and across + wide > width:
            across, top, height = 0.0, top - height, 0.0
        corners.append(np.array([across, top - high]))
        across, height = across + wide, max(height, high)
    return corners
