"""Minimum hitting set: the cheapest elements of which every set holds one, the dual of set cover.

Set systems, how graphs hold them and what can be read are those of `annealco.problems.set_cover`. Node weights of
elements are the costs, ``annealco.set_system(sets, element_costs=...)``. A solution's nodes are labels of elements.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from annealco.energy import Instance
from annealco.graph.graph import Graph
from annealco.problems.problem import Problem
from annealco.problems.set_cover import declare_cover, formats_for, read, score_cover, small_systems


def declare(graph: Graph) -> Instance:
    """f(x) = Σ_e w_e x_e + Σ_s β_s Π_{e∈s} (1 − x_e) + Σ_s 2 γ x_s with β_s = min{w_e : e ∈ s}, γ > 0.

    Adding the cheapest element of a set that is not hit never raises f.
    """
    return declare_cover(graph, "elements")


def score(graph: Graph, nodes: Collection[int]) -> float | None:
    """Return what the elements cost, or None where a set holds none of them or a set is among them."""
    return score_cover(graph, nodes, "elements")


HITTING_SET = Problem(
    name="hitting_set",
    title="minimum hitting set",
    sense="min",
    declare=declare,
    score=score,
    read=partial(read, labels="elements"),
    formats=formats_for("elements"),
    examples=partial(small_systems, chosen="elements"),
)
