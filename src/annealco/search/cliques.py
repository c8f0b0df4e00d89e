"""Search for pairwise allowed nodes where the forbidden pairs are too many to list: cliques of large sparse graphs.

`native/search/cliques.hpp` has the search: neighbourhoods in degeneracy order, each a small hitting set problem.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco import _core
from annealco.arrays import FloatArray, IntArray, symmetric_rows
from annealco.clock import Budget, Trace
from annealco.energy import AllPairs, Instance, Linear
from annealco.search.protocol import seed_word

Bits = NDArray[np.bool_]


class Partners(NamedTuple):
    """The pairs that are allowed, as sorted rows.

    Attributes:
        weight: [num_nodes] gain of choosing each node.
        indptr: [num_nodes + 1] row offsets.
        indices: [2 · num_pairs] partners, sorted in each row.
    """

    weight: FloatArray
    indptr: IntArray
    indices: NDArray[np.int32]


def as_partners(instance: Instance) -> Partners | None:
    """Read gains and allowed pairs off an instance with one `AllPairs` constraint, or None where it is another kind."""
    terms = [constraint.term for constraint in instance.constraints]
    if len(terms) != 1 or not isinstance(terms[0], AllPairs):
        return None
    if not all(isinstance(term, Linear) and np.all(term.coefficient <= 0) for term in instance.objective):
        return None
    size = instance.num_nodes
    indptr, indices, _ = symmetric_rows(terms[0].excluded, np.ones(terms[0].excluded.shape[1]), size)
    weight = -sum((term.coefficient for term in instance.objective), start=np.zeros(size))
    return Partners(np.asarray(weight), indptr, indices)


class CliqueSearch:
    """A greedy pass over all nodes, then a search in every neighbourhood that could hold something better."""

    name = "neighbourhood search"

    def __init__(self, partners: Partners, start: Bits, seed: int) -> None:
        self.core = _core.CliqueSearch(partners.indptr, partners.indices, partners.weight, start, seed_word(seed))

    @property
    def solved(self) -> bool:
        """Whether no neighbourhood can hold something better."""
        return self.core.is_solved

    def run(self, budget: Budget, target: float, trace: Trace) -> tuple[int, Bits, float]:
        """Go on; see `annealco.search.searches.Search`.

        A move is a node of the greedy pass, a neighbourhood that is looked at, or a move of the search in one.
        """
        clock = budget.clock()
        self.core.run(clock, target)
        trace.follow(clock)
        return clock.moves, self.core.best, -self.core.best_weight
