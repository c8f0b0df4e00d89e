"""The same terms as flat arrays, for compiled kernels.

A kernel sees no terms and no problem, only these arrays. For probabilities or bits p, the conditional difference of a
node i is read off them in O(degree):

    delta(i) = linear[i]
             + Σ pair_value[k] · p[pair_index[k]]                       k in pair_ptr[i] .. pair_ptr[i+1]
             + Σ_{j≠i in i's graph} min(c_i, c_j) p_j                   c = all_pairs[i], where there is an `AllPairs`
             − Σ cover_value[h] · Π_{j∈h, j≠i} (1 − p_j)                h = cover_of[k], k in cover_of_ptr[i] .. [i+1]
             + Σ_r range_value[r, g] · (outside_r(V_r + d_i) − outside_r(V_r)),  V_r without i, d_i = range_weight[r, i]

Terms of one kind are merged: linear and pair coefficients add up, sets are listed one after the other. `AllPairs`
brings its excluded pairs as negative pair values; at most one is possible, since different minima do not add up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.energy.terms import AllPairs, Cover, Linear, Pairs, Range, Term
from annealco.graph.errors import InputError
from annealco.graph.rows import sets_of_nodes, symmetric_rows
from annealco.graph.segments import FloatArray, IntArray

Int32Array = NDArray[np.int32]


class CompiledTerms(NamedTuple):
    """Flat, contiguous, writable arrays of fixed dtype (int64 offsets, int32 indices, float64 values).

    Attributes:
        node_ptr: [num_graphs + 1] node offsets.
        linear: [num_nodes].
        pair_ptr: [num_nodes + 1] rows of the symmetric matrix of pair coefficients.
        pair_index: [2 · num_pairs] the other node of each pair.
        pair_value: [2 · num_pairs], or [1] where all are the same.
        all_pairs: [num_nodes] coefficients c of the `AllPairs` term, or [0] without one.
        all_pairs_order: [num_nodes] the nodes of each graph by descending c, or [0].
        cover_ptr: [num_sets + 1] offsets into ``cover_members``.
        cover_members: [num_members] nodes.
        cover_value: [num_sets].
        cover_of_ptr: [num_nodes + 1] offsets into ``cover_of``.
        cover_of: [num_members] the sets that each node is in.
        graph_set_ptr: [num_graphs + 1] offsets of the sets of each graph; they stand graph by graph.
        cover_order: [num_sets] where each set stood in the terms, one term after the other.
        range_weight: [num_ranges, num_nodes].
        range_lower: [num_ranges, num_graphs].
        range_upper: [num_ranges, num_graphs].
        range_value: [num_ranges, num_graphs].
    """

    node_ptr: IntArray
    linear: FloatArray
    pair_ptr: IntArray
    pair_index: Int32Array
    pair_value: FloatArray
    all_pairs: FloatArray
    all_pairs_order: Int32Array
    cover_ptr: IntArray
    cover_members: Int32Array
    cover_value: FloatArray
    cover_of_ptr: IntArray
    cover_of: Int32Array
    graph_set_ptr: IntArray
    cover_order: Int32Array
    range_weight: FloatArray
    range_lower: FloatArray
    range_upper: FloatArray
    range_value: FloatArray


def compile_terms(terms: tuple[Term, ...], node_ptr: IntArray) -> CompiledTerms:
    """Merge terms, of an energy or of constraints alone, into flat arrays; O(size of the terms).

    Example:
        >>> ptr = np.array([0, 2])
        >>> flat = compile_terms((Linear(ptr, -np.ones(2)), Pairs(ptr, np.array([[0], [1]]), np.ones(1))), ptr)
        >>> flat.linear.tolist(), flat.pair_ptr.tolist(), flat.pair_index.tolist()
        ([-1.0, -1.0], [0, 1, 2], [1, 0])
    """
    size = int(node_ptr[-1])
    every = [term for term in terms if isinstance(term, AllPairs)]
    if len(every) > 1:
        raise InputError("an energy can have one AllPairs term: minima of different coefficients do not add up")
    pairs = [term for term in terms if isinstance(term, Pairs)]
    pairs += [Pairs(term.node_ptr, term.excluded, -term.excluded_pairs.coefficient) for term in every]
    linear = sum((term.coefficient for term in terms if isinstance(term, Linear)), start=np.zeros(size))
    return CompiledTerms(
        node_ptr=np.array(node_ptr, dtype=np.int64),
        linear=np.array(linear),
        **_pair_arrays(pairs, size),
        all_pairs=np.array(every[0].coefficient if every else [], dtype=np.float64),
        all_pairs_order=np.array(every[0].descending if every else [], dtype=np.int32),
        **_cover_arrays([term for term in terms if isinstance(term, Cover)], node_ptr),
        **_range_arrays([term for term in terms if isinstance(term, Range)], node_ptr),
    )


def joined(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Join arrays along the last axis; one that is the only one with entries is not copied.

    Example:
        >>> one = np.arange(3)
        >>> joined([np.zeros(0, int), one]) is one, joined([one, one]).tolist()
        (True, [0, 1, 2, 0, 1, 2])
    """
    filled = [each for each in arrays if each.shape[-1]]
    return filled[0] if len(filled) == 1 else np.concatenate(arrays, axis=-1)


def _pair_arrays(terms: list[Pairs], size: int) -> dict[str, Any]:
    pairs = joined([np.zeros((2, 0), np.int32), *(term.pairs for term in terms)])
    value = joined([np.zeros(0), *(term.coefficient for term in terms)])
    ptr, index, values = symmetric_rows(pairs, value, size)
    return {"pair_ptr": ptr, "pair_index": index, "pair_value": values}


def _cover_arrays(terms: list[Cover], node_ptr: IntArray) -> dict[str, Any]:
    lengths = np.concatenate([np.zeros(0, np.int64), *(np.diff(term.set_ptr) for term in terms)])
    members = joined([np.zeros(0, np.int32), *(term.members for term in terms)]).astype(np.int32, copy=False)
    value = joined([np.zeros(0), *(term.coefficient for term in terms)])
    graph = joined([np.zeros(0, np.int64), *(term.graph_of_set for term in terms)])
    order = np.arange(len(lengths), dtype=np.int32)
    if np.any(graph[1:] < graph[:-1]):
        order = np.argsort(graph, kind="stable").astype(np.int32)
        start = np.cumsum(lengths) - lengths
        lengths, value = lengths[order], value[order]
        shift = start[order] - (np.cumsum(lengths) - lengths)
        members = members[np.arange(len(members)) + np.repeat(shift, lengths)]
    set_ptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    of_ptr, of = sets_of_nodes(set_ptr, members, int(node_ptr[-1]))
    return {
        "cover_ptr": set_ptr,
        "cover_members": np.require(members, requirements=["C", "W"]),
        "cover_value": value,
        "cover_of_ptr": of_ptr,
        "cover_of": of,
        "graph_set_ptr": np.searchsorted(graph[order], np.arange(len(node_ptr))).astype(np.int64),
        "cover_order": order,
    }


def _range_arrays(terms: list[Range], node_ptr: IntArray) -> dict[str, Any]:
    num_nodes, num_graphs = int(node_ptr[-1]), len(node_ptr) - 1
    columns = {
        "range_weight": num_nodes,
        "range_lower": num_graphs,
        "range_upper": num_graphs,
        "range_value": num_graphs,
    }
    fields = ("weight", "lower", "upper", "coefficient")
    return {
        name: np.array([getattr(term, each) for term in terms], dtype=np.float64).reshape(len(terms), width)
        for (name, width), each in zip(columns.items(), fields, strict=True)
    }
