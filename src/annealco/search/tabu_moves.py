"""The moves of a tabu search, chosen from buckets at a cost that does not grow with the graph.

A flip's price is the change of f + μ ψ, with the multiplier μ ≥ 0 raised while the search stays infeasible. Flips wait
in buckets by the local part of their price, flips that choose a node apart from flips that drop one. A price that has
risen is noticed when its flip comes up; one that has fallen is filed at once. What sums over the graph add is worked
out for a few of the locally cheapest, which is exact where it adds the same to all.

Where a range forbids every good single flip, two opposite ones may be good together: if the best flip that chooses and
the best that drops a node, ranges left aside, promise more than the best flip as it is, one of the two is made, and the
price of leaving the range makes the next move return to it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import inlined, kernel
from annealco.search.all_pairs_sums import all_pairs_charge
from annealco.search.buckets import ABSENT, Buckets, file, take
from annealco.search.draws import Draws, draw_below
from annealco.search.flips import Bits, change, flip, range_change
from annealco.search.forms import ENERGY, VIOLATION, VIOLATION_TOLERANCE, Forms
from annealco.search.incumbent import Incumbent, note_flip, record_best
from annealco.search.prices import NUM_KEYS, price_key
from annealco.search.sweep import Sweeper

LOOKS = 12
"""Flips of a side that are looked at where the best cannot be told from the buckets, or several are equal."""

MOVE, IMPROVED, FEASIBLE, TENURE, LOW, PICK, FREE, REGIONS, PATIENCE, NUMBERS = 0, 1, 2, 3, 4, 6, 8, 10, 11, 12
"""Places in `Tabu.number`, and how many; LOW, PICK and FREE have one place a side."""

MULTIPLIER, PRICE, FREE_PRICE, LEVELS = 0, 1, 3, 5
"""Places in `Tabu.level`, and how many; PRICE and FREE_PRICE have one place a side."""


class Tabu(NamedTuple):
    """The arrays that a tabu search changes.

    Attributes:
        bits: the present assignment.
        buckets: all nodes by key and side.
        incumbent: the best assignment.
        until: [num_nodes] move until which a node must not be flipped.
        number: [NUMBERS] moves made; the last move that found a new best; the last after which the assignment was
            feasible; tenure; for each side the lowest key that may be filled, the node picked, and the node picked with
            ranges left aside; how many regions were collected; moves without a new best before the next restart.
        level: [LEVELS] the multiplier μ; for each side the price of the node picked, with ranges and without.
        draws: random numbers.
        region: [num_nodes] the nodes of the last region, first.
        seen: [num_nodes] the last region that each node was in.
        sweeper: for sweeps through ranges.
    """

    bits: Bits
    buckets: Buckets
    incumbent: Incumbent
    until: IntArray
    number: IntArray
    level: FloatArray
    draws: Draws
    region: IntArray
    seen: IntArray
    sweeper: Sweeper


@inlined
def _key(forms: Forms, tabu: Tabu, node: int) -> int:
    """Return the bucket of a node: twice the key of its local price, and its side."""
    local = tabu.bits.field[node, ENERGY] + tabu.level[MULTIPLIER] * tabu.bits.field[node, VIOLATION]
    chosen = tabu.bits.chosen[node]
    return 2 * price_key(-local if chosen else local, forms.tolerance[node], forms.unit[0]) + (1 if chosen else 0)


@inlined
def _file(tabu: Tabu, node: int, key: int) -> None:
    file(tabu.buckets, node, key)
    tabu.number[LOW + key % 2] = min(tabu.number[LOW + key % 2], key)


@kernel
def file_all(forms: Forms, tabu: Tabu) -> None:
    """File every node by its present price."""
    for node in range(len(tabu.until)):
        if tabu.buckets.key[node] != ABSENT:
            take(tabu.buckets, node)
    for side in range(2):
        tabu.number[LOW + side] = 2 * NUM_KEYS + side
    for node in range(len(tabu.until)):
        _file(tabu, node, _key(forms, tabu, node))


@inlined
def make_flip(forms: Forms, tabu: Tabu, node: int) -> None:
    """Flip a node, file what has become cheaper, and keep the best."""
    note_flip(tabu.incumbent, tabu.bits.chosen, node)
    flip(forms, tabu.bits, forms.node_ptr[0], node)
    take(tabu.buckets, node)
    _file(tabu, node, _key(forms, tabu, node))
    for k in range(tabu.bits.num_touched[0]):
        other = np.int64(tabu.bits.touched[k])
        key = _key(forms, tabu, other)
        if key < tabu.buckets.key[other]:
            take(tabu.buckets, other)
            _file(tabu, other, key)
    if tabu.bits.value[0, VIOLATION] <= VIOLATION_TOLERANCE:
        tabu.number[FEASIBLE] = tabu.number[MOVE]
        value = tabu.bits.value[0, ENERGY]
        if value < tabu.incumbent.cost[0] - forms.tolerance[node]:
            record_best(tabu.incumbent, value)
            tabu.number[IMPROVED] = tabu.number[MOVE]


@inlined
def _sums_part(forms: Forms, tabu: Tabu, node: int) -> float:
    """Return what `AllPairs` add to the price of a flip."""
    if not len(forms.all_pairs):
        return 0.0
    charge, sums = 0.0, tabu.bits.sums
    for reading in range(2):
        weight = 1.0 if reading == ENERGY else tabu.level[MULTIPLIER]
        own = forms.all_pairs[node, reading] if tabu.bits.chosen[node] else 0.0
        charge += weight * (all_pairs_charge(forms, sums, forms.node_ptr[0], node, reading) - own)
    return float(-charge if tabu.bits.chosen[node] else charge)


@inlined
def _free_price(forms: Forms, tabu: Tabu, node: int) -> float:
    """Return the price of a flip with ranges left aside."""
    local = tabu.bits.field[node, ENERGY] + tabu.level[MULTIPLIER] * tabu.bits.field[node, VIOLATION]
    return float(-local if tabu.bits.chosen[node] else local) + _sums_part(forms, tabu, node)


@inlined
def _is_allowed(forms: Forms, tabu: Tabu, node: int) -> bool:
    """Tell whether a node is not tabu, or its flip leads to a new best."""
    if tabu.until[node] <= tabu.number[MOVE]:
        return True
    value = tabu.bits.value[0, ENERGY] + change(forms, tabu.bits, forms.node_ptr[0], node, ENERGY)
    if value >= tabu.incumbent.cost[0] - forms.tolerance[node]:
        return False
    violations = tabu.bits.value[0, VIOLATION] + change(forms, tabu.bits, forms.node_ptr[0], node, VIOLATION)
    return bool(violations <= VIOLATION_TOLERANCE)


@inlined
def _consider(forms: Forms, tabu: Tabu, node: int, side: int) -> None:
    """Pick a node where it is cheaper than those picked so far; ties go to fewer violations, then at random."""
    free = _free_price(forms, tabu, node)
    if free < tabu.level[FREE_PRICE + side]:
        tabu.level[FREE_PRICE + side] = free
        tabu.number[FREE + side] = node
    price = free
    if len(forms.range_weight):
        moved = range_change(forms, tabu.bits, forms.node_ptr[0], node, VIOLATION)
        price += range_change(forms, tabu.bits, forms.node_ptr[0], node, ENERGY) + tabu.level[MULTIPLIER] * moved
    tolerance = forms.tolerance[node]
    lead = tabu.level[PRICE + side] - price
    if lead > tolerance or (lead >= -tolerance and _wins_tie(forms, tabu, node, tabu.number[PICK + side])):
        tabu.level[PRICE + side] = price
        tabu.number[PICK + side] = node


@inlined
def _wins_tie(forms: Forms, tabu: Tabu, node: int, other: int) -> bool:
    one = change(forms, tabu.bits, forms.node_ptr[0], node, VIOLATION)
    two = change(forms, tabu.bits, forms.node_ptr[0], other, VIOLATION)
    if abs(one - two) > VIOLATION_TOLERANCE:
        return bool(one < two)
    return draw_below(tabu.draws, 2) == 0


@inlined
def look(forms: Forms, tabu: Tabu, side: int) -> None:
    """Pick the best flip of a side from the lowest buckets."""
    buckets = tabu.buckets
    tabu.number[PICK + side], tabu.number[FREE + side] = ABSENT, ABSENT
    tabu.level[PRICE + side], tabu.level[FREE_PRICE + side] = np.inf, np.inf
    # Sums over the graph add the same to every flip of a side, unless ranges or unequal coefficients tell them apart.
    alike = len(forms.range_weight) == 0 and (len(forms.all_pairs) == 0 or forms.uniform[0, ENERGY])
    key, looks, lowest = tabu.number[LOW + side], 0, True
    while key < 2 * NUM_KEYS and looks < LOOKS and not (alike and looks > 0):
        node = np.int64(buckets.head[key])
        while node != ABSENT and looks < LOOKS:
            after = np.int64(buckets.after[node])
            now = _key(forms, tabu, node)
            if now > key:
                take(buckets, node)
                file(buckets, node, now)
            elif _is_allowed(forms, tabu, node):
                looks += 1
                _consider(forms, tabu, node, side)
            node = after
        if node != ABSENT:
            _rotate(buckets, key, node)
        lowest = lowest and buckets.head[key] == ABSENT
        key += 2
        if lowest:
            tabu.number[LOW + side] = key


@inlined
def _rotate(buckets: Buckets, key: int, node: int) -> None:
    """Make a node the first of its bucket, and what was before it the last, so that the next look sees others."""
    before, head, tail = buckets.before[node], buckets.head[key], buckets.tail[key]
    if before != ABSENT:
        buckets.after[tail] = head
        buckets.before[head] = tail
        buckets.head[key], buckets.tail[key] = node, before
        buckets.before[node], buckets.after[before] = ABSENT, ABSENT


@inlined
def choose(forms: Forms, tabu: Tabu) -> int:
    """Return the node to flip, or ABSENT where all are tabu."""
    for side in range(2):
        look(forms, tabu, side)
    up, down = tabu.level[PRICE], tabu.level[PRICE + 1]
    if len(forms.range_weight):
        together = tabu.level[FREE_PRICE] + tabu.level[FREE_PRICE + 1]
        if together < min(up, down) - forms.unit[0] * 1e-9:
            return int(tabu.number[FREE + draw_below(tabu.draws, 2)])
    if up == down and up < np.inf:
        return int(tabu.number[PICK + draw_below(tabu.draws, 2)])
    return int(tabu.number[PICK] if up < down else tabu.number[PICK + 1])
