"""Greedy rules: a fixed order as in the paper, and the strong ones that look again after every choice.

| kind        | `fixed`                                     | `updated`                                                |
|-------------|---------------------------------------------|----------------------------------------------------------|
| `packing`   | by weight / (1 + conflicts), while it fits  | the same of what is left: least degree with updates      |
| `covering`  | by sets for the cost, if one is not hit yet | most new sets for the cost; then what is idle is dropped |
| `quadratic` | none                                        | the most decided node first                              |
| `ranged`    | none                                        | growth by cost for weight, into the range                |

The paper says of its own rules no more than their names. The fixed orders give its ratios (docs/baselines.md).

`by_probability` decodes as Karalias and Loukas (2020) do: in the order of the probabilities, without looking at the
loss.

| kind       | rule                                                                                                 |
|------------|------------------------------------------------------------------------------------------------------|
| `packing`  | theirs: the node of highest p, then by descending p what fits to all so far                          |
| `covering` | by descending p what hits something new, until all is hit; then what is idle is dropped, least p first |
| `ranged`   | forced nodes, then by descending p: the cheapest first so many within the range                       |

For cuts they scale probabilities to the target volume, which leaves their order as it is, and keep fractions; here sets
are whole. They have no rule for coverings: the one here is the analogous one. Other kinds are decoded by conditional
expectations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco import _core
from annealco._core import Clock
from annealco.arrays import FloatArray, IntArray
from annealco.energy import Instance, Range
from annealco.energy.compiled import compile_terms
from annealco.energy.structure import structure_of
from annealco.errors import InputError
from annealco.search.cliques import Partners, as_partners
from annealco.search.covering import HittingSet, as_hitting_set
from annealco.search.decode import decode
from annealco.search.repair import finish, repair

Objective = tuple[FloatArray, IntArray, NDArray[np.int32], FloatArray]

Assignment = NDArray[np.bool_]
"""Which nodes are chosen, [num_nodes]."""

STARTS = 8
"""How many nodes a set grows from where none is forced."""


def fixed(instance: Instance, **_: object) -> Assignment:
    """Return the set of the fixed order, [num_nodes]; for packings and coverings.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> fixed(PROBLEMS["mis"].declare(Graph.from_edges([[0, 1], [1, 2]]))).tolist()
        [True, False, True]
    """
    kind = structure_of(instance).kind
    if kind == "packing":
        partners = as_partners(instance)
        return pack_fixed(sets_of(instance)) if partners is None else clique_fixed(partners)
    if kind == "covering":
        return cover_fixed(sets_of(instance))
    raise InputError(f"a fixed greedy order is for packings and coverings, this instance is {kind}")


def updated(instance: Instance, *, seed: int = 0, **_: object) -> Assignment:
    """Return the set of the strong rule that fits the kind of the instance, [num_nodes].

    Args:
        instance: of one graph.
        seed: of the nodes that a set in a range grows from; all other rules are without chance.
    """
    kind = structure_of(instance).kind
    if kind == "packing":
        partners = as_partners(instance)
        return pack_updated(sets_of(instance)) if partners is None else clique_updated(partners)
    if kind == "covering":
        sets = sets_of(instance)
        return prune(sets, cover_updated(sets))
    if kind == "quadratic":
        return sides(instance)
    if kind == "ranged":
        # Growth stops where no node fits: what is not in the range then is moved there.
        grown = growth(instance, seed=seed)
        return grown if instance.violations(grown)[0] == 0 else finish(instance, grown, num_threads=1)
    raise InputError("greedy has no rule for these terms")


def sets_of(instance: Instance) -> HittingSet:
    """Return the hitting set problem of a packing or a covering.

    Raises:
        InputError: where its pairs are too many to list.
    """
    sets = as_hitting_set(instance)
    if sets is None:
        raise InputError("the pairs of this instance are too many to list")
    return sets


def pack_fixed(sets: HittingSet) -> Assignment:
    """Add nodes by descending weight / (1 + partners) while no partner is chosen, [num_nodes].

    Without weights this is the order of increasing degree.
    """
    return pack_in_order(sets, np.argsort(-sets.cost / (1.0 + np.diff(sets.variable_ptr)), kind="stable"))


def pack_in_order(sets: HittingSet, order: IntArray) -> Assignment:
    """Add nodes in an order while no partner is chosen, [num_nodes]."""
    return _core.pack_in_order(sets.core, order, Clock())


def pack_updated(sets: HittingSet) -> Assignment:
    """Choose the node of largest weight / (1 + remaining partners), drop its partners, and repeat, [num_nodes].

    Without weights this is the rule of least remaining degree (for weights: Sakai, Togasaki and Yamazaki, 2003).
    """
    return _core.pack_updated(sets.core, Clock())


def clique_fixed(partners: Partners) -> Assignment:
    """Add nodes by descending weight / (1 + forbidden partners) while all pairs are allowed, [num_nodes]; O(m)."""
    allowed = np.diff(partners.indptr)
    return clique_in_order(partners, np.argsort(-partners.weight / (len(allowed) - allowed), kind="stable"))


def clique_in_order(partners: Partners, order: IntArray) -> Assignment:
    """Add nodes in an order while all pairs are allowed, [num_nodes]."""
    return _core.clique_in_order(partners.indptr, partners.indices, order, Clock())


def clique_updated(partners: Partners) -> Assignment:
    """Choose the candidate of largest weight / (1 + candidates it excludes), keep those joined to it, and repeat.

    O(m + n · size of the clique), the result [num_nodes].
    """
    return _core.clique_updated(partners.indptr, partners.indices, partners.weight, Clock())


def cover_fixed(sets: HittingSet) -> Assignment:
    """Add nodes by descending number of sets for their cost where one of these is not hit yet, [num_nodes].

    What costs nothing comes first.
    """
    gain = np.diff(sets.variable_ptr)
    worth = np.where(sets.cost > 0, gain / np.where(sets.cost > 0, sets.cost, 1.0), np.inf)
    return cover_in_order(sets, np.argsort(-worth, kind="stable"))


def cover_in_order(sets: HittingSet, order: IntArray) -> Assignment:
    """Add nodes in an order where one of their sets is not hit yet, [num_nodes]."""
    return _core.cover_in_order(sets.core, order, Clock())


def cover_updated(sets: HittingSet) -> Assignment:
    """Choose the node that hits most new sets for its cost, and repeat until all are hit, [num_nodes]."""
    return _core.cover_updated(sets.core, Clock())


def prune(sets: HittingSet, chosen: Assignment) -> Assignment:
    """Drop chosen nodes, the heaviest and of these the least useful first, while every set stays hit; [num_nodes]."""
    return drop_in_order(sets, chosen, np.lexsort((np.diff(sets.variable_ptr), -sets.cost)))


def drop_in_order(sets: HittingSet, chosen: Assignment, order: IntArray) -> Assignment:
    """Drop chosen nodes in an order while every set stays hit, [num_nodes]."""
    return _core.drop_in_order(sets.core, chosen, order, Clock())


def sides(instance: Instance) -> Assignment:
    """Set the node whose conditional expectation is most decided, the others being even, and repeat, [num_nodes].

    For maximum cuts this is the rule of Sahni and Gonzalez (1976) with the most decided node first: at least half of
    all weight is cut.
    """
    return _core.most_decided_first(*objective_of(instance), Clock())


def growth(instance: Instance, *, seed: int) -> Assignment:
    """Grow a set from the forced nodes, or from some random ones, by the node of least cost for its weight.

    What is returned is the cheapest set on the way whose weight lies in the range, or the last one where none does.
    """
    box, forced = box_of(instance), structure_of(instance).forced
    able = np.flatnonzero((box.weight > 0) & (box.weight <= box.upper[0]))
    rng = np.random.default_rng(seed)
    starts = [forced] if len(forced) else rng.permutation(able)[:STARTS].reshape(-1, 1)
    objective = objective_of(instance)
    grown = [grow(objective, box, start) for start in starts]
    cost, count, order = min(grown, key=lambda each: each[0], default=(np.inf, 0, np.zeros(0, np.int64)))
    chosen = np.zeros(instance.num_nodes, np.bool_)
    chosen[order[: count if np.isfinite(cost) else len(order)]] = True
    return chosen


def box_of(instance: Instance) -> Range:
    """Return the one range of a ranged instance."""
    box = structure_of(instance).box
    if box is None:
        raise InputError("this needs one range of weights that are not negative, and forced nodes besides")
    return box


def grow(objective: Objective, box: Range, start: IntArray) -> tuple[float, int, IntArray]:
    """Return the least cost within the range, infinite for none, how many nodes that set has, and the order of all."""
    limits = float(box.lower[0]), float(box.upper[0])
    return _core.grow_set(*objective, box.weight, limits, start.astype(np.int64), Clock())


def objective_of(instance: Instance) -> Objective:
    """Return linear coefficients, and pairs row by row: offsets, other nodes, and values or one for all."""
    flat = compile_terms(instance.objective, instance.node_ptr)
    return flat.linear, flat.pair_ptr, flat.pair_index, flat.pair_value


def by_probability(instance: Instance, probability: FloatArray, seed: int = 0) -> Assignment:  # noqa: ARG001
    """Decode rows of probabilities on an instance of one graph, [num_restarts, num_nodes] to the same; no chance in it.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> path = PROBLEMS["mis"].declare(Graph.from_edges([[0, 1], [1, 2]]))
        >>> by_probability(path, np.array([[0.1, 0.9, 0.2], [0.9, 0.1, 0.2]])).tolist()
        [[False, True, False], [True, False, True]]
    """
    kind, orders = structure_of(instance).kind, np.argsort(-probability, axis=1, kind="stable")
    if kind == "packing":
        partners = as_partners(instance)
        if partners is not None:
            return np.stack([clique_in_order(partners, order) for order in orders])
        sets = sets_of(instance)
        return np.stack([pack_in_order(sets, order) for order in orders])
    if kind == "covering":
        sets = sets_of(instance)
        return np.stack([drop_in_order(sets, cover_in_order(sets, order), order[::-1].copy()) for order in orders])
    if kind == "ranged":
        return np.stack([within_range(instance, order) for order in orders])
    return decode(instance, probability, num_threads=1)


def within_range(instance: Instance, order: IntArray) -> Assignment:
    """Return the cheapest first so many nodes of an order, forced ones before all, whose weight is in the range.

    Where there is none, the longest that is not too heavy is repaired.
    """
    box, forced = box_of(instance), structure_of(instance).forced
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
    structure = structure_of(instance)
    change = structure.node_cost[order]
    # A pair counts from its later node on.
    np.add.at(change, np.maximum(*rank[structure.pairs]), structure.pair_value)
    return np.cumsum(change)
