"""Restarts of a tabu search: from the best or from nothing, with a part of the graph flipped.

Half of the restarts go back to the best and change a small part of it, the other half build on the empty set. The part
is most often a connected region that is chosen or dropped as a whole: in energies of pairs a region costs what its
border costs, where scattered nodes cost each their own.
"""

from __future__ import annotations

from annealco.jit import inlined, part
from annealco.search.draws import draw_below, draw_uniform
from annealco.search.forms import Forms
from annealco.search.incumbent import save_best
from annealco.search.sweep import sweep
from annealco.search.tabu_moves import (
    IMPROVED,
    MOVE,
    MULTIPLIER,
    PATIENCE,
    REGIONS,
    TENURE,
    Tabu,
    file_all,
    make_flip,
)

SHORTEST_REST, LONGEST_REST = 4, 24
"""A flipped node rests for TENURE to 2·TENURE moves, with TENURE drawn between these at every restart."""

LEAST_PATIENCE, PATIENCE_A_NODE, NUM_PATIENCES = 300, 3, 3
"""Moves without a better assignment, in all or a node, before a restart; once, twice or four times as many."""

FROM_NOTHING = 0.5
"""Share of the restarts that do not start from the best."""

AS_REGION = 0.7
"""Share of the restarts that flip a connected region."""

LARGEST_PART = 8
"""A restart from the best flips at most one node in so many; one from nothing at most every second."""

FIRST_PATIENCE = 4
"""The first restart waits so many times as long: until then nothing is known to be worth going back to."""


def first_patience(size: int) -> int:
    """Return how many moves without a better assignment the first restart waits, on so many nodes."""
    return FIRST_PATIENCE * max(LEAST_PATIENCE, PATIENCE_A_NODE * size)


@part
def restart(forms: Forms, tabu: Tabu) -> None:
    """Restart, and draw how long nodes rest and how long the next restart waits."""
    size = len(tabu.until)
    from_nothing = draw_uniform(tabu.draws) < FROM_NOTHING
    _return(forms, tabu, from_nothing)
    count = 1 + draw_below(tabu.draws, max(1, size // (2 if from_nothing else LARGEST_PART)))
    if draw_uniform(tabu.draws) < AS_REGION:
        count, scattered = collect_region(forms, tabu, count), False
        value = from_nothing or draw_below(tabu.draws, 2) == 0
    else:
        scattered, value = True, True
    for k in range(count):
        node = draw_below(tabu.draws, size) if scattered else int(tabu.region[k])
        if scattered or tabu.bits.chosen[node] != value:
            make_flip(forms, tabu, node)
    if len(forms.range_weight):
        sweep(forms, tabu.bits, tabu.incumbent, tabu.sweeper, from_nothing or not value)
    draw_patience(tabu)
    tabu.number[IMPROVED] = tabu.number[MOVE]
    tabu.level[MULTIPLIER] = 0.0
    file_all(forms, tabu)


@inlined
def draw_patience(tabu: Tabu) -> None:
    """Draw how long nodes rest and how long the next restart waits."""
    patience = max(LEAST_PATIENCE, PATIENCE_A_NODE * len(tabu.until))
    tabu.number[TENURE] = SHORTEST_REST + draw_below(tabu.draws, LONGEST_REST - SHORTEST_REST)
    tabu.number[PATIENCE] = patience << draw_below(tabu.draws, NUM_PATIENCES)


@part
def _return(forms: Forms, tabu: Tabu, to_nothing: bool) -> None:
    """Go back to the best, or to the empty set."""
    save_best(tabu.incumbent, tabu.bits.chosen)
    for node in range(len(tabu.until)):
        goal = False if to_nothing else tabu.incumbent.best[node]
        if tabu.bits.chosen[node] != goal:
            make_flip(forms, tabu, node)


@part
def collect_region(forms: Forms, tabu: Tabu, limit: int) -> int:
    """Collect at most so many nodes around a random one, nearest first; return how many there are."""
    tabu.number[REGIONS] += 1
    count = _add(tabu, draw_below(tabu.draws, len(tabu.until)), 0, limit)
    done = 0
    while done < count < limit:
        node = tabu.region[done]
        done += 1
        for k in range(forms.pair_ptr[node], forms.pair_ptr[node + 1]):
            count = _add(tabu, forms.pair_index[k], count, limit)
        for k in range(forms.cover_of_ptr[node], forms.cover_of_ptr[node + 1]):
            each = forms.cover_of[k]
            for m in range(forms.cover_ptr[each], forms.cover_ptr[each + 1]):
                count = _add(tabu, forms.cover_members[m], count, limit)
    return count


@inlined
def _add(tabu: Tabu, node: int, count: int, limit: int) -> int:
    """Add a node to the region unless it is there or the region is full; return the new count."""
    if count == limit or tabu.seen[node] == tabu.number[REGIONS]:
        return count
    tabu.seen[node] = tabu.number[REGIONS]
    tabu.region[count] = node
    return count + 1
