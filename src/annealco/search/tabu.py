"""One-flip tabu search with exchanges, on any energy, alone or in turns with annealing.

Every move makes the cheapest flip that is allowed, even where it raises the energy; a node that was flipped must rest
for a while, unless its flip leads to a new best. While the search stays infeasible, the price of violations rises, and
falls again afterwards. After long without a better assignment it starts again, from the best or from nothing, with
some nodes flipped and another time of rest. Glover's tabu search (1989) on gains in buckets; restarts as in breakout
local search (Benlic and Hao, 2013). The algorithm is in native/search/tabu.hpp.

Annealing sinks deep where many small changes add up; tabu search, whose restarts choose or drop whole regions, finds
the way where constraints keep single flips from getting there. In turns (native/search/alternating.hpp) each gets about
half of the time. Where there are ranges, both begin with sweeps through them, so that no greedy growth from the forced
nodes is better.
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from annealco import _core
from annealco.clock import Budget, Trace, now
from annealco.energy import Instance
from annealco.energy.compiled import core_terms
from annealco.energy.structure import Structure
from annealco.search.protocol import (
    Bits,
    FlipSearch,
    SearchKind,
    SearchResult,
    as_start,
    rescored,
    seed_word,
    takes_all,
)


class TabuSearch(FlipSearch):
    """A tabu search on one graph that can be continued."""

    def __init__(self, instance: Instance, start: ArrayLike, seed: int) -> None:
        super().__init__(_core.tabu_search(core_terms(instance), as_start(instance, start), seed=seed_word(seed)))


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
        >>> tabu_search(PROBLEMS["max_cut"].declare(square), [0, 0, 0, 0], Budget(moves=50)).cost
        -4.0
    """
    trace = Trace()
    search = TabuSearch(instance, start, seed)
    moves, best, _ = search.run(budget.after(now() - trace.started), -math.inf, trace)
    seconds = now() - trace.started
    return rescored(instance, best, moves=moves, seconds=seconds, trace=tuple(trace.points))


def _begin_tabu(instance: Instance, start: Bits, *, seed: int, **_: object) -> TabuSearch:
    return TabuSearch(instance, start, seed)


TABU = SearchKind(name="tabu", title="tabu search", takes=takes_all, begin=_begin_tabu)


class AlternatingSearch(FlipSearch):
    """Annealing and tabu search on one graph, in turns, that can be continued."""

    def __init__(self, instance: Instance, start: ArrayLike, seed: int) -> None:
        super().__init__(
            _core.alternating_search(core_terms(instance), as_start(instance, start), seed=seed_word(seed))
        )


def _begin_alternating(instance: Instance, start: Bits, *, seed: int, **_: object) -> AlternatingSearch:
    return AlternatingSearch(instance, start, seed)


MANY_PAIRS = 100_000
"""From so many pairs on, if they are a twentieth of all pairs of nodes, a quadratic objective is a dense one."""


def _takes_turns(structure: Structure) -> bool:
    # Without constraints nothing keeps single flips from getting anywhere, and annealing alone does better: but not
    # where every flip changes what many others cost (benchmarks/qubo_quality.py).
    pairs, size = structure.pairs.shape[1] if structure.is_quadratic else 0, structure.num_nodes
    return bool(structure.terms) or (pairs >= MANY_PAIRS and 40 * pairs >= size * (size - 1))


ALTERNATING = SearchKind(
    name="alternating", title="annealing and tabu search", takes=_takes_turns, begin=_begin_alternating
)
