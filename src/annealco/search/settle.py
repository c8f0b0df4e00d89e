"""Flip the cheapest node that serves a purpose, again and again, until no flip serves it any more.

Flips wait in buckets by their price. A price that has risen is noticed when its flip comes up, one that has fallen is
filed at once, so that the work is near-linear in the size of the graph.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annealco.jit import inlined, kernel, part
from annealco.search.buckets import ABSENT, Buckets, file, first, take
from annealco.search.flips import Bits, flip, load_bits, local_change, range_change
from annealco.search.forms import ENERGY, VIOLATION, VIOLATION_TOLERANCE, Forms
from annealco.search.prices import NUM_KEYS, price_key

MEND, FIT, IMPROVE = 0, 1, 2
"""Purposes: violate fewer pairs and sets; bring sums into their ranges without violating more of those; lower f without
violating anything more."""

USELESS = NUM_KEYS


class Settling(NamedTuple):
    """Bits to be settled, with buckets of which entry 0 stands for node ``base``."""

    bits: Bits
    buckets: Buckets
    base: int


@kernel
def settle_graphs(forms: Forms, work: Settling, purposes: tuple[bool, bool, bool], begin: int, end: int) -> None:
    """Load the graphs from begin to end, without end, and flip for each purpose that is asked for."""
    for graph in range(begin, end):
        load_bits(forms, work.bits, graph)
        for purpose in range(3):
            if purposes[purpose]:
                settle(forms, work, graph, purpose)


@part
def settle(forms: Forms, work: Settling, graph: int, purpose: int) -> int:
    """Flip nodes of a loaded graph for a purpose until no flip serves it; return the number of flips."""
    flips = 0
    # A flip moves sums over the graph, and with them the prices of nodes that it does not touch.
    everywhere = len(forms.range_weight) > 0 or len(forms.all_pairs) > 0
    while not _is_done(forms, work.bits, graph, purpose):
        for node in range(forms.node_ptr[graph], forms.node_ptr[graph + 1]):
            _file_lower(forms, work, graph, node, purpose)
        made = _drain(forms, work, graph, purpose)
        flips += made
        if made == 0 or not everywhere:
            break
    return flips


@part
def _is_done(forms: Forms, bits: Bits, graph: int, purpose: int) -> bool:
    """Tell cheaply where no flip can serve a purpose."""
    if purpose == FIT and len(forms.range_weight) == 0:
        return True
    return bool(purpose != IMPROVE and bits.value[graph, VIOLATION] <= VIOLATION_TOLERANCE)


@part
def _drain(forms: Forms, work: Settling, graph: int, purpose: int) -> int:
    flips, bits, buckets = 0, work.bits, work.buckets
    while True:
        entry = first(buckets)
        if entry == ABSENT:
            return flips
        node, filed = np.int64(work.base + entry), buckets.key[entry]
        take(buckets, entry)
        key = _key(forms, bits, graph, node, purpose)
        if key == USELESS:
            continue
        if key > filed:
            file(buckets, entry, key)
            continue
        flip(forms, bits, graph, node)
        flips += 1
        start = forms.node_ptr[graph]
        for k in range(start, start + bits.num_touched[graph]):
            _file_lower(forms, work, graph, np.int64(bits.touched[k]), purpose)


@inlined
def _file_lower(forms: Forms, work: Settling, graph: int, node: int, purpose: int) -> None:
    """File a node that is not filed, or whose price has fallen."""
    key, entry = _key(forms, work.bits, graph, node, purpose), node - work.base
    if key == USELESS:
        return
    filed = work.buckets.key[entry]
    if filed == ABSENT:
        file(work.buckets, entry, key)
    elif key < filed:
        take(work.buckets, entry)
        file(work.buckets, entry, key)


@inlined
def _key(forms: Forms, bits: Bits, graph: int, node: int, purpose: int) -> int:
    """Return the bucket of a flip's price for a purpose, or USELESS."""
    broken = local_change(forms, bits, graph, node, VIOLATION)
    if broken > VIOLATION_TOLERANCE or (purpose == MEND and broken >= -VIOLATION_TOLERANCE):
        return USELESS
    price, tolerance = local_change(forms, bits, graph, node, ENERGY), forms.tolerance[node]
    if purpose != MEND:
        moved = range_change(forms, bits, graph, node, VIOLATION)
        if purpose == FIT:
            if moved >= -VIOLATION_TOLERANCE:
                return USELESS
            price /= -moved
        else:
            price += range_change(forms, bits, graph, node, ENERGY)
            if price >= -tolerance or broken + moved > VIOLATION_TOLERANCE:
                return USELESS
    return price_key(price, tolerance, forms.unit[graph])
