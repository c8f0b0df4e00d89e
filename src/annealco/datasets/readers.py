"""Convert the public archives of real sets: TUDataset (read by PyG), SNAP's Twitter ego networks, and Facebook100.

Facebook100 holds the friendships at 100 US colleges as MATLAB matrices.
"""

from __future__ import annotations

import io
import warnings
import zlib
from contextlib import redirect_stderr
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from annealco.datasets.download import one_line, read_archive
from annealco.errors import GraphFileError, NormalisationWarning
from annealco.graph.graph import Graph
from annealco.optional import require

TU_FILES = ("A", "graph_indicator", "graph_labels")
"""What is read of an archive of TUDataset; labels and attributes of nodes and edges are not needed."""

MAX_COLLEGE_NODES = 15_000
"""Karalias and Loukas (2020) use the colleges with fewer nodes than this."""

_EGO_SUFFIX, _MATRIX_SUFFIX = ".edges", ".mat"
_NO_COLLEGES = {"schools.mat"}


def read_tu(path: Path, *, name: str) -> Graph:
    """Read an archive of TUDataset; class labels become ``graph_data["y"]``.

    Args:
        path: the zip archive, as it is published.
        name: of the set in the collection, with which its files begin.

    Raises:
        GraphFileError: where files are missing or PyG cannot read them.
        InputError: where PyG is not installed.
    """
    require("a set of TUDataset", "torch", "torch_geometric")
    from torch_geometric.datasets import TUDataset
    from torch_geometric.io import read_txt_array

    wanted = {f"{name}_{part}.txt" for part in TU_FILES}
    with TemporaryDirectory(prefix="annealco-") as root:
        raw = Path(root) / name / "raw"
        raw.mkdir(parents=True)
        for short, content in read_archive(path, wanted.__contains__):
            (raw / short).write_bytes(content)
        for missing in sorted(wanted - {each.name for each in raw.iterdir()}):
            raise GraphFileError(path, f"the archive has no file {missing}")
        try:
            # With the raw files in place PyG downloads nothing; what it does it would say on stderr.
            with redirect_stderr(io.StringIO()):
                data = TUDataset(root, name)
            graph_of_node = read_txt_array(str(raw / f"{name}_graph_indicator.txt")).numpy().astype(np.int64) - 1
        except (ValueError, RuntimeError, IndexError) as error:
            raise GraphFileError(path, f"PyG cannot read it: {one_line(error)}") from None
        parts = [data.get(number) for number in range(len(data))]
    node_ptr = np.concatenate([[0], np.cumsum(np.bincount(graph_of_node, minlength=len(parts)))])
    shifted = [part.edge_index.numpy() + start for part, start in zip(parts, node_ptr[:-1], strict=True)]
    joined = np.concatenate(shifted, axis=1)
    labels = np.array([int(part.y) for part in parts])
    # Both directions of each edge are there; one is enough.
    once = joined[:, joined[0] < joined[1]]
    return Graph.from_edges(once, node_ptr=node_ptr, graph_data={"y": labels}, origin=str(path))


def tu_reader(name: str) -> partial[Graph]:
    """Return the reader of one set of the collection."""
    return partial(read_tu, name=name)


def read_ego_networks(path: Path) -> Graph:
    """Read one graph from each file EGO.edges, in ascending order of the ego's number.

    A line is an arc between two users; directions and loops are dropped. The nodes are the users that occur in the
    file, in ascending order, and therefore not the ego.
    """
    parts = []
    for name, content in read_archive(path, lambda short: short.endswith(_EGO_SUFFIX) and not short.startswith(".")):
        ego = name.removesuffix(_EGO_SUFFIX)
        if not ego.isdecimal():
            raise GraphFileError(path, f"{name} is not named by the number of a user")
        parts.append((int(ego), _read_arcs(path, name, content)))
    if not parts:
        raise GraphFileError(path, f"the archive has no file *{_EGO_SUFFIX}")
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
        graph_data = {"name": [name.removesuffix(_EGO_SUFFIX)]}
        return Graph.from_edges(numbers.reshape(ends.shape), len(nodes), graph_data=graph_data, origin=f"{path}:{name}")


def read_facebook100(path: Path) -> Graph:
    """Read the matrix ``A`` of each college with fewer than 15,000 nodes, in ascending order of size."""
    graphs = []
    for name, content in read_archive(path, _is_college):
        graph = _read_college(path, name, content)
        if graph.num_nodes < MAX_COLLEGE_NODES:
            graphs.append(graph)
    if not graphs:
        raise GraphFileError(path, f"the archive has no file *{_MATRIX_SUFFIX} of a college")
    return Graph.batch(sorted(graphs, key=lambda graph: (graph.num_nodes, str(graph.graph_data["name"][0]))))


def _is_college(name: str) -> bool:
    return name.endswith(_MATRIX_SUFFIX) and not name.startswith(".") and name not in _NO_COLLEGES


def _read_college(path: Path, name: str, content: bytes) -> Graph:
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError
    from scipy.sparse import coo_array, issparse

    try:
        matrix = loadmat(io.BytesIO(content), variable_names=["A"]).get("A")
    except (MatReadError, ValueError, TypeError, KeyError, OSError, zlib.error, NotImplementedError, EOFError) as error:
        raise GraphFileError(path, f"{name} is damaged: {one_line(error)}") from None
    if matrix is None or not issparse(matrix) or matrix.shape[0] != matrix.shape[1]:
        raise GraphFileError(path, f"{name} must hold a square sparse matrix 'A'")
    entries = coo_array(matrix)
    ends = np.stack([entries.row, entries.col])[:, entries.data != 0]
    with warnings.catch_warnings():
        # A symmetric matrix holds each edge twice.
        warnings.simplefilter("ignore", NormalisationWarning)
        graph_data = {"name": [name.removesuffix(_MATRIX_SUFFIX)]}
        return Graph.from_edges(ends, matrix.shape[0], graph_data=graph_data, origin=f"{path}:{name}")
