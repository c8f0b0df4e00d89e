"""One-flip tabu search with swaps, on any energy.

Every move makes the cheapest flip that is allowed, even where it raises the energy; a node that was flipped must rest
for a while, unless its flip leads to a new best. While the search stays infeasible, the price of violations rises, and
falls again afterwards. After long without a better assignment it starts again, from the best or the present one, with
some nodes flipped and another time of rest. Glover's tabu search (1989) on gains in buckets; restarts as in breakout
local search (Benlic and Hao, 2013).
"""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.energy import Instance
from annealco.graph.errors import InputError
from annealco.search.buckets import ABSENT, empty_buckets
from annealco.search.budget import Budget, Trace, spend
from annealco.search.draws import draw_below, draw_uniform, new_draws
from annealco.search.flips import load_bits, new_bits
from annealco.search.forms import ENERGY, VIOLATION, VIOLATION_TOLERANCE, Forms, compile_forms
from annealco.search.incumbent import new_incumbent, save_best
from annealco.search.jit import inlined, kernel, part
from annealco.search.repair import finish
from annealco.search.result import SearchResult, rescored
from annealco.search.tabu_moves import (
    EPOCH,
    FEASIBLE,
    IMPROVED,
    LEVELS,
    MOVE,
    MULTIPLIER,
    NUMBERS,
    ROUND,
    TENURE,
    Tabu,
    choose,
    file_all,
    make_flip,
)

SHORTEST_REST, LONGEST_REST = 4, 24
"""A flipped node rests for TENURE to 2·TENURE moves, with TENURE drawn between these at every restart."""

PATIENCE = 20
"""Moves a node without a better assignment, before a restart."""

LEAST_PATIENCE = 2000

LARGEST_PART = 8
"""A restart flips at most one node in so many."""

LEAST_PERIOD = 50
"""Moves after which the price of violations is looked at; half the number of nodes where that is more."""

FRESH = 0.3
"""Share of restarts that begin from the empty set instead of the best."""

REGION = 0.5
"""Share of restarts that flip a connected region instead of scattered nodes."""

RISE, FIRST_RISE = 1.5, 0.25
"""By how much the price of violations rises, as a factor and in units of the energy."""


class TabuSearch:
    """A tabu search on one graph that can be continued.

    Attributes:
        name: of the method.
        solved: never known.
    """

    name = "tabu search"
    solved = False

    def __init__(self, instance: Instance, start: ArrayLike, seed: int) -> None:
        if instance.num_graphs != 1:
            raise InputError(f"a search is of one graph, this instance has {instance.num_graphs}")
        self.forms = compile_forms(instance)
        assignment = finish(instance, start, num_threads=1)
        bits = new_bits(self.forms, assignment)
        load_bits(self.forms, bits, 0)
        feasible = bits.value[0, VIOLATION] <= VIOLATION_TOLERANCE
        self.state = Tabu(
            bits=bits,
            buckets=empty_buckets(instance.num_nodes),
            incumbent=new_incumbent(assignment, bits.value[0, ENERGY] if feasible else math.inf),
            until=np.zeros(instance.num_nodes, dtype=np.int64),
            number=np.zeros(NUMBERS, dtype=np.int64),
            level=np.zeros(LEVELS),
            draws=new_draws(seed),
            queue=np.zeros(instance.num_nodes, dtype=np.int32),
            seen=np.zeros(instance.num_nodes, dtype=np.int64),
        )
        self.state.number[TENURE] = SHORTEST_REST
        self.state.number[ROUND] = 4 * max(LEAST_PATIENCE, PATIENCE * instance.num_nodes)
        file_all(self.forms, self.state)

    def run(
        self, budget: Budget, target: float, trace: Trace, *, started: float | None = None
    ) -> tuple[int, NDArray[np.bool_], float]:
        """Go on until the budget is spent or the target reached; return moves, the best assignment and its cost."""
        incumbent = self.state.incumbent
        trace.record(float(incumbent.cost[0]))

        def chunk(moves: int) -> bool:
            search(self.forms, self.state, moves)
            trace.record(float(incumbent.cost[0]))
            return bool(incumbent.cost[0] > target)

        moves = spend(budget, chunk, started=started) if len(incumbent.best) else 0
        save_best(incumbent, self.state.bits.chosen)
        return moves, incumbent.best.copy(), float(incumbent.cost[0])


