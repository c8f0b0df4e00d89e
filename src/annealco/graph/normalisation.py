"""Check the arrays a graph is built from, and normalise its edges.

The one rule for every source: self-loops are dropped and duplicate edges merged, with a warning that counts them;
duplicates of different weight, ids out of range and weights that are not finite are errors.
"""

from __future__ import annotations

import operator
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco import _core
from annealco.arrays import FloatArray, segment_of, unmasked
from annealco.errors import InputError, NormalisationWarning

MAX_NODES = 2**31 - 1
"""Node ids are 32-bit integers, which halves the memory traffic of every neighbour sum."""

MAX_TOTAL = 1e301
"""Sums of weights stay below this, so that energies, which multiply them with penalties and degrees, stay finite."""


IdArray = NDArray[Any]
"""Node ids, int32 or int64: short ones need not be made longer to be checked."""


def as_edge_array(edges: ArrayLike, origin: str) -> IdArray:
    """Return edges as int32 or int64 [2, num_edges], contiguous; not a copy where they are so already."""
    unmasked(edges, origin)
    try:
        array = np.asarray(edges)
    except ValueError:
        raise InputError("edges must be two rows of one length", origin=origin) from None
    if array.size == 0 and array.ndim <= 2:
        return np.zeros((2, 0), np.int64)
    if array.ndim != 2 or array.shape[0] != 2:
        raise InputError(f"edges must have shape [2, num_edges], these have {list(array.shape)}", origin=origin)
    if not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"edges must be integer node ids, these are {array.dtype}", origin=origin)
    if array.dtype == np.uint64 and (largest := int(array.max())) > MAX_NODES:
        # Above 2⁶³ it would become negative.
        raise InputError(f"node ids must be at most {MAX_NODES:,}, one is {largest:,}", origin=origin)
    return np.ascontiguousarray(array, dtype=np.int32 if array.dtype == np.int32 else np.int64)


def as_node_ptr(ends: IdArray, num_nodes: int | None, node_ptr: ArrayLike | None, origin: str) -> NDArray[np.int64]:
    """Return node offsets [num_graphs + 1] from whichever of the two was given, else from the largest id."""
    if node_ptr is None:
        # Without ids there are no nodes, and negative ids are told by `check_ids`.
        count = int(ends.max(initial=-1)) + 1 if num_nodes is None else num_nodes
        return np.array([0, _as_count(count, origin)], dtype=np.int64)
    if num_nodes is not None:
        raise InputError("give num_nodes or node_ptr, not both", origin=origin)
    unmasked(node_ptr, origin)
    try:
        given = np.array(node_ptr)
    except ValueError:
        given = np.zeros(0)
    if not np.issubdtype(given.dtype, np.integer):
        raise InputError("node offsets must be a flat array of integers", origin=origin)
    offsets = given.astype(np.int64)
    if offsets.ndim != 1 or len(offsets) == 0 or offsets[0] != 0 or np.any(np.diff(offsets) < 0):
        shown = offsets.ravel()[:8].tolist()
        raise InputError(f"node offsets must start at 0 and never fall, these begin with {shown}", origin=origin)
    _as_count(offsets[-1], origin)
    return offsets


def _as_count(num_nodes: int, origin: str) -> int:
    try:
        count = operator.index(num_nodes)
    except TypeError:
        count = -1
    if count < 0:
        raise InputError(f"num_nodes must be a whole number that is not negative, not {num_nodes!r}", origin=origin)
    if count > MAX_NODES:
        raise InputError(f"at most {MAX_NODES:,} nodes are possible, these are {count:,}", origin=origin)
    return count


def check_ids(ends: IdArray, offsets: NDArray[np.int64], origin: str) -> None:
    """Raise unless both ends of every edge exist and lie in one graph."""
    edge = _core.first_outside(ends[0], ends[1], int(offsets[-1]))
    if edge >= 0:
        node = next(node for node in ends[:, edge].tolist() if not 0 <= node < offsets[-1])
        allowed = f"0..{offsets[-1] - 1}" if offsets[-1] else "an empty graph"
        raise InputError(f"edge {edge} has node {node}, outside {allowed}", origin=origin, edge=edge)
    if len(offsets) > 2:
        owner = segment_of(offsets, ends)
        across = owner[0] != owner[1]
        if across.any():
            edge = int(np.argmax(across))
            pair = " and ".join(str(number) for number in owner[:, edge])
            raise InputError(f"edge {edge} joins the graphs {pair}", origin=origin, edge=edge)


