"""Convert SNAP's archive of Twitter ego networks."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from annealco.graph.datasets.unpacking import unpacked
from annealco.graph.errors import GraphFileError, NormalisationWarning
from annealco.graph.graph import Graph

_SUFFIX = ".edges"


def read_ego_networks(path: Path) -> Graph:
    """Read one graph from each file EGO.edges, in ascending order of the ego's number.

    A line is an arc between two users; directions and loops are dropped. The nodes are the users that occur in the
    file, in ascending order, and therefore not the ego.
    """
    parts = []
    for name, content in unpacked(path, lambda short: short.endswith(_SUFFIX) and not short.startswith(".")):
        ego = name.removesuffix(_SUFFIX)
        if not ego.isdecimal():
            raise GraphFileError(path, f"{name} is not named by the number of a user")
        parts.append((int(ego), _read_arcs(path, name, content)))
    if not parts:
        raise GraphFileError(path, f"the archive has no file *{_SUFFIX}")
    return Graph.batch([graph for _, graph in sorted(parts, key=lambda part: part[0])])


def _read_arcs(path: Path, name: str, content: bytes) -> Graph:
    try:
        users = np.array(content.split(), dtype=np.int64)
        ends = users.reshape(-1, 2).T
    except (ValueError, OverflowError):
        raise GraphFileError(path, f"{name} must hold two integers a line") from None
    nodes, numbers = np.unique(ends, return_inverse=True)
    with warnings.catch_warnings():
        # Arcs in both directions are how the format says friendship.
        warnings.simplefilter("ignore", NormalisationWarning)
        graph_data = {"name": [name.removesuffix(_SUFFIX)]}
        return Graph.from_edges(numbers.reshape(ends.shape), len(nodes), graph_data=graph_data, origin=f"{path}:{name}")
