"""Read and write NumPy archives, which hold any number of graphs with all their data.

| array | shape | meaning |
|---|---|---|
| ``ptr`` | [num_graphs + 1] | node offsets |
| ``edge_ptr`` | [num_graphs + 1] | edge offsets |
| ``edges`` | [2, num_edges] | every edge once, ``u < v``, sorted, node numbers local to the graph |
| ``node_weight``, ``edge_weight`` | [num_nodes], [num_edges] | weights; 1 without them |
| ``node_labels`` | [num_nodes] | integers or text |
| ``labels``, ``y``, ``representative`` | [num_graphs] | ``graph_data`` under ``name``, ``y``, ``representative`` |
| ``atom`` | [num_nodes] | ``node_data`` under the same name |
| ``graph.KEY``, ``node.KEY`` | [num_graphs], [num_nodes] | further ``graph_data`` and ``node_data`` |

Arrays of other names are left alone. An archive may be damaged or hostile: what a member declares is compared with its
size before memory is allocated, and nothing is unpickled.
"""

from __future__ import annotations

import io
import lzma
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from annealco.arrays import IntArray
from annealco.errors import GraphFileError, InputError
from annealco.graph.formats.text import MAX_BYTES, check_num_nodes
from annealco.graph.graph import Graph
from annealco.graph.normalisation import as_weight, normalise

_CORE = ("ptr", "edge_ptr", "edges")
_OPTIONAL = ("node_weight", "edge_weight", "node_labels")
_GRAPH_KEYS = {"labels": "name", "y": "y", "representative": "representative"}
_NODE_KEYS = {"atom": "atom"}
_SUFFIX = ".npy"
_PLAIN_KINDS = "biufcSUMm"
_HEADER_READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}

# Each of these was raised by some damaged archive; RuntimeError stands for a password, NotImplementedError for a
# compression method, SyntaxError and TokenError for a header that is not a Python dictionary.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, KeyError, OSError),
    *(ValueError, TypeError, OverflowError, SyntaxError, tokenize.TokenError, RuntimeError, NotImplementedError),
)


def read_npz(path: Path) -> Graph:
    """Read the graphs of a NumPy archive.

    Raises:
        GraphFileError: naming the array and the rule it breaks.
    """
    arrays = load_arrays(path, _is_ours)
    missing = [name for name in _CORE if name not in arrays]
    if missing:
        raise GraphFileError(path, f"the archive holds no graph: it has no array {missing[0]!r}")
    node_ptr, edges = _structure(path, arrays["ptr"], arrays["edge_ptr"], arrays["edges"])
    try:
        weight = as_weight(_weight(path, arrays, "edge_weight"), edges.shape[1], "edge", str(path))
        edges, edge_weight = normalise(edges[0], edges[1], weight, int(node_ptr[-1]), str(path))
        nodes = Graph.from_edges(
            np.zeros((2, 0), np.int32),
            node_ptr=node_ptr,
            node_weight=_weight(path, arrays, "node_weight"),
            node_labels=_labels(path, arrays.get("node_labels")),
            node_data=_data(path, arrays, "node.", _NODE_KEYS),
            graph_data=_data(path, arrays, "graph.", _GRAPH_KEYS),
        )
    except InputError as error:
        raise GraphFileError(path, error.rule) from None
    return replace(nodes, edges=edges, edge_weight=edge_weight)


def _is_ours(name: str) -> bool:
    return name in {*_CORE, *_OPTIONAL, *_GRAPH_KEYS, *_NODE_KEYS} or name.startswith(("node.", "graph."))


