"""Convert from and to PyG data and batches."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from annealco.graph.adjacency import from_adjacency
from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.interop.containers import as_numpy, expect, import_package, is_a, type_name


def from_pyg(data: Any) -> Graph:
    """Read a PyG ``Data`` as one graph or a ``Batch`` as many; tensors may be on any device.

    Read are ``edge_index`` with both directions of every edge, ``num_nodes`` (as PyG infers it where it is not given),
    ``edge_weight`` [num_entries], ``node_weight`` [num_nodes] and ``node_name``, a list of [num_nodes] labels.
    """
    origin = "PyG data"
    if is_a(data, "torch_geometric", "HeteroData"):
        raise InputError("heterogeneous: convert it with .to_homogeneous() first", origin=origin)
    expect(data, "torch_geometric", "Data")
    many = is_a(data, "torch_geometric", "Batch")
    for key in ("edge_index", "ptr") if many else ("edge_index",):
        if getattr(data, key, None) is None:
            raise InputError(f"it has no {key}", origin=origin)
    names = getattr(data, "node_name", None)
    if not isinstance(names, list | None):
        raise InputError(f"node_name must be a list, not {type_name(names)}", origin=origin)
    return from_adjacency(
        as_numpy(data.edge_index),
        as_numpy(data.ptr) if many else [0, data.num_nodes],
        entry_weight=as_numpy(getattr(data, "edge_weight", None)),
        node_weight=as_numpy(getattr(data, "node_weight", None)),
        node_labels=list(chain.from_iterable(names)) if many and names else names,
        origin=origin,
        remedy="torch_geometric.transforms.ToUndirected()",
    )


def to_pyg(graph: Graph) -> Any:
    """Make a PyG ``Data`` of a single graph, or a ``Batch`` of many, which ``.to_data_list()`` takes apart again.

    ``edge_index`` has both directions of every edge, ``edge_weight`` and ``node_weight`` are float64, and labels are a
    list ``node_name``.
    """
    pyg, tensor = import_package("torch_geometric.data", "torch_geometric"), import_package("torch", "torch").tensor
    if graph.num_graphs == 0:
        raise InputError("PyG has no batch of no graphs")
    weighted_nodes, weighted_edges = (graph.node_weight != 1).any(), (graph.edge_weight != 1).any()
    parts = []
    for part in graph:
        rows = np.repeat(np.arange(part.num_nodes), part.degree)
        data = pyg.Data(edge_index=tensor(np.stack([rows, part.indices])), num_nodes=part.num_nodes)
        # PyG batches only what all parts have, so the whole batch decides what is written.
        if part.node_labels is not None:
            data.node_name = part.node_labels.tolist()
        if weighted_nodes:
            data.node_weight = tensor(part.node_weight)
        if weighted_edges:
            data.edge_weight = tensor(part.edge_weight[part.edge_of_index])
        parts.append(data)
    return parts[0] if len(parts) == 1 else pyg.Batch.from_data_list(parts)
