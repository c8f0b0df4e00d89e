"""The moves of simulated annealing: single flips, and exchanges where there are ranges.

A flip that changes f by Δ is made with probability min(1, exp(−Δ / τ)). Near the bound of a range single flips stop
long before all is settled, so there half of the moves exchange two nodes, one in and one out. Both kinds of moves keep
the balance of exp(−f / τ).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import inlined, kernel, part
from annealco.search.draws import Draws, draw_below, draw_uniform
from annealco.search.flips import Bits, change, flip, local_change, outside
from annealco.search.forms import ENERGY, VIOLATION, VIOLATION_TOLERANCE, Forms
from annealco.search.incumbent import Incumbent, note_flip, record_best

SWAPS = 0.5
"""Share of the moves that flip two nodes at once, one in and one out, where there are ranges."""

FROZEN = 40.0
"""A flip that costs more temperatures than this is refused without a draw: its chance is below 2^-53."""

SWEEP, NODE, PLACES = 0, 1, 2
"""Places in `Annealing.place`, and how many."""


class Annealing(NamedTuple):
    """The arrays that annealing changes.

    Attributes:
        bits: the present assignment.
        incumbent: the best feasible assignment.
        place: [PLACES] the sweep of this cooling and the node that come next.
        draws: random numbers.
    """

    bits: Bits
    incumbent: Incumbent
    place: IntArray
    draws: Draws


@kernel
def anneal(forms: Forms, state: Annealing, temperatures: FloatArray, moves: int) -> int:
    """Visit nodes, sweep after sweep; return the moves that are left when the cooling has ended."""
    size = len(state.bits.chosen)
    while moves > 0 and state.place[SWEEP] < len(temperatures):
        temperature = temperatures[state.place[SWEEP]]
        first = state.place[NODE]
        last = min(size, first + moves)
        for node in range(first, last):
            if len(forms.range_weight) and draw_uniform(state.draws) < SWAPS:
                other = draw_below(state.draws, size)
                if state.bits.chosen[other] != state.bits.chosen[node]:
                    try_swap(forms, state, temperature, node, other)
            elif is_accepted(state.draws, change(forms, state.bits, 0, node, ENERGY), temperature):
                _flip(forms, state, node)
                _keep_best(forms, state, node)
        moves -= last - first
        state.place[NODE] = last
        if last == size:
            state.place[NODE] = 0
            state.place[SWEEP] += 1
    return int(moves)


@inlined
def is_accepted(draws: Draws, rise: float, temperature: float) -> bool:
    """Tell with probability min(1, exp(−rise / temperature)) that a change is made."""
    if rise <= 0.0:
        return True
    return rise < FROZEN * temperature and draw_uniform(draws) < math.exp(-rise / temperature)


@part
def try_swap(forms: Forms, state: Annealing, temperature: float, node: int, other: int) -> None:
    """Flip two nodes of different sides with the probability that keeps the balance of exp(−f / τ).

    What the two have to do with each other is known only once they are flipped. A first draw goes by the sum A of their
    own changes, a second one makes up for the difference, as in delayed acceptance (Christen and Fox, 2005): with A'
    the sum for the way back, it accepts min(1, exp(−A' / τ)) exp(−Δ / τ) / min(1, exp(−A / τ)).
    """
    estimate = _sum_of_changes(forms, state.bits, node, other)
    if not is_accepted(state.draws, estimate, temperature):
        return
    before = state.bits.value[0, ENERGY]
    _flip(forms, state, node)
    _flip(forms, state, other)
    back = _sum_of_changes(forms, state.bits, node, other)
    rise = state.bits.value[0, ENERGY] - before + max(back, 0.0) - max(estimate, 0.0)
    if rise <= forms.tolerance[node] or is_accepted(state.draws, rise, temperature):
        _keep_best(forms, state, node)
    else:
        _flip(forms, state, other)
        _flip(forms, state, node)


@inlined
def _sum_of_changes(forms: Forms, bits: Bits, node: int, other: int) -> float:
    """Return the change of f by flipping two nodes, exact for ranges and as if nothing else joined the two."""
    total = local_change(forms, bits, 0, node, ENERGY) + local_change(forms, bits, 0, other, ENERGY)
    for r in range(len(forms.range_weight)):
        one, two = forms.range_weight[r, node], forms.range_weight[r, other]
        step = two - one if bits.chosen[node] else one - two
        moved = outside(forms, r, 0, bits.total[r, 0] + step) - outside(forms, r, 0, bits.total[r, 0])
        total += forms.range[r, 0, ENERGY] * moved
    return total


@inlined
def _flip(forms: Forms, state: Annealing, node: int) -> None:
    note_flip(state.incumbent, state.bits.chosen, node)
    flip(forms, state.bits, 0, node)


@inlined
def _keep_best(forms: Forms, state: Annealing, node: int) -> None:
    """Keep the present assignment where it is feasible and better than the best."""
    energy, violation = state.bits.value[0, ENERGY], state.bits.value[0, VIOLATION]
    if energy < state.incumbent.cost[0] - forms.tolerance[node] and violation <= VIOLATION_TOLERANCE:
        record_best(state.incumbent, energy)