def _structure(
    path: Path, ptr: NDArray[Any], edge_ptr: NDArray[Any], edges: NDArray[Any]
) -> tuple[IntArray, NDArray[np.int32]]:
    """Return node offsets, and edges numbered through the batch."""
    node_ptr = _offsets(path, "ptr", ptr)
    check_num_nodes(str(path), int(node_ptr[-1]), path.stat().st_size)
    edge_offsets = _offsets(path, "edge_ptr", edge_ptr)
    if len(edge_offsets) != len(node_ptr):
        rule = f"'edge_ptr' must have as many entries as 'ptr', {len(node_ptr)}, it has {len(edge_offsets)}"
        raise GraphFileError(path, rule)
    if edges.shape != (2, edge_offsets[-1]) or edges.dtype.kind not in "ui":
        rule = f"'edges' must be integers of shape [2, {edge_offsets[-1]}], it is {edges.dtype} {list(edges.shape)}"
        raise GraphFileError(path, rule)
    counts = np.diff(edge_offsets)
    size = np.repeat(np.diff(node_ptr), counts)
    for end in edges:
        outside = (end < 0) | (end >= size)
        if outside.any():
            edge = int(np.argmax(outside))
            owner = int(np.searchsorted(edge_offsets, edge, side="right")) - 1
            rule = (
                f"edge {edge - edge_offsets[owner]} of graph {owner} has node {end[edge]}, outside 0..{size[edge] - 1}"
            )
            raise GraphFileError(path, rule)
    # The ids are known to be small now, and 32 bits halve the memory of the largest array.
    return node_ptr, edges.astype(np.int32) + np.repeat(node_ptr[:-1].astype(np.int32), counts)


def _offsets(path: Path, name: str, array: NDArray[Any]) -> IntArray:
    if array.ndim != 1 or not len(array) or array.dtype.kind not in "ui":
        shape = list(array.shape)
        raise GraphFileError(path, f"{name!r} must be a list of integers, it is {array.dtype} {shape}")
    offsets = array.astype(np.int64)
    if offsets[0] != 0 or np.any(offsets[1:] < offsets[:-1]):
        raise GraphFileError(path, f"{name!r} must start at 0 and never fall, it begins with {array[:8].tolist()}")
    return offsets


def _weight(path: Path, arrays: dict[str, NDArray[Any]], name: str) -> NDArray[Any] | None:
    weight = arrays.get(name)
    if weight is not None and weight.dtype.kind not in "uif":
        raise GraphFileError(path, f"{name!r} must be numbers, it is {weight.dtype}")
    return weight


def _labels(path: Path, labels: NDArray[Any] | None) -> NDArray[Any] | None:
    if labels is None or labels.dtype.kind in "ui":
        return labels
    if labels.dtype.kind != "U":
        raise GraphFileError(path, f"'node_labels' must be integers or text, it is {labels.dtype}")
    return labels.astype(object)


def _data(path: Path, arrays: dict[str, NDArray[Any]], prefix: str, known: dict[str, str]) -> dict[str, NDArray[Any]]:
    """Return further data under the keys of the graph."""
    found: dict[str, NDArray[Any]] = {}
    for name, array in arrays.items():
        if name not in known and not name.startswith(prefix):
            continue
        key = known.get(name, name.removeprefix(prefix))
        if key in found:
            raise GraphFileError(path, f"{prefix}{key} occurs twice, as {name!r} too")
        found[key] = array
    return found


def write_npz(graph: Graph) -> bytes:
    """Return graphs as a NumPy archive; the same graph gives the same bytes.

    Example:
        >>> import io
        >>> archive = np.load(io.BytesIO(write_npz(Graph.from_edges([[0, 1], [1, 2]]))))
        >>> {name: archive[name].tolist() for name in archive}
        {'ptr': [0, 3], 'edge_ptr': [0, 2], 'edges': [[0, 1], [1, 2]]}
    """
    local = graph.edges - graph.node_ptr[graph.graph_of_edge]
    arrays: dict[str, NDArray[Any]] = {
        "ptr": graph.node_ptr,
        "edge_ptr": graph.edge_ptr,
        "edges": local.astype(np.min_scalar_type(local.max(initial=0))),
    }
    weights = {"node_weight": graph.node_weight, "edge_weight": graph.edge_weight}
    arrays |= {name: weight for name, weight in weights.items() if np.any(weight != 1)}
    if graph.node_labels is not None and graph.num_nodes:
        arrays["node_labels"] = _plain(graph.node_labels, "node labels")
    arrays |= _named(graph.graph_data, "graph.", _GRAPH_KEYS) | _named(graph.node_data, "node.", _NODE_KEYS)
    return dump_arrays(arrays)