def as_weight(weight: ArrayLike | None, count: int, kind: str, origin: str) -> FloatArray:
    """Return weights [count] of nodes or edges: ones where absent, finite, not negative on nodes."""
    if weight is None:
        return np.ones(count)
    unmasked(weight, origin)
    try:
        given = np.asarray(weight)
        # NumPy would read digits and dates as numbers, and drop the imaginary part of complex ones.
        if given.dtype.kind not in "biufO":
            raise TypeError
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{kind} weights must be real numbers", origin=origin) from None
    if array.shape != (count,):
        raise InputError(f"{kind} weights must have shape [{count}], these have {list(array.shape)}", origin=origin)
    wrong = ~np.isfinite(array) | ((array < 0) & (kind == "node"))
    if wrong.any():
        first = int(np.argmax(wrong))
        rule = "finite and not negative" if kind == "node" else "finite"
        place = {"node": first} if kind == "node" else {"edge": first}
        raise InputError(f"{kind} weights must be {rule}, {kind} {first} has {array[first]:g}", origin=origin, **place)
    if (heaviest := too_large(array)) is not None:
        place = {"node": heaviest} if kind == "node" else {"edge": heaviest}
        raise InputError(too_large_rule(kind, str(heaviest), array[heaviest]), origin=origin, **place)
    return array


def too_large(weight: FloatArray) -> int | None:
    """Return the place of the largest of some weights if their sum is too large, else None."""
    with np.errstate(over="ignore"):
        return int(np.argmax(np.abs(weight))) if np.abs(weight).sum() > MAX_TOTAL else None


def too_large_rule(kind: str, name: str, weight: float) -> str:
    """Say which weight of a node or edge makes a sum too large."""
    return f"{kind} weights must add up to less than {MAX_TOTAL:g} in size, {kind} {name} has {weight:g}, too large"


def as_labels(labels: Sequence[Any] | NDArray[Any], offsets: NDArray[np.int64], origin: str) -> NDArray[Any]:
    """Return node labels [num_nodes], which must be unique in each graph."""
    array = unmasked(labels, origin).copy() if isinstance(labels, np.ndarray) else object_array(labels)
    if array.shape != (offsets[-1],):
        raise InputError(f"node labels must have shape [{offsets[-1]}], these have {list(array.shape)}", origin=origin)
    if array.dtype.kind in "iu" and len(offsets) == 2 and np.all(array[1:] > array[:-1]):
        # Numbers that ascend, as those of most files, are unique.
        return array
    for start, stop in pairwise(offsets):
        own = array[start:stop].tolist()
        try:
            distinct = len(set(own))
        except TypeError:
            raise InputError("node labels must be hashable", origin=origin) from None
        if distinct < len(own):
            label = Counter(own).most_common(1)[0][0]
            node = int(start) + own.index(label, own.index(label) + 1)
            rule = f"node labels must be unique in a graph, {label!r} occurs twice"
            raise InputError(rule, origin=origin, node=node)
    return array


def object_array(values: Sequence[Any] | NDArray[Any]) -> NDArray[Any]:
    """Make a 1-d array of objects; a tuple stays one label, which ``np.array`` would unpack."""
    array = np.empty(len(values), dtype=object)
    for position, value in enumerate(values.tolist() if isinstance(values, np.ndarray) else values):
        array[position] = value
    return array


def as_data(data: Mapping[str, ArrayLike] | None, count: int, kind: str, origin: str) -> dict[str, NDArray[Any]]:
    """Return further arrays, each with one entry per node or graph."""
    checked = {}
    for key, value in (data or {}).items():
        unmasked(value, f"{kind} data {key!r}")
        try:
            array = np.array(value)
        except ValueError:
            raise InputError(f"{kind} data {key!r} must be an array", origin=origin) from None
        if array.ndim == 0 or len(array) != count:
            shape = list(array.shape)
            raise InputError(f"{kind} data {key!r} must have {count} entries, it has shape {shape}", origin=origin)
        checked[key] = array
    return checked


def normalise(
    one: IdArray, two: IdArray, weight: FloatArray | None, num_nodes: int, origin: str
) -> tuple[NDArray[np.int32], FloatArray]:
    """Put ``u < v`` in each edge, sort by (u, v), drop self-loops and merge duplicates, saying how many.

    Args:
        one: [num_edges] ids from 0 to num_nodes - 1, contiguous.
        two: [num_edges] ids of the other ends, of the same type.
        weight: [num_edges], 1 where absent.
        num_nodes: number of nodes.
        origin: what errors and warnings name as the source.
    """
    given = np.zeros(0) if weight is None else weight
    kept, own, loops, duplicates, before, clash = _core.normalised_edges(one, two, given, num_nodes)
    if clash >= 0:
        low, high = sorted((one[clash], two[clash]))
        rule = f"edge {low}-{high} occurs with two weights, {given[before]:g} and {given[clash]:g}"
        raise InputError(rule, origin=origin, edge=clash)
    if loops or duplicates:
        said = [f"{loops} self-loop{'s' * (loops > 1)} dropped"] * (loops > 0)
        said += [f"{duplicates} duplicate edge{'s' * (duplicates > 1)} merged"] * (duplicates > 0)
        warnings.warn(f"{origin}: {', '.join(said)}", NormalisationWarning, stacklevel=3)
    return kept, np.ones(kept.shape[1]) if weight is None else own
