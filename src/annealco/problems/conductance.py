"""Conductance: the least cut for the volume, cut(S) / vol(S), of all sets within volume bounds; the paper's figure.

The volume is the sum of the degrees, as for `cut`, whose options it has: ``volume`` and ``seed_node``. A set without
volume has no quotient, and is never feasible.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike

from annealco.energy import Instance
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import cut
from annealco.problems.problem import Problem

ANY_VOLUME = (0.0, math.inf)


def declare(graph: Graph, *, volume: ArrayLike | None = None, seed_node: ArrayLike | None = None) -> Instance:
    """Declare the numerator alone: the minimum cut of all sets within the bounds that have a volume."""
    lower, upper = cut.box(graph, volume)
    if not np.all(upper >= 1):
        first = int(np.argmin(upper))
        rule = f"no set has a volume above 0 in {lower[first]:g}:{upper[first]:g}, to divide the cut by"
        raise InputError(rule, origin=cut.origin_of(graph, first))
    bounds = np.stack([np.maximum(lower, 1), upper], axis=1)
    return cut.declare(graph, volume=bounds, seed_node=seed_node)


def score(
    graph: Graph, nodes: Collection[int], *, volume: ArrayLike | None = None, seed_node: ArrayLike | None = None
) -> float | None:
    """Return cut / volume, or None where the volume is 0 or out of bounds or the seed is missing."""
    found = cut.cut_and_volume(graph, nodes, volume=volume, seed_node=seed_node)
    return None if found is None or found[1] == 0 else found[0] / found[1]


def at_price(price: float, *, volume: ArrayLike | None = None, seed_node: ArrayLike | None = None) -> Problem:
    """Return the cut at a price: where cut − price · volume is below 0, cut / volume is below the price."""
    return cut.CUT.with_options(volume=volume, seed_node=seed_node, price=price)


def conductance(graph: Graph, nodes: Collection[int]) -> float:
    """Return cut / volume of any set, within bounds or not; infinite for a set without volume."""
    found = score(graph, nodes, volume=ANY_VOLUME)
    return math.inf if found is None else found


CONDUCTANCE = Problem(
    name="conductance",
    title="least cut per volume within volume bounds",
    sense="min",
    declare=declare,
    score=score,
    at_price=at_price,
    options=(cut.VOLUME, cut.SEED_NODE),
)