def _named(data: Mapping[str, NDArray[Any]], prefix: str, known: dict[str, str]) -> dict[str, NDArray[Any]]:
    """Return further data under the names of the archive."""
    names = {key: name for name, key in known.items()}
    return {names.get(key, f"{prefix}{key}"): _plain(array, f"{prefix}{key}") for key, array in data.items()}


def _plain(array: NDArray[Any], what: str) -> NDArray[Any]:
    """Return an array that needs no pickling: objects become numbers or text where that loses nothing."""
    try:
        plain = np.array(array.tolist()) if array.dtype.kind == "O" else array
        check_plain(plain)
    except ValueError as error:
        raise InputError(f"{what} cannot be written: {error}") from None
    if array.dtype.kind == "O" and plain.tolist() != array.tolist():
        raise InputError(f"{what} cannot be written: they are neither all numbers nor all text")
    return plain


def load_arrays(path: Path, wanted: Callable[[str], bool], *, limit: int = MAX_BYTES) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names are wanted, of at most ``limit`` bytes together.

    Raises:
        GraphFileError: for a file that is not a zip archive, is damaged, too large, or holds objects.
        OSError: where the file cannot be opened.
    """
    with path.open("rb") as raw:
        try:
            archive = zipfile.ZipFile(raw)
        except _DAMAGE as error:
            raise GraphFileError(path, f"not a NumPy archive: {_reason(error)}") from None
        with archive:
            members = {info.filename.removesuffix(_SUFFIX): info for info in archive.infolist()}
            members = {name: info for name, info in members.items() if wanted(name)}
            size = sum(info.file_size for info in members.values())
            if size > limit:
                raise GraphFileError(path, f"the arrays are larger than {limit:,} bytes: {size:,}")
            return {name: _load(path, archive, name, info) for name, info in members.items()}


def _load(path: Path, archive: zipfile.ZipFile, name: str, info: zipfile.ZipInfo) -> NDArray[Any]:
    try:
        with warnings.catch_warnings():
            # NumPy warns of headers that Python 2 may have written; they are read like any other.
            warnings.simplefilter("ignore", UserWarning)
            with archive.open(info) as member:
                _check_header(member, info.file_size)
            with archive.open(info) as member:
                array: NDArray[Any] = npy.read_array(member, allow_pickle=False)
                # The checksum is compared only when the end is reached.
                member.read()
        check_plain(array)
    except _DAMAGE as error:
        raise GraphFileError(path, f"the array {name!r} is damaged: {_reason(error)}") from None
    return array


def _check_header(member: IO[bytes], size: int) -> None:
    """Raise unless the declared type is plain, and the declared shape fills the member exactly."""
    version = npy.read_magic(member)
    if version not in _HEADER_READERS:
        raise ValueError(f"version {version} of the array format is not supported")
    shape, _, dtype = _HEADER_READERS[version](member)
    check_plain(np.empty(0, dtype))
    declared = math.prod(shape) * dtype.itemsize
    if declared != size - member.tell():
        raise ValueError(f"{declared:,} bytes are declared, {size - member.tell():,} are there")


def dump_arrays(arrays: dict[str, NDArray[Any]]) -> bytes:
    """Return arrays as a compressed archive that ``np.load`` reads; the same arrays give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            # A `ZipInfo` made here has a fixed date.
            info = zipfile.ZipInfo(name + _SUFFIX)
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as member:
                npy.write_array(member, array, allow_pickle=False)
    return buffer.getvalue()


def check_plain(array: NDArray[Any]) -> None:
    """Raise ValueError if an array holds objects, or text that is not Unicode and could not be printed."""
    if array.dtype.kind not in _PLAIN_KINDS:
        raise ValueError(f"arrays of {array.dtype} are not supported")
    if array.dtype.kind == "U" and array.size and array.dtype.itemsize:
        order = np.dtype(np.uint32).newbyteorder(array.dtype.byteorder)
        codes = np.frombuffer(array.tobytes(), order)
        if np.any((codes > 0x10FFFF) | ((codes >= 0xD800) & (codes <= 0xDFFF))):
            raise ValueError("the text is not Unicode")


def _reason(error: BaseException) -> str:
    """Return the first line of an error, or its kind where it says nothing."""
    return str(error).partition("\n")[0][:200] or type(error).__name__
