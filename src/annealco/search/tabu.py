"""One-flip tabu search with swaps, on any energy.

Every move makes the cheapest flip that is allowed, even where it raises the energy; a node that was flipped must rest
for a while, unless its flip leads to a new best. While the search stays infeasible, the price of violations rises, and
falls again afterwards. After long without a better assignment it starts again, from the best or from nothing, with
some nodes flipped and another time of rest. Glover's tabu search (1989) on gains in buckets; restarts as in breakout
local search (Benlic and Hao, 2013).
"""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.energy import Instance
from annealco.jit import inlined, kernel
from annealco.search.advance import advance_within
from annealco.search.beginning import begin_at
from annealco.search.buckets import ABSENT, empty_buckets
from annealco.search.budget import Budget, Trace
from annealco.search.draws import draw_below, new_draws
from annealco.search.forms import Forms
from annealco.search.incumbent import Incumbent, save_best
from annealco.search.result import SearchResult, rescored
from annealco.search.sweep import new_sweeper
from annealco.search.tabu_moves import (
    FEASIBLE,
    IMPROVED,
    LEVELS,
    MOVE,
    MULTIPLIER,
    NUMBERS,
    PATIENCE,
    TENURE,
    Tabu,
    choose,
    file_all,
    make_flip,
)
from annealco.search.tabu_restart import SHORTEST_REST, first_patience, restart

LEAST_PERIOD = 50
"""Moves after which the price of violations is looked at; half the number of nodes where that is more."""

RISE, FIRST_RISE = 1.5, 0.25
"""By how much the price of violations rises, as a factor and in units of the energy."""


class TabuSearch:
    """A tabu search on one graph that can be continued.

    Attributes:
        name: of the method.
        solved: never known.
        incumbent: the best; another search may share it, in turns.
    """

    name = "tabu search"
    solved = False

    def __init__(self, instance: Instance, start: ArrayLike, seed: int, *, incumbent: Incumbent | None = None) -> None:
        self.forms, bits, self.incumbent = begin_at(instance, start, incumbent=incumbent)
        self.state = Tabu(
            bits=bits,
            buckets=empty_buckets(instance.num_nodes),
            incumbent=self.incumbent,
            until=np.zeros(instance.num_nodes, dtype=np.int64),
            number=np.zeros(NUMBERS, dtype=np.int64),
            level=np.zeros(LEVELS),
            draws=new_draws(seed),
            region=np.zeros(instance.num_nodes, dtype=np.int32),
            seen=np.zeros(instance.num_nodes, dtype=np.int64),
            sweeper=new_sweeper(instance.num_nodes),
        )
        self.state.number[TENURE] = SHORTEST_REST
        self.state.number[PATIENCE] = first_patience(instance.num_nodes)
        file_all(self.forms, self.state)

    def run(
        self, budget: Budget, target: float, trace: Trace, *, started: float | None = None
    ) -> tuple[int, NDArray[np.bool_], float]:
        """Go on until the budget is spent or the target reached; return moves, the best assignment and its cost."""
        moves = advance_within(budget, self.advance, self.incumbent, target=target, trace=trace, started=started)
        return moves, *self.best()

    def advance(self, moves: int) -> None:
        """Make so many moves."""
        search(self.forms, self.state, moves)

    def best(self) -> tuple[NDArray[np.bool_], float]:
        """Return the best assignment and its cost."""
        save_best(self.incumbent, self.state.bits.chosen)
        return self.incumbent.best.copy(), float(self.incumbent.cost[0])


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
        if number[MOVE] - number[IMPROVED] > number[PATIENCE]:
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
