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
from annealco.energy import Instance
from annealco.energy.structure import Structure, structure_of
from annealco.errors import InputError
from annealco.search.protocol import Bits, Found, SearchKind, constant_of, seed_word


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
    structure = structure_of(instance)
    if not _takes(structure) or structure.all_conflict_but is None:
        return None
    allowed = structure.all_conflict_but
    indptr, indices, _ = symmetric_rows(allowed, np.ones(allowed.shape[1]), instance.num_nodes)
    return Partners(-structure.node_cost, indptr, indices)


def _takes(structure: Structure) -> bool:
    return structure.kind == "packing" and structure.all_conflict_but is not None


class CliqueSearch:
    """A greedy pass over all nodes, then a search in every neighbourhood that could hold something better."""

    def __init__(self, partners: Partners, start: Bits, seed: int, *, constant: float = 0.0) -> None:
        """Begin with a choice of nodes; the constant is what every choice costs besides."""
        self.core = _core.CliqueSearch(partners.indptr, partners.indices, partners.weight, start, seed_word(seed))
        self.constant = constant

    @property
    def solved(self) -> bool:
        """Whether no neighbourhood can hold something better."""
        return self.core.is_solved

    def run(self, budget: Budget, target: float, trace: Trace) -> Found:
        """Go on; see `annealco.search.protocol.Search`.

        A move is a node of the greedy pass, a neighbourhood that is looked at, or a move of the search in one.
        """
        clock = budget.clock()
        self.core.run(clock, target - self.constant)
        trace.follow(clock, constant=self.constant)
        return Found(clock.moves, self.core.best, self.constant - self.core.best_weight)


def _begin(instance: Instance, start: Bits, *, seed: int, **_: object) -> CliqueSearch:
    partners = as_partners(instance)
    if partners is None:
        raise InputError("a search for cliques needs gains and pairs of which all but some exclude each other")
    return CliqueSearch(partners, start, seed, constant=constant_of(instance))


CLIQUES = SearchKind(name="cliques", title="neighbourhood search", takes=_takes, begin=_begin)
