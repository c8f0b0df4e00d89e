"""Decode as Karalias and Loukas (2020) do: in the order of the probabilities, without looking at the loss.

| shape      | rule                                                                                                 |
|------------|------------------------------------------------------------------------------------------------------|
| `packing`  | theirs: the node of highest p, then by descending p what fits to all so far                          |
| `covering` | by descending p what hits something new, until all is hit; then what is idle is dropped, least p first |
| `ranged`   | forced nodes, then by descending p: the cheapest first so many within the range                       |

For cuts they scale probabilities to the target volume, which leaves their order as it is, and keep fractions; here sets
are whole. They have no rule for coverings: the one here is the analogous one. Other shapes are decoded by conditional
expectations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.baselines.greedy import clique_in_order, cover_in_order, drop_in_order, pack_in_order, sets_of
from annealco.baselines.shapes import shape_of
from annealco.energy import Cover, Instance, Linear, Pairs, Range
from annealco.graph.segments import FloatArray, IntArray
from annealco.search.cliques import as_partners
from annealco.search.decode import decode
from annealco.search.repair import repair

Bits = NDArray[np.bool_]


def by_probability(instance: Instance, probability: FloatArray, seed: int = 0) -> Bits:  # noqa: ARG001
    """Decode rows of probabilities on an instance of one graph, [num_restarts, num_nodes] to the same; no chance in it.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> path = PROBLEMS["mis"].declare(Graph.from_edges([[0, 1], [1, 2]]))
        >>> by_probability(path, np.array([[0.1, 0.9, 0.2], [0.9, 0.1, 0.2]])).tolist()
        [[False, True, False], [True, False, True]]
    """
    shape, orders = shape_of(instance), np.argsort(-probability, axis=1, kind="stable")
    if shape == "packing":
        partners = as_partners(instance)
        if partners is not None:
            return np.stack([clique_in_order(partners, order) for order in orders])
        sets = sets_of(instance)
        return np.stack([pack_in_order(sets, order) for order in orders])
    if shape == "covering":
        sets = sets_of(instance)
        return np.stack([drop_in_order(sets, cover_in_order(sets, order), order[::-1].copy()) for order in orders])
    if shape == "ranged":
        return np.stack([within_range(instance, order) for order in orders])
    return decode(instance, probability, num_threads=1)


def within_range(instance: Instance, order: IntArray) -> Bits:
    """Return the cheapest first so many nodes of an order, forced ones before all, whose weight is in the range.

    Where there is none, the longest that is not too heavy is repaired.
    """
    terms = [constraint.term for constraint in instance.constraints]
    [box] = [term for term in terms if isinstance(term, Range)]
    forced = np.unique([node for term in terms if isinstance(term, Cover) for node in term.members.tolist()])
    order = np.concatenate([forced, order[~np.isin(order, forced)]]).astype(np.int64)
    cost, weight = prefix_costs(instance, order), np.cumsum(box.weight[order])
    inside = (box.lower[0] <= weight) & (weight <= box.upper[0]) & (np.arange(len(order)) >= len(forced) - 1)
    fits = int(np.searchsorted(weight, box.upper[0], side="right"))
    count = 1 + int(np.argmin(np.where(inside, cost, np.inf))) if inside.any() else max(fits, len(forced))
    chosen = np.zeros(instance.num_nodes, np.bool_)
    chosen[order[:count]] = True
    return chosen if inside.any() else repair(instance, chosen, num_threads=1)


def prefix_costs(instance: Instance, order: IntArray) -> FloatArray:
    """Return the objective of the first 1, 2, ... nodes of an order, [num_nodes], for linear terms and pairs."""
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    change = np.zeros(len(order))
    for term in instance.objective:
        if isinstance(term, Linear):
            change += term.coefficient[order]
        elif isinstance(term, Pairs):
            # A pair counts from its later node on.
            np.add.at(change, np.maximum(rank[term.pairs[0]], rank[term.pairs[1]]), term.coefficient)
    return np.cumsum(change)
