"""The contract of a problem whose score is a quotient: what it says of sums at a price, checked on small graphs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import Any

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems.problem import AtPrice, Problem

PRICES = (-0.4, 0.7)
"""At which the problems of sums are checked, besides 0."""

TOLERANCE = 1e-9
"""How closely two routes to the same number must agree, relative to the larger or to 1."""


def sums_of(problem: Problem, at_price: AtPrice) -> list[Problem]:
    """Return the problems of sums that a quotient is made of: its numerator as declared, and those at two prices."""
    plain = at_price(0.0).score

    def numerator(graph: Graph, nodes: Collection[int], **options: Any) -> float | None:
        return None if problem.score(graph, nodes, **options) is None else plain(graph, nodes, **options)

    return [replace(problem, score=numerator, at_price=None), *(at_price(price) for price in PRICES)]


def quotient_fault(problem: Problem, at_price: AtPrice, graphs: Sequence[Graph]) -> str | None:
    """Return what is wrong with the quotients of all sets of small graphs, or None.

    A quotient is a / b with b > 0, where a − price · b is the score at every price. A set that is feasible at a price
    and has no quotient must not be better than 0 there.
    """
    sign = 1.0 if problem.sense == "max" else -1.0
    scores = [at_price(price).score for price in (0.0, 1.0, *PRICES)]
    for graph in graphs:
        try:
            problem.declare(graph)
        except InputError:
            continue
        sets = chain.from_iterable(combinations(range(graph.num_nodes), size) for size in range(graph.num_nodes + 1))
        for nodes in sets:
            priced = [score(graph, list(nodes)) for score in scores]
            fault = _fault(list(nodes), problem.score(graph, list(nodes)), priced, sign)
            if fault is not None:
                return f"{fault} (graph: {graph.num_nodes} nodes, edges {graph.edges.T.tolist()})"
    return None


def _fault(nodes: list[int], value: float | None, priced: list[float | None], sign: float) -> str | None:
    """Return what is wrong with a set, by its quotient and its scores at the prices 0 and 1 and others."""
    above, less, *others = priced
    if value is None:
        better = any(each is not None and sign * each > TOLERANCE for each in priced)
        return f"{nodes} has no quotient, but is better than 0 at a price" if better else None
    if above is None or less is None or None in others:
        return f"{nodes} has a quotient, but no score at a price"
    below = above - less
    if not below > 0:
        return f"the denominator of {nodes} is {below:g}, it must be above 0"
    if not _same(value * below, above):
        return f"the quotient of {nodes} is {value:g}, but the scores at prices say {above / below:g}"
    if not all(_same(each, above - price * below) for price, each in zip(PRICES, others, strict=True)):
        return f"the score of {nodes} is not a − price · b"
    return None


def _same(left: float | None, right: float) -> bool:
    return left is not None and abs(left - right) <= TOLERANCE * max(1.0, abs(left), abs(right))
