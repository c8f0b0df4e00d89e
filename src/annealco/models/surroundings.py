"""What a node knows of its surroundings before any step, in numbers that do not grow with the graph."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from annealco.energy import Energy, Instance
from annealco.graph.graph import Graph
from annealco.graph.segments import FloatArray, IntArray, segment_sum
from annealco.graph.sparse_side import sparse_side

NUM_SURROUNDINGS = 6
"""Columns of `surroundings`."""


def surroundings(graph: Graph, device: torch.device, dtype: torch.dtype) -> Tensor:
    """Return fixed features of the nodes, [num_nodes, NUM_SURROUNDINGS].

    Degrees are those of the sparser side of each graph: their logarithm, their ratio to the graph's mean, and whether
    the side is the complement; weights by their ratio to the graph's mean; the mean weight of a node's edges by
    that of the graph; the share of other nodes it is joined to.
    """
    pairs, complemented = sparse_side(graph)
    degree = np.bincount(pairs.reshape(-1), minlength=graph.num_nodes).astype(np.float64)
    others = (np.diff(graph.node_ptr) - 1)[graph.graph_of_node]
    flipped = complemented[graph.graph_of_node]
    joined = np.where(flipped, others - degree, degree)
    columns = [
        np.log1p(degree) / 4,
        _ratio(degree, graph.node_ptr),
        flipped,
        _ratio(graph.node_weight, graph.node_ptr),
        _heaviness(graph),
        joined / np.maximum(others, 1),
    ]
    return torch.tensor(np.stack(columns, axis=1), device=device, dtype=dtype)


def _heaviness(graph: Graph) -> FloatArray:
    """Return the mean weight of each node's edges by that of the graph; nothing is summed where all weigh 1."""
    if np.all(graph.edge_weight == 1):
        return np.zeros(graph.num_nodes)
    return _ratio(graph.weighted_degree / np.maximum(graph.degree, 1), graph.node_ptr)


def _ratio(values: FloatArray, node_ptr: IntArray) -> FloatArray:
    """Return values by their graph's mean size, less 1, within ±4."""
    counts = np.maximum(np.diff(node_ptr), 1)
    mean = segment_sum(np.abs(values), node_ptr) / counts
    safe = np.repeat(np.where(mean > 0, mean, 1.0), np.diff(node_ptr))
    return np.asarray(np.clip(values / safe - 1, -4, 4))


def objective_scale(instance: Instance) -> FloatArray:
    """Return the most that a flip of each node changes the objective, [num_nodes]: the unit of its field.

    A node that the objective ignores gets the mean of its graph, and 1 where all are ignored.

    Example:
        >>> from annealco.energy import Linear
        >>> ptr = np.array([0, 3])
        >>> objective_scale(Instance(ptr, (Linear(ptr, np.array([-2.0, 4.0, 0.0])),))).tolist()
        [2.0, 4.0, 2.0]
    """
    bound = Energy(instance.node_ptr, instance.objective).flip_bound()
    counts = np.diff(instance.node_ptr)
    mean = segment_sum(bound, instance.node_ptr) / np.maximum(counts, 1)
    fallback = np.repeat(np.where(mean > 0, mean, 1.0), counts)
    return np.where(bound > 0, bound, fallback)
