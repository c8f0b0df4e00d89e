"""The two kernels under every search on probabilities: `delta` and `update`.

Q sets x_i = 1 with probability p_i, independently; bits are probabilities 0 and 1. `delta` returns the conditional
difference E[f | x_i = 1] − E[f | x_i = 0], or that of ψ, in O(degree), and `update` changes one p_i in O(degree);
weighted `AllPairs` add O(log n). What is kept:

* `Cover`: how many members of each set are certain (p = 1), and Σ −log(1 − p) over the others. A product of (1 − p)
  would underflow on large sets and never come back. What a set charges in f, its coefficient times that product,
  stands beside the sum: decoding reads nothing else of a set.
* `Range`: mean and variance of each sum, of which E[(V − D)_+] is taken in the normal closed form, as in
  `annealco.energy.range_term`; where no other node of the graph is open, the sum is a number and the value exact.
* `AllPairs`: running sums.

All sums of a graph are taken anew after as many updates as it has nodes, so that rounding errors do not add up, and a
variance is 0 where nothing open is left. A graph's state depends on no other graph: graphs of one state may be worked
on in parallel.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import inlined, part, prefetch
from annealco.search.all_pairs_sums import AllPairsSums, add_to_sums, all_pairs_charge, clear_sums, empty_sums
from annealco.search.forms import ENERGY, SETS_AHEAD, Forms, cover_value, pair_value
from annealco.search.normal_sums import expected_outside

LEAST_PERIOD = 1000
"""Sums are not taken anew before this many updates."""

MOST_FETCHED = 32
"""Of longer lists only the start is asked for early; the rest comes in by itself while that is worked on."""

CHARGE, MISS = 0, 1
"""Columns of the state of sets."""

LEAST_CHARGE = 1e-300
"""Stands for a charge that is smaller or 0 though no member is certain."""


class State(NamedTuple):
    """Probabilities and what follows from them.

    Attributes:
        probability: [num_nodes].
        cover: [num_sets, 2] the expectation of each set's part of f, and Σ −log(1 − p) over uncertain members.
        certain: [num_sets] members with p = 1.
        mean: [num_ranges, num_graphs].
        variance: [num_ranges, num_graphs].
        open_nodes: [num_graphs] nodes with 0 < p < 1.
        sums: for `AllPairs`.
        age: [num_graphs] updates since the sums were taken anew.
    """

    probability: FloatArray
    cover: FloatArray
    certain: NDArray[np.int32]
    mean: FloatArray
    variance: FloatArray
    open_nodes: IntArray
    sums: AllPairsSums
    age: IntArray


def new_state(forms: Forms, probability: FloatArray) -> State:
    """Return a state that holds a copy of these probabilities, [num_nodes]; graphs have to be loaded before use."""
    num_ranges, num_graphs = forms.range_lower.shape
    return State(
        probability=np.array(probability, dtype=np.float64),
        cover=np.empty((len(forms.cover_ptr) - 1, 2)),
        certain=np.empty(len(forms.cover_ptr) - 1, dtype=np.int32),
        mean=np.empty((num_ranges, num_graphs)),
        variance=np.empty((num_ranges, num_graphs)),
        open_nodes=np.empty(num_graphs, dtype=np.int64),
        sums=empty_sums(forms),
        age=np.zeros(num_graphs, dtype=np.int64),
    )


@part
def load(forms: Forms, state: State, graph: int) -> None:
    """Take all sums of a graph anew from its probabilities; O(size of the graph's terms)."""
    start, stop = forms.node_ptr[graph], forms.node_ptr[graph + 1]
    first_set, last_set = forms.graph_set_ptr[graph], forms.graph_set_ptr[graph + 1]
    state.cover[first_set:last_set] = 0.0
    state.certain[first_set:last_set] = 0
    state.mean[:, graph] = 0.0
    state.variance[:, graph] = 0.0
    state.open_nodes[graph] = 0
    state.age[graph] = 0
    clear_sums(forms, state.sums, graph)
    for node in range(start, stop):
        if len(forms.cover_of) and node + SETS_AHEAD < stop:
            _fetch_sets(forms, state, node + SETS_AHEAD, 0)
        _count(forms, state, graph, node, 0.0)
    for each in range(first_set, last_set):
        _charge(forms, state, each)


@inlined
def update(forms: Forms, state: State, graph: int, node: int, value: float) -> None:
    """Set the probability of a node of a graph; O(degree)."""
    old = state.probability[node]
    if value == old:
        return
    state.probability[node] = value
    state.age[graph] += 1
    if state.age[graph] > max(LEAST_PERIOD, forms.node_ptr[graph + 1] - forms.node_ptr[graph]):
        load(forms, state, graph)
    else:
        _count(forms, state, graph, node, old)
        if len(forms.cover_of):
            for k in range(forms.cover_of_ptr[node], forms.cover_of_ptr[node + 1]):
                _charge(forms, state, forms.cover_of[k])


@inlined
def rule_out(forms: Forms, state: State, graph: int, node: int) -> None:
    """Set an open probability to 0 in a state in which nothing certain becomes uncertain again.

    Then sets with a certain member are done with, and need not be counted any more: they charge nothing, whatever is
    open in them. Later in decoding that is most of the sets.
    """
    old = state.probability[node]
    state.probability[node] = 0.0
    _count_in_graph(forms, state, graph, node, old)
    if len(forms.cover_of) == 0:
        return
    _, miss = _parts(old)
    for k in range(forms.cover_of_ptr[node], forms.cover_of_ptr[node + 1]):
        each = forms.cover_of[k]
        if state.cover[each, CHARGE] != 0.0:
            state.cover[each, MISS] = max(state.cover[each, MISS] - miss, 0.0)
            _charge_open(forms, state, each)


@inlined
def fetch(forms: Forms, state: State, node: int, stage: int) -> None:
    """Ask for what `delta` and `update` will read of a node.

    At stage 2 where its lists start, at 1 the lists, at 0 what they name. A stage reads what the one before asked for,
    so the stages of a node belong some visits apart.
    """
    if stage == 2:
        prefetch(state.probability, node)
        prefetch(forms.linear, node)
        prefetch(forms.tolerance, node)
    if len(forms.pair_index):
        _fetch_pairs(forms, state, node, stage)
    if len(forms.cover_of):
        _fetch_sets(forms, state, node, stage)


@inlined
def _fetch_pairs(forms: Forms, state: State, node: int, stage: int) -> None:
    if stage == 2:
        prefetch(forms.pair_ptr, node)
        return
    first, last = forms.pair_ptr[node], forms.pair_ptr[node + 1]
    if stage == 1 and first < last:
        prefetch(forms.pair_index, first)
        prefetch(forms.pair, first * forms.pair_step[ENERGY])
    elif stage == 0:
        for k in range(first, min(last, first + MOST_FETCHED)):
            prefetch(state.probability, forms.pair_index[k])


@inlined
def _fetch_sets(forms: Forms, state: State, node: int, stage: int) -> None:
    if stage == 2:
        prefetch(forms.cover_of_ptr, node)
        return
    first, last = forms.cover_of_ptr[node], forms.cover_of_ptr[node + 1]
    if stage == 1 and first < last:
        prefetch(forms.cover_of, first)
    elif stage == 0:
        for k in range(first, min(last, first + MOST_FETCHED)):
            prefetch(state.cover, forms.cover_of[k])


@inlined
def delta(forms: Forms, state: State, graph: int, node: int, reading: int) -> float:
    """Return E[f | x_i = 1] − E[f | x_i = 0] of a node of a graph, or that of ψ; O(degree).

    Args:
        forms: the instance.
        state: with the graph loaded.
        graph: the node's.
        node: i, numbered through the batch.
        reading: ENERGY for f, VIOLATION for ψ.
    """
    total = forms.linear[node, reading]
    if len(forms.pair_index):
        for k in range(forms.pair_ptr[node], forms.pair_ptr[node + 1]):
            total += pair_value(forms, k, reading) * state.probability[forms.pair_index[k]]
    if len(forms.all_pairs):
        own = forms.all_pairs[node, reading] * state.probability[node]
        total += all_pairs_charge(forms, state.sums, graph, node, reading) - own
    if len(forms.cover_of):
        total -= _missed_without(forms, state, node, reading)
    if len(forms.range_weight):
        total += _range_delta(forms, state, graph, node, reading)
    return float(total)


@inlined
def _missed_without(forms: Forms, state: State, node: int, reading: int) -> float:
    """Return Σ c_h Π_{j∈h, j≠i} (1 − p_j) over the sets of a node i."""
    total = 0.0
    if reading == ENERGY and state.probability[node] < 1.0:
        for k in range(forms.cover_of_ptr[node], forms.cover_of_ptr[node + 1]):
            total += state.cover[forms.cover_of[k], CHARGE]
        return float(total / (1.0 - state.probability[node]))
    certain, miss = _parts(state.probability[node])
    for k in range(forms.cover_of_ptr[node], forms.cover_of_ptr[node + 1]):
        each = forms.cover_of[k]
        if state.certain[each] == certain:
            total += cover_value(forms, each, reading) * math.exp(min(miss - state.cover[each, MISS], 0.0))
    return total


@inlined
def _range_delta(forms: Forms, state: State, graph: int, node: int, reading: int) -> float:
    own, total = state.probability[node], 0.0
    others_open = state.open_nodes[graph] > (1 if 0.0 < own < 1.0 else 0)
    for r in range(len(forms.range_weight)):
        weight = forms.range_weight[r, node]
        lower, upper = forms.range_lower[r, graph], forms.range_upper[r, graph]
        mean = state.mean[r, graph] - weight * own
        variance = state.variance[r, graph] - weight * weight * own * (1.0 - own) if others_open else 0.0
        chosen = expected_outside(mean + weight, variance, lower, upper)
        total += forms.range[r, graph, reading] * (chosen - expected_outside(mean, variance, lower, upper))
    return total


@inlined
def _count(forms: Forms, state: State, graph: int, node: int, old: float) -> None:
    """Bring all sums from an old probability of a node to the present one; charges are left to `_charge`."""
    _count_in_graph(forms, state, graph, node, old)
    if len(forms.cover_of):
        old_certain, old_miss = _parts(old)
        certain, miss = _parts(state.probability[node])
        for k in range(forms.cover_of_ptr[node], forms.cover_of_ptr[node + 1]):
            each = forms.cover_of[k]
            if certain != old_certain:
                state.certain[each] += certain - old_certain
            state.cover[each, MISS] = max(state.cover[each, MISS] + (miss - old_miss), 0.0)


@inlined
def _count_in_graph(forms: Forms, state: State, graph: int, node: int, old: float) -> None:
    """Bring the sums over a graph from an old probability of a node to the present one."""
    new = state.probability[node]
    state.open_nodes[graph] += (1 if 0.0 < new < 1.0 else 0) - (1 if 0.0 < old < 1.0 else 0)
    for r in range(len(forms.range_weight)):
        weight = forms.range_weight[r, node]
        state.mean[r, graph] += weight * (new - old)
        state.variance[r, graph] += weight * weight * (new * (1.0 - new) - old * (1.0 - old))
        if state.open_nodes[graph] == 0:
            state.variance[r, graph] = 0.0
    add_to_sums(forms, state.sums, graph, node, new - old)


@inlined
def _charge(forms: Forms, state: State, each: int) -> None:
    """Bring the charge of a set up to date; it is 0 only where a member is certain."""
    if state.certain[each] > 0:
        state.cover[each, CHARGE] = 0.0
    else:
        _charge_open(forms, state, each)


@inlined
def _charge_open(forms: Forms, state: State, each: int) -> None:
    """Bring the charge of a set up to date of which no member is certain."""
    charge = cover_value(forms, each, ENERGY) * math.exp(-state.cover[each, MISS])
    state.cover[each, CHARGE] = charge if abs(charge) >= LEAST_CHARGE else LEAST_CHARGE


@inlined
def _parts(probability: float) -> tuple[int, float]:
    """Return what a member adds to its sets: 1 where it is certain, else −log(1 − p)."""
    if probability >= 1.0:
        return 1, 0.0
    if probability <= 0.0:
        return 0, 0.0
    return 0, -math.log1p(-probability)