def tabu_search(instance: Instance, start: ArrayLike, budget: Budget, *, seed: int = 0) -> SearchResult:
    """Search one graph from a start, which is repaired first; return the best feasible assignment found.

    Args:
        instance: of one graph.
        start: [num_nodes].
        budget: seconds count from the call; a budget of moves alone is repeatable, bit for bit.
        seed: of all random choices.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> square = Graph.from_edges([[0, 0, 1, 2], [1, 3, 2, 3]], 4)
        >>> tabu_search(PROBLEMS["max_cut"].declare(square), np.zeros(4), Budget(moves=50)).cost
        -4.0
    """
    trace = Trace()
    made = TabuSearch(instance, start, seed)
    moves, best, _ = made.run(budget, -math.inf, trace, started=trace.started)
    seconds = time.perf_counter() - trace.started
    return rescored(instance, best, moves=moves, seconds=seconds, trace=tuple(trace.points))


@kernel
def search(forms: Forms, tabu: Tabu, moves: int) -> None:
    """Make moves; a restart counts as one."""
    size, number = len(tabu.until), tabu.number
    for _ in range(moves):
        number[MOVE] += 1
        if number[MOVE] - number[IMPROVED] > number[ROUND]:
            restart(forms, tabu)
            continue
        node = choose(forms, tabu)
        if node == ABSENT:
            node = draw_below(tabu.draws, size)
        make_flip(forms, tabu, node)
        rest = 1 + number[TENURE] + draw_below(tabu.draws, number[TENURE] + 1)
        tabu.until[node] = number[MOVE] + min(rest, size // 2)
        weigh(forms, tabu)


@inlined
def weigh(forms: Forms, tabu: Tabu) -> None:
    """Raise the price of violations after a time without a feasible assignment, and lower it after one with some."""
    period = max(LEAST_PERIOD, len(tabu.until) // 2)
    if tabu.number[MOVE] % period:
        return
    before = tabu.level[MULTIPLIER]
    if tabu.number[MOVE] - tabu.number[FEASIBLE] >= period:
        tabu.level[MULTIPLIER] = RISE * before + FIRST_RISE * forms.unit[0]
    else:
        tabu.level[MULTIPLIER] = before / RISE if before > FIRST_RISE * forms.unit[0] else 0.0
    if tabu.level[MULTIPLIER] != before:
        file_all(forms, tabu)


@part
def restart(forms: Forms, tabu: Tabu) -> None:
    """Go back to the best, flip a random part of it, and draw another time of rest."""
    size = len(tabu.until)
    fresh = draw_uniform(tabu.draws) < FRESH
    save_best(tabu.incumbent, tabu.bits.chosen)
    if fresh:
        for node in range(size):
            if tabu.bits.chosen[node]:
                make_flip(forms, tabu, node)
    else:
        for node in range(size):
            if tabu.bits.chosen[node] != tabu.incumbent.best[node]:
                make_flip(forms, tabu, node)
    part_size = 1 + draw_below(tabu.draws, max(1, size // (2 if fresh else LARGEST_PART)))
    if draw_uniform(tabu.draws) < REGION:
        value = fresh or draw_below(tabu.draws, 2) == 0
        count = grow(forms, tabu, part_size)
        for k in range(count):
            node = np.int64(tabu.queue[k])
            if tabu.bits.chosen[node] != value:
                make_flip(forms, tabu, node)
    else:
        for _ in range(part_size):
            make_flip(forms, tabu, draw_below(tabu.draws, size))
    tabu.number[TENURE] = SHORTEST_REST + draw_below(tabu.draws, LONGEST_REST - SHORTEST_REST)
    tabu.number[IMPROVED] = tabu.number[MOVE]
    tabu.number[ROUND] = max(LEAST_PATIENCE, PATIENCE * size)
    tabu.level[MULTIPLIER] = 0.0
    file_all(forms, tabu)


@part
def grow(forms: Forms, tabu: Tabu, limit: int) -> int:
    """Collect a connected region around a random node in tabu.queue."""
    tabu.number[EPOCH] += 1
    epoch = tabu.number[EPOCH]
    node = draw_below(tabu.draws, len(tabu.until))
    tabu.queue[0] = node
    tabu.seen[node] = epoch
    count, head = 1, 0
    while head < count < limit:
        node = tabu.queue[head]
        head += 1
        for k in range(forms.pair_ptr[node], forms.pair_ptr[node + 1]):
            other = forms.pair_index[k]
            if tabu.seen[other] != epoch and count < limit:
                tabu.seen[other] = epoch
                tabu.queue[count] = other
                count += 1
        for k in range(forms.cover_of_ptr[node], forms.cover_of_ptr[node + 1]):
            each = forms.cover_of[k]
            for m in range(forms.cover_ptr[each], forms.cover_ptr[each + 1]):
                other = forms.cover_members[m]
                if tabu.seen[other] != epoch and count < limit:
                    tabu.seen[other] = epoch
                    tabu.queue[count] = other
                    count += 1
    return count
