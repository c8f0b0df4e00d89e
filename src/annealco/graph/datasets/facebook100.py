"""Convert the archive of Facebook100: friendships at 100 US colleges as MATLAB matrices."""

from __future__ import annotations

import io
import warnings
import zlib
from pathlib import Path

import numpy as np

from annealco.graph.datasets.unpacking import unpacked
from annealco.graph.errors import GraphFileError, NormalisationWarning
from annealco.graph.graph import Graph

MAX_NODES = 15_000
"""Karalias and Loukas (2020) use the colleges with fewer nodes than this."""

_SUFFIX = ".mat"
_NO_COLLEGES = {"schools.mat"}


def read_facebook100(path: Path) -> Graph:
    """Read the matrix ``A`` of each college with fewer than 15,000 nodes, in ascending order of size."""
    graphs = []
    for name, content in unpacked(path, _is_college):
        graph = _read_college(path, name, content)
        if graph.num_nodes < MAX_NODES:
            graphs.append(graph)
    if not graphs:
        raise GraphFileError(path, f"the archive has no file *{_SUFFIX} of a college")
    return Graph.batch(sorted(graphs, key=lambda graph: (graph.num_nodes, str(graph.graph_data["name"][0]))))


def _is_college(name: str) -> bool:
    return name.endswith(_SUFFIX) and not name.startswith(".") and name not in _NO_COLLEGES


def _read_college(path: Path, name: str, content: bytes) -> Graph:
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError
    from scipy.sparse import coo_array, issparse

    try:
        matrix = loadmat(io.BytesIO(content), variable_names=["A"]).get("A")
    except (MatReadError, ValueError, TypeError, KeyError, OSError, zlib.error, NotImplementedError, EOFError) as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise GraphFileError(path, f"{name} is damaged: {said}") from None
    if matrix is None or not issparse(matrix) or matrix.shape[0] != matrix.shape[1]:
        raise GraphFileError(path, f"{name} must hold a square sparse matrix 'A'")
    entries = coo_array(matrix)
    ends = np.stack([entries.row, entries.col])[:, entries.data != 0]
    with warnings.catch_warnings():
        # A symmetric matrix holds each edge twice.
        warnings.simplefilter("ignore", NormalisationWarning)
        graph_data = {"name": [name.removesuffix(_SUFFIX)]}
        return Graph.from_edges(ends, matrix.shape[0], graph_data=graph_data, origin=f"{path}:{name}")
