"""Find cycles of couplings that cannot all be satisfied.

A coupling J wants its two spins to differ where J > 0 and to agree where J < 0, and pays 2·|J| if it does not get its
way. On a cycle with an odd number of positive couplings one at least does not. So the
couplings that do not are a cover of all such cycles, and prices of cycles prove a bound as they do for any covering.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.bounds.incidence import incidence_of
from annealco.bounds.neighbours import Int32Array
from annealco.bounds.spins import Spins
from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import compiled

NONE = -1


class Frustration(NamedTuple):
    """Couplings with the strength that no cycle has used yet; changed in place by `pack_cycles`.

    Attributes:
        start: [num_spins + 1] offsets into ``other`` and ``pair``.
        other: [2 * num_pairs] the other spin of each coupling.
        pair: [2 * num_pairs] the number of the coupling.
        differ: [num_pairs] whether the coupling wants its spins to differ.
        strength: [num_pairs] what is left of |J|.
        tree: [4, num_spins] of each spin reached: the search, the spin before it, the coupling between them, its depth.
        parity: [num_spins] whether it should differ from the root.
        queue: [num_spins].
        position: [2] the root to search from next, the number of searches.
    """

    start: IntArray
    other: Int32Array
    pair: Int32Array
    differ: NDArray[np.bool_]
    strength: FloatArray
    tree: IntArray
    parity: NDArray[np.bool_]
    queue: Int32Array
    position: IntArray


class PricedCycles(NamedTuple):
    """Cycles and what each takes of the strength of its couplings.

    Attributes:
        start: [num_cycles + 1] offsets into ``pair``.
        pair: [num_members] the couplings of the cycles.
        price: [num_cycles].
    """

    start: IntArray
    pair: Int32Array
    price: FloatArray


def frustration_of(spins: Spins) -> Frustration:
    """Return the couplings of spins with all of their strength."""
    rows, count = incidence_of(spins.pairs, spins.num_spins), spins.num_spins
    return Frustration(
        start=rows.start,
        other=rows.other,
        pair=rows.pair,
        differ=spins.coupling > 0,
        strength=np.abs(spins.coupling),
        tree=np.zeros((4, count), np.int64),
        parity=np.zeros(count, dtype=bool),
        queue=np.zeros(count, np.int32),
        position=np.zeros(2, np.int64),
    )


@compiled
def pack_cycles(couplings: Frustration, searches: int, reach: int) -> PricedCycles:
    """Use up cycles found by so many searches from one root after the other, each of which looks at some couplings.

    Cycles share no strength, so that together they can charge their prices.

    Args:
        couplings: with the root to go on from; where it ends up at ``num_spins``, all of them are done.
        searches: how many.
        reach: how many couplings each of them looks at; few find short cycles, which leave more for others.
    """
    num_spins, position = len(couplings.queue), couplings.position
    last = position[1] + searches
    start, price = np.zeros(num_spins + 2, np.int64), np.zeros(num_spins + 1)
    pair, cycles = np.empty(4 * num_spins + 4, np.int32), 0
    while (
        position[0] < num_spins and position[1] < last and cycles <= num_spins and start[cycles] + num_spins < len(pair)
    ):
        position[1] += 1
        spin, entry = _search(couplings, position[0], reach)
        if entry == NONE:
            position[0] += 1
        else:
            cycle = pair[start[cycles] :]
            length = _close(couplings, spin, entry, cycle)
            price[cycles] = np.min(couplings.strength[cycle[:length]])
            for place in range(length):
                couplings.strength[cycle[place]] -= price[cycles]
            cycles += 1
            start[cycles] = start[cycles - 1] + length
    return PricedCycles(start[: cycles + 1].copy(), pair[: start[cycles]].copy(), price[:cycles].copy())


@compiled
def _search(couplings: Frustration, root: int, reach: int) -> tuple[int, int]:
    """Go breadth first from a root; return a spin and an entry of it that contradict the parities so far."""
    visited, before, through, depth = couplings.tree
    stamp, seen, taken = couplings.position[1], 1, 0
    visited[root], depth[root], couplings.parity[root] = stamp, 0, False
    couplings.queue[0] = root
    while taken < seen and reach > 0:
        spin = couplings.queue[taken]
        taken += 1
        stop = min(couplings.start[spin + 1], couplings.start[spin] + reach)
        reach -= stop - couplings.start[spin]
        for entry in range(couplings.start[spin], stop):
            pair, other = couplings.pair[entry], couplings.other[entry]
            if couplings.strength[pair] > 0:
                parity = couplings.parity[spin] != couplings.differ[pair]
                if visited[other] == stamp:
                    if couplings.parity[other] != parity:
                        return spin, entry
                else:
                    visited[other], before[other], through[other] = stamp, spin, pair
                    depth[other], couplings.parity[other] = depth[spin] + 1, parity
                    couplings.queue[seen] = other
                    seen += 1
    return NONE, NONE


@compiled
def _close(couplings: Frustration, spin: int, entry: int, cycle: Int32Array) -> int:
    """Write the cycle of an entry and the two ways back to where they meet; return its length."""
    _, before, through, depth = couplings.tree
    one, other, length = spin, couplings.other[entry], 1
    cycle[0] = couplings.pair[entry]
    while one != other:
        if depth[one] < depth[other]:
            one, other = other, one
        cycle[length] = through[one]
        one = before[one]
        length += 1
    return length
