"""An instance as flat arrays, for the compiled core: its terms, and two readings of them, f and ψ.

A kernel of the core sees no terms and no problem, only these arrays. For probabilities or bits p, the conditional
difference of a node i is read off them in O(degree):

    delta(i) = linear[i]
             + Σ pair_value[k] · p[pair_index[k]]                       k in pair_ptr[i] .. pair_ptr[i+1]
             + Σ_{j≠i in i's graph} min(c_i, c_j) p_j                   c = all_pairs[i], where there is an `AllPairs`
             − Σ cover_value[h] · Π_{j∈h, j≠i} (1 − p_j)                h = cover_of[k], k in cover_of_ptr[i] .. [i+1]
             + Σ_r range_value[r, g] · (outside_r(V_r + d_i) − outside_r(V_r)),  V_r without i, d_i = range_weight[r, i]

Terms of one kind are merged: linear and pair coefficients add up, sets are listed one after the other. `AllPairs`
brings its excluded pairs as negative pair values; at most one is possible, since different minima do not add up.

Searches need the energy f and the violations ψ at once. Penalties may be 0, and at the critical penalty infeasible
assignments tie with feasible ones, so ψ decides where f does not. Pairs, sets and ranges of the two are the same, only
their coefficients differ: what a kernel keeps up to date about them serves both, and ψ costs nothing where it is not
asked for.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from annealco._core import EnergyTerms
from annealco.arrays import FloatArray, Int32Array, IntArray, sets_of_nodes, symmetric_rows
from annealco.energy.instance import Instance
from annealco.energy.structure import expand, has_small_sets
from annealco.energy.terms import AllPairs, Cover, Linear, Pairs, Range, Term, unknown_term, with_coefficient
from annealco.errors import InputError


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
    for term in terms:
        if not isinstance(term, Term):
            raise unknown_term(term, user="the compiled core")
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


ENERGY, VIOLATION = 0, 1
"""The two readings, f and ψ: the last index of every coefficient."""

SHARED = (
    "node_ptr",
    "pair_ptr",
    "pair_index",
    "cover_ptr",
    "cover_members",
    "cover_of_ptr",
    "cover_of",
    "graph_set_ptr",
    "range_weight",
    "range_lower",
    "range_upper",
)
"""What `CompiledTerms` holds that depends on no coefficient."""


class Forms(NamedTuple):
    """The structure that both readings share, as in `CompiledTerms`, and the coefficients of the two side by side.

    Attributes:
        node_ptr: [num_graphs + 1] node offsets.
        pair_ptr: [num_nodes + 1] offsets of the pairs of each node.
        pair_index: [2 · num_pairs] the other node of each pair.
        cover_ptr: [num_sets + 1] offsets into ``cover_members``.
        cover_members: [num_members] nodes.
        cover_of_ptr: [num_nodes + 1] offsets into ``cover_of``.
        cover_of: [num_members] the sets that each node is in.
        graph_set_ptr: [num_graphs + 1] offsets of the sets of each graph.
        range_weight: [num_ranges, num_nodes].
        range_lower: [num_ranges, num_graphs].
        range_upper: [num_ranges, num_graphs].
        linear: [num_nodes, 2].
        pair: [2 · num_pairs] in f, or [1] where all are the same; apart from those in ψ, which are seldom asked for.
        pair_violation: the same in ψ.
        all_pairs: [num_nodes, 2], or [0, 2] without an `AllPairs` term.
        place: [num_nodes, 2] where each node stands in the descending order of ``all_pairs``, or [0, 2].
        uniform: [num_graphs, 2] whether all ``all_pairs`` of a graph are equal.
        cover: [num_sets, 2], or [1, 2] where all are the same.
        range: [num_ranges, num_graphs, 2].
        constant: [num_graphs, 2] what an assignment has whatever it chooses.
    """

    node_ptr: IntArray
    pair_ptr: IntArray
    pair_index: Int32Array
    cover_ptr: IntArray
    cover_members: Int32Array
    cover_of_ptr: IntArray
    cover_of: Int32Array
    graph_set_ptr: IntArray
    range_weight: FloatArray
    range_lower: FloatArray
    range_upper: FloatArray
    linear: FloatArray
    pair: FloatArray
    pair_violation: FloatArray
    all_pairs: FloatArray
    place: Int32Array
    uniform: NDArray[np.bool_]
    cover: FloatArray
    range: FloatArray
    constant: FloatArray


# Decoding, repair and search of one instance each ask for its terms: they are made once.
_CACHE: WeakKeyDictionary[Instance, dict[float, EnergyTerms]] = WeakKeyDictionary()


def core_terms(instance: Instance, penalty_scale: float = 1.0) -> EnergyTerms:
    """Return f at this multiple of the critical penalty, and ψ, for the core; kept as long as the instance lives."""
    made = _CACHE.setdefault(instance, {})
    if penalty_scale not in made:
        forms = compile_forms(instance, penalty_scale)
        made[penalty_scale] = EnergyTerms(
            node_start=forms.node_ptr,
            linear=forms.linear,
            pair_start=forms.pair_ptr,
            pair_index=forms.pair_index,
            pair_energy=forms.pair,
            pair_violation=forms.pair_violation,
            set_offsets=forms.cover_ptr,
            set_members=forms.cover_members,
            set_of_start=forms.cover_of_ptr,
            set_of=forms.cover_of,
            cover=forms.cover,
            set_start=forms.graph_set_ptr,
            all_pairs=forms.all_pairs,
            place=forms.place,
            uniform=forms.uniform,
            range_weight=forms.range_weight,
            range_lower=forms.range_lower,
            range_upper=forms.range_upper,
            range=forms.range,
            constant=forms.constant,
        )
    return made[penalty_scale]


def compile_forms(instance: Instance, penalty_scale: float = 1.0) -> Forms:
    """Compile f at this multiple of the critical penalty, and ψ.

    Example:
        >>> from annealco.energy import Constraint, Linear
        >>> ptr = np.array([0, 2])
        >>> edge = Constraint(Pairs(ptr, np.array([[0], [1]]), np.ones(1)), np.array([3.0]))
        >>> forms = compile_forms(Instance(ptr, (Linear(ptr, -np.ones(2)),), (edge,)))
        >>> forms.pair.tolist(), forms.pair_violation.tolist()
        ([3.0], [1.0])
    """
    num_nodes, num_graphs = instance.num_nodes, instance.num_graphs
    # Without constraints nothing is said of pairs, of which a dense function has millions.
    silent: tuple[type, ...] = (Pairs,) if not instance.constraints else ()
    said = (term for term in instance.objective if not isinstance(term, silent))
    absent = (with_coefficient(term, 0.0 * term.coefficient) for term in said)
    broken = (*absent, *(constraint.term for constraint in instance.constraints))
    energy, energy_constant = _shortened(instance.energy(penalty_scale).terms, num_graphs)
    violation, violation_constant = _shortened(broken, num_graphs)
    if instance.constant is not None:
        energy_constant = energy_constant + instance.constant
    flat = compile_terms(energy, instance.node_ptr)
    broken_pairs = _pair_violation(violation, flat)
    return Forms(
        **{name: getattr(flat, name) for name in SHARED},
        linear=_beside(flat.linear, sum(_coefficients(violation, Linear), start=np.zeros(num_nodes))),
        pair=flat.pair_value,
        pair_violation=broken_pairs,
        **_all_pairs(energy, violation, flat.node_ptr),
        cover=_covers(flat.cover_value, joined([np.zeros(0), *_coefficients(violation, Cover)])[flat.cover_order]),
        range=_beside(flat.range_value, np.reshape(_coefficients(violation, Range), flat.range_value.shape)),
        constant=_beside(energy_constant, violation_constant),
    )


class Short(NamedTuple):
    """Terms of which kernels keep less, and what they leave out of each graph, [num_graphs]."""

    terms: tuple[Term, ...]
    constant: FloatArray


def _shortened(terms: tuple[Term, ...], num_graphs: int) -> Short:
    """List all pairs but the excluded ones where that is the shorter list, and write sets of two nodes as pairs."""
    short, constant = list[Term](), np.zeros(num_graphs)
    for term in terms:
        if isinstance(term, Cover) and has_small_sets(term):
            linear, pairs, left_out = expand(term)
            short += [linear, pairs]
            constant += left_out
        else:
            short.append((term.short_list or term) if isinstance(term, AllPairs) else term)
    return Short(tuple(short), constant)


def _beside(energy: FloatArray, violation: FloatArray) -> FloatArray:
    return np.stack([energy, violation], axis=-1)


def _coefficients(terms: tuple[Term, ...], kind: type) -> list[FloatArray]:
    return [term.coefficient for term in terms if isinstance(term, kind)]


def _pair_violation(terms: tuple[Term, ...], flat: CompiledTerms) -> FloatArray:
    """Return ψ's coefficients of the pairs, [2 · num_pairs] or [1].

    Where all are equal and no pair is listed twice they need not be sorted into place, which would take as long as all
    the rest.
    """
    listed = tuple(term for term in terms if isinstance(term, (Pairs, AllPairs)))
    values = joined([np.zeros(0), *(_pair_coefficient(term) for term in listed)])
    count = len(flat.pair_index)
    if not values.any() or (2 * len(values) == count and values.min() == values.max()):
        return np.full(1, values[0] if len(values) else 0.0)
    return compile_terms(listed, flat.node_ptr).pair_value


def _pair_coefficient(term: Pairs | AllPairs) -> FloatArray:
    return term.coefficient if isinstance(term, Pairs) else -term.excluded_pairs.coefficient


def _covers(energy: FloatArray, violation: FloatArray) -> FloatArray:
    each = _beside(energy, violation)
    same = len(each) > 0 and bool(np.all(each == each[0]))
    return each[:1].copy() if same else each


def _all_pairs(energy: tuple[Term, ...], violation: tuple[Term, ...], node_ptr: IntArray) -> dict[str, Any]:
    found = [[term for term in terms if isinstance(term, AllPairs)] for terms in (energy, violation)]
    uniform = np.ones((len(node_ptr) - 1, 2), dtype=np.bool_)
    if not found[0]:
        # Most problems have none, and small graphs feel what empty arrays cost.
        return {"all_pairs": np.zeros((0, 2)), "place": np.zeros((0, 2), dtype=np.int32), "uniform": uniform}
    coefficient = np.stack([term.coefficient for (term,) in found], axis=-1)
    order = np.stack([term.descending for (term,) in found], axis=-1).astype(np.int32)
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(len(order), dtype=np.int32)[:, None], axis=0)
    filled = node_ptr[1:] > (node_ptr[:-1] if len(order) else node_ptr[1:])
    ordered = np.take_along_axis(coefficient, order, axis=0)
    uniform[filled] = ordered[node_ptr[:-1][filled]] == ordered[node_ptr[1:][filled] - 1]
    return {"all_pairs": coefficient, "place": place, "uniform": uniform}
