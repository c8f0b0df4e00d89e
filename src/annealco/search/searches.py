"""The searches that continue where they stopped, and the choice among them by the terms of an instance.

Hitting set problems go to the covering search, pairs that are too many to list to the search for cliques by
neighbourhoods; of everything else, what has no constraints is annealed, and what has some is annealed and searched by
tabu search in turns.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from annealco._core import StopFlag
from annealco.energy import Instance
from annealco.search.alternating import AlternatingSearch
from annealco.search.annealing import AnnealingSearch
from annealco.search.budget import Budget, Trace
from annealco.search.cliques import CliqueSearch, as_partners
from annealco.search.covering import CoveringSearch
from annealco.search.reductions import reduced_sets

Bits = NDArray[np.bool_]


class Search(Protocol):
    """A search with a state of its own."""

    name: str

    @property
    def solved(self) -> bool:
        """Whether nothing is left to look at, so that the best is an optimum."""

    def run(self, budget: Budget, target: float, trace: Trace) -> tuple[int, Bits, float]:
        """Go on until the budget is spent or the target reached; return moves, the best assignment and its cost."""


def choose_search(
    instance: Instance, start: Bits, seed: int, *, seconds: float | None = None, stop: StopFlag | None = None
) -> Search:
    """Return the search that fits the terms of an instance of one graph.

    Args:
        instance: of one graph.
        start: [num_nodes] the assignment to begin with.
        seed: for the search.
        seconds: that the search will have; reductions stop when they have taken their share of it.
        stop: once it is set, reductions end with what they have.
    """
    reduced = reduced_sets(instance, seconds=seconds, stop=stop)
    if reduced is not None:
        return CoveringSearch(reduced.sets, reduced.reduction, start, seed)
    partners = as_partners(instance)
    if partners is not None:
        return CliqueSearch(partners, start, seed)
    if not instance.constraints:
        return AnnealingSearch(instance, start, seed)
    return AlternatingSearch(instance, start, seed)
