"""Bits with the change that every flip would make, kept up to date flip by flip.

For each node the conditional difference of f and of ψ is stored as far as it comes from linear terms, pairs and sets:
the local part. A flip changes it only for nodes that share a pair or a set with the flipped one, and those are told.
What comes from `AllPairs` and `Range` depends on sums over the graph, and is added when asked for. A set of which
exactly one member is chosen charges that member alone; the exclusive-or of its chosen members names it without a walk
through the set.

Sums of a graph are taken anew after as many flips as it has nodes, so that rounding errors do not add up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import inlined, kernel, part, prefetch
from annealco.search.all_pairs_sums import AllPairsSums, add_to_sums, all_pairs_charge, clear_sums, empty_sums
from annealco.search.forms import ENERGY, SETS_AHEAD, VIOLATION, Forms, cover_value, pair_value

LEAST_PERIOD = 10_000
"""Sums are not taken anew before this many flips."""


class Bits(NamedTuple):
    """An assignment and what follows from it.

    Attributes:
        chosen: [num_nodes].
        field: [num_nodes, 2] local part of f(x_i = 1) − f(x_i = 0), and of ψ.
        hits: [num_sets] chosen members.
        sole: [num_sets] exclusive-or of the chosen members: the only one where ``hits`` is 1.
        total: [num_ranges, num_graphs] weighted sums of the chosen nodes.
        sums: for `AllPairs`.
        value: [num_graphs, 2] f and ψ.
        touched: [num_nodes] in each graph's part, the nodes whose field the last flip changed.
        num_touched: [num_graphs].
        stamp: [num_nodes] the flip that last touched a node.
        flips: [num_graphs] flips ever made.
        age: [num_graphs] flips since the sums were taken anew.
    """

    chosen: NDArray[np.bool_]
    field: FloatArray
    hits: NDArray[np.int32]
    sole: NDArray[np.int32]
    total: FloatArray
    sums: AllPairsSums
    value: FloatArray
    touched: NDArray[np.int32]
    num_touched: IntArray
    stamp: IntArray
    flips: IntArray
    age: IntArray


def new_bits(forms: Forms, assignment: NDArray[np.bool_]) -> Bits:
    """Return a copy of an assignment, [num_nodes]; graphs have to be loaded before use."""
    num_nodes, num_sets = len(assignment), len(forms.cover_ptr) - 1
    num_ranges, num_graphs = forms.range_lower.shape
    return Bits(
        chosen=np.array(assignment, dtype=np.bool_),
        field=np.empty((num_nodes, 2)),
        hits=np.empty(num_sets, dtype=np.int32),
        sole=np.empty(num_sets, dtype=np.int32),
        total=np.empty((num_ranges, num_graphs)),
        sums=empty_sums(forms),
        value=np.zeros((num_graphs, 2)),
        touched=np.empty(num_nodes, dtype=np.int32),
        num_touched=np.zeros(num_graphs, dtype=np.int64),
        stamp=np.zeros(num_nodes, dtype=np.int64),
        flips=np.zeros(num_graphs, dtype=np.int64),
        age=np.zeros(num_graphs, dtype=np.int64),
    )


@kernel
def load_bits(forms: Forms, bits: Bits, graph: int) -> None:
    """Take fields, sums and values of a graph anew from its bits; O(size of the graph's terms)."""
    start, stop = forms.node_ptr[graph], forms.node_ptr[graph + 1]
    bits.age[graph] = 0
    bits.total[:, graph] = 0.0
    clear_sums(forms, bits.sums, graph)
    _count_hits(forms, bits, graph)
    for node in range(start, stop):
        if bits.chosen[node]:
            _move_sums(forms, bits, graph, node, 1.0)
    for reading in range(2):
        bits.value[graph, reading] = _value_of_sums(forms, bits, graph, reading)
    for node in range(start, stop):
        if len(forms.cover_of) and node + SETS_AHEAD < stop:
            for k in range(forms.cover_of_ptr[node + SETS_AHEAD], forms.cover_of_ptr[node + SETS_AHEAD + 1]):
                prefetch(bits.hits, forms.cover_of[k])
        _load_field(forms, bits, graph, node)


@part
def _count_hits(forms: Forms, bits: Bits, graph: int) -> None:
    bits.hits[forms.graph_set_ptr[graph] : forms.graph_set_ptr[graph + 1]] = 0
    bits.sole[forms.graph_set_ptr[graph] : forms.graph_set_ptr[graph + 1]] = 0
    for node in range(forms.node_ptr[graph], forms.node_ptr[graph + 1]):
        if bits.chosen[node]:
            for k in range(forms.cover_of_ptr[node], forms.cover_of_ptr[node + 1]):
                bits.hits[forms.cover_of[k]] += 1
                bits.sole[forms.cover_of[k]] ^= node


@part
def _load_field(forms: Forms, bits: Bits, graph: int, node: int) -> None:
    """Take the field of a node anew, and count the node and its half of its pairs into the graph's values."""
    energy = violation = 0.0
    for k in range(forms.pair_ptr[node], forms.pair_ptr[node + 1]):
        if bits.chosen[forms.pair_index[k]]:
            energy += pair_value(forms, k, ENERGY)
            violation += pair_value(forms, k, VIOLATION)
    if bits.chosen[node]:
        bits.value[graph, ENERGY] += forms.linear[node, ENERGY] + 0.5 * energy
        bits.value[graph, VIOLATION] += forms.linear[node, VIOLATION] + 0.5 * violation
    energy += forms.linear[node, ENERGY]
    violation += forms.linear[node, VIOLATION]
    own = 1 if bits.chosen[node] else 0
    for k in range(forms.cover_of_ptr[node], forms.cover_of_ptr[node + 1]):
        each = forms.cover_of[k]
        if bits.hits[each] == own:
            energy -= cover_value(forms, each, ENERGY)
            violation -= cover_value(forms, each, VIOLATION)
    bits.field[node, ENERGY] = energy
    bits.field[node, VIOLATION] = violation


@part
def _value_of_sums(forms: Forms, bits: Bits, graph: int, reading: int) -> float:
    """Return what a graph has of one reading by its sums and its sets, once they are counted."""
    total = float(forms.constant[graph, reading])
    if len(forms.all_pairs):
        for node in range(forms.node_ptr[graph], forms.node_ptr[graph + 1]):
            if bits.chosen[node]:
                charge = all_pairs_charge(forms, bits.sums, graph, node, reading)
                total += 0.5 * (charge - forms.all_pairs[node, reading])
    for r in range(len(forms.range_weight)):
        total += forms.range[r, graph, reading] * outside(forms, r, graph, bits.total[r, graph])
    for each in range(forms.graph_set_ptr[graph], forms.graph_set_ptr[graph + 1]):
        if bits.hits[each] == 0:
            total += cover_value(forms, each, reading)
    return total


@inlined
def local_change(forms: Forms, bits: Bits, graph: int, node: int, reading: int) -> float:
    """Return the change of f or of ψ by a flip, without ranges."""
    rise = bits.field[node, reading]
    if len(forms.all_pairs):
        rise += all_pairs_charge(forms, bits.sums, graph, node, reading)
        rise -= forms.all_pairs[node, reading] if bits.chosen[node] else 0.0
    return float(-rise if bits.chosen[node] else rise)


@inlined
def range_change(forms: Forms, bits: Bits, graph: int, node: int, reading: int) -> float:
    """Return the change of the ranges of f or of ψ by a flip."""
    change = 0.0
    for r in range(len(forms.range_weight)):
        step = -forms.range_weight[r, node] if bits.chosen[node] else forms.range_weight[r, node]
        total = bits.total[r, graph]
        moved = outside(forms, r, graph, total + step) - outside(forms, r, graph, total)
        change += forms.range[r, graph, reading] * moved
    return change


@inlined
def outside(forms: Forms, r: int, graph: int, total: float) -> float:
    """Return how far a sum lies outside a range of a graph."""
    return float(max(total - forms.range_upper[r, graph], 0.0) + max(forms.range_lower[r, graph] - total, 0.0))


@inlined
def change(forms: Forms, bits: Bits, graph: int, node: int, reading: int) -> float:
    """Return the change of f or of ψ by a flip."""
    return local_change(forms, bits, graph, node, reading) + range_change(forms, bits, graph, node, reading)


@inlined
def flip(forms: Forms, bits: Bits, graph: int, node: int) -> None:
    """Flip a node of a graph; O(degree), and O(size) for every set that becomes hit or missed."""
    for reading in range(2):
        bits.value[graph, reading] += change(forms, bits, graph, node, reading)
    sign = -1.0 if bits.chosen[node] else 1.0
    bits.chosen[node] = not bits.chosen[node]
    bits.num_touched[graph] = 0
    bits.flips[graph] += 1
    bits.age[graph] += 1
    _move_sums(forms, bits, graph, node, sign)
    _move_pairs(forms, bits, graph, node, sign)
    if forms.cover_of_ptr[node] < forms.cover_of_ptr[node + 1]:
        _move_sets(forms, bits, graph, node, sign)
    if bits.age[graph] > max(LEAST_PERIOD, forms.node_ptr[graph + 1] - forms.node_ptr[graph]):
        load_bits(forms, bits, graph)


@inlined
def _move_sums(forms: Forms, bits: Bits, graph: int, node: int, sign: float) -> None:
    for r in range(len(forms.range_weight)):
        bits.total[r, graph] += sign * forms.range_weight[r, node]
    add_to_sums(forms, bits.sums, graph, node, sign)


@inlined
def _move_pairs(forms: Forms, bits: Bits, graph: int, node: int, sign: float) -> None:
    begin, end = forms.pair_ptr[node], forms.pair_ptr[node + 1]
    first = forms.node_ptr[graph] - begin
    for k in range(begin, end):
        other = forms.pair_index[k]
        bits.field[other, ENERGY] += sign * pair_value(forms, k, ENERGY)
        bits.field[other, VIOLATION] += sign * pair_value(forms, k, VIOLATION)
        bits.touched[first + k] = other
    bits.num_touched[graph] = end - begin
    if len(forms.cover_of):
        for k in range(begin, end):
            bits.stamp[forms.pair_index[k]] = bits.flips[graph]


@inlined
def _move_sets(forms: Forms, bits: Bits, graph: int, node: int, sign: float) -> None:
    """Charge or relieve the members of sets whose number of hits passed between 0 and 1 or between 1 and 2."""
    for k in range(forms.cover_of_ptr[node], forms.cover_of_ptr[node + 1]):
        each = forms.cover_of[k]
        fewer = bits.hits[each] if sign > 0 else bits.hits[each] - 1
        others = bits.sole[each] if sign > 0 else bits.sole[each] ^ node
        bits.hits[each] += 1 if sign > 0 else -1
        bits.sole[each] ^= node
        if fewer == 1:
            _move_member(forms, bits, others, each, sign)
            _touch(forms, bits, graph, others)
        elif fewer == 0:
            for m in range(forms.cover_ptr[each], forms.cover_ptr[each + 1]):
                if forms.cover_members[m] != node:
                    _move_member(forms, bits, forms.cover_members[m], each, sign)
                    _touch(forms, bits, graph, forms.cover_members[m])


@inlined
def _move_member(forms: Forms, bits: Bits, member: int, each: int, sign: float) -> None:
    bits.field[member, ENERGY] += sign * cover_value(forms, each, ENERGY)
    bits.field[member, VIOLATION] += sign * cover_value(forms, each, VIOLATION)


@inlined
def _touch(forms: Forms, bits: Bits, graph: int, node: int) -> None:
    if bits.stamp[node] != bits.flips[graph]:
        bits.stamp[node] = bits.flips[graph]
        bits.touched[forms.node_ptr[graph] + bits.num_touched[graph]] = node
        bits.num_touched[graph] += 1
