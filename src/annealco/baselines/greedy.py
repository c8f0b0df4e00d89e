"""Greedy rules: a fixed order as in the paper, and the strong ones that look again after every choice.

| shape       | `fixed`                                     | `updated`                                                |
|-------------|---------------------------------------------|----------------------------------------------------------|
| `packing`   | by weight / (1 + conflicts), while it fits  | the same of what is left: least degree with updates      |
| `covering`  | by sets for the cost, if one is not hit yet | most new sets for the cost; then what is idle is dropped |
| `quadratic` | none                                        | the most decided node first                              |
| `ranged`    | none                                        | growth by cost for weight, into the range                |

The paper says of its own rules no more than their names. The fixed orders give its ratios (docs/baselines.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco import _core
from annealco._core import Clock
from annealco.baselines.on_instance import on_instance
from annealco.baselines.shapes import shape_of
from annealco.energy import Cover, Instance, Range
from annealco.energy.compiled import compile_terms
from annealco.graph.errors import InputError
from annealco.graph.segments import FloatArray, IntArray
from annealco.search.cliques import Partners, as_partners
from annealco.search.covering import HittingSet, as_hitting_set
from annealco.search.repair import finish

Bits = NDArray[np.bool_]
Objective = tuple[FloatArray, IntArray, NDArray[np.int32], FloatArray]

STARTS = 8
"""How many nodes a set grows from where none is forced."""


def fixed(instance: Instance, **_: object) -> Bits:
    """Return the set of the fixed order, [num_nodes]; for packings and coverings.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> fixed(PROBLEMS["mis"].declare(Graph.from_edges([[0, 1], [1, 2]]))).tolist()
        [True, False, True]
    """
    shape = shape_of(instance)
    if shape == "packing":
        partners = as_partners(instance)
        return pack_fixed(sets_of(instance)) if partners is None else clique_fixed(partners)
    if shape == "covering":
        return cover_fixed(sets_of(instance))
    raise InputError(f"a fixed greedy order is for packings and coverings, this instance is {shape}")


def updated(instance: Instance, *, seed: int = 0, **_: object) -> Bits:
    """Return the set of the strong rule that fits the shape of the instance, [num_nodes].

    Args:
        instance: of one graph.
        seed: of the nodes that a set in a range grows from; all other rules are without chance.
    """
    shape = shape_of(instance)
    if shape == "packing":
        partners = as_partners(instance)
        return pack_updated(sets_of(instance)) if partners is None else clique_updated(partners)
    if shape == "covering":
        sets = sets_of(instance)
        return prune(sets, cover_updated(sets))
    if shape == "quadratic":
        return sides(instance)
    if shape == "ranged":
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


def pack_fixed(sets: HittingSet) -> Bits:
    """Add nodes by descending weight / (1 + partners) while no partner is chosen, [num_nodes].

    Without weights this is the order of increasing degree.
    """
    return pack_in_order(sets, np.argsort(-sets.cost / (1.0 + np.diff(sets.variable_ptr)), kind="stable"))


def pack_in_order(sets: HittingSet, order: IntArray) -> Bits:
    """Add nodes in an order while no partner is chosen, [num_nodes]."""
    return _core.pack_in_order(sets.core, order, Clock())


def pack_updated(sets: HittingSet) -> Bits:
    """Choose the node of largest weight / (1 + remaining partners), drop its partners, and repeat, [num_nodes].

    Without weights this is the rule of least remaining degree (for weights: Sakai, Togasaki and Yamazaki, 2003).
    """
    return _core.pack_updated(sets.core, Clock())


def clique_fixed(partners: Partners) -> Bits:
    """Add nodes by descending weight / (1 + forbidden partners) while all pairs are allowed, [num_nodes]; O(m)."""
    allowed = np.diff(partners.indptr)
    return clique_in_order(partners, np.argsort(-partners.weight / (len(allowed) - allowed), kind="stable"))


def clique_in_order(partners: Partners, order: IntArray) -> Bits:
    """Add nodes in an order while all pairs are allowed, [num_nodes]."""
    return _core.clique_in_order(partners.indptr, partners.indices, order, Clock())


def clique_updated(partners: Partners) -> Bits:
    """Choose the candidate of largest weight / (1 + candidates it excludes), keep those joined to it, and repeat.

    O(m + n · size of the clique), the result [num_nodes].
    """
    return _core.clique_updated(partners.indptr, partners.indices, partners.weight, Clock())


def cover_fixed(sets: HittingSet) -> Bits:
    """Add nodes by descending number of sets for their cost where one of these is not hit yet, [num_nodes].

    What costs nothing comes first.
    """
    gain = np.diff(sets.variable_ptr)
    worth = np.where(sets.cost > 0, gain / np.where(sets.cost > 0, sets.cost, 1.0), np.inf)
    return cover_in_order(sets, np.argsort(-worth, kind="stable"))


def cover_in_order(sets: HittingSet, order: IntArray) -> Bits:
    """Add nodes in an order where one of their sets is not hit yet, [num_nodes]."""
    return _core.cover_in_order(sets.core, order, Clock())


def cover_updated(sets: HittingSet) -> Bits:
    """Choose the node that hits most new sets for its cost, and repeat until all are hit, [num_nodes]."""
    return _core.cover_updated(sets.core, Clock())


def prune(sets: HittingSet, chosen: Bits) -> Bits:
    """Drop chosen nodes, the heaviest and of these the least useful first, while every set stays hit; [num_nodes]."""
    return drop_in_order(sets, chosen, np.lexsort((np.diff(sets.variable_ptr), -sets.cost)))


def drop_in_order(sets: HittingSet, chosen: Bits, order: IntArray) -> Bits:
    """Drop chosen nodes in an order while every set stays hit, [num_nodes]."""
    return _core.drop_in_order(sets.core, chosen, order, Clock())


def sides(instance: Instance) -> Bits:
    """Set the node whose conditional expectation is most decided, the others being even, and repeat, [num_nodes].

    For maximum cuts this is the rule of Sahni and Gonzalez (1976) with the most decided node first: at least half of
    all weight is cut.
    """
    return _core.most_decided_first(*objective_of(instance), Clock())


def growth(instance: Instance, *, seed: int) -> Bits:
    """Grow a set from the forced nodes, or from some random ones, by the node of least cost for its weight.

    What is returned is the cheapest set on the way whose weight lies in the range, or the last one where none does.
    """
    terms = [constraint.term for constraint in instance.constraints]
    [box] = [term for term in terms if isinstance(term, Range)]
    forced = np.unique([node for term in terms if isinstance(term, Cover) for node in term.members.tolist()])
    able = np.flatnonzero((box.weight > 0) & (box.weight <= box.upper[0]))
    rng = np.random.default_rng(seed)
    starts = [forced] if len(forced) else rng.permutation(able)[:STARTS].reshape(-1, 1)
    objective = objective_of(instance)
    grown = [grow(objective, box, start) for start in starts]
    cost, count, order = min(grown, key=lambda each: each[0], default=(np.inf, 0, np.zeros(0, np.int64)))
    chosen = np.zeros(instance.num_nodes, np.bool_)
    chosen[order[: count if np.isfinite(cost) else len(order)]] = True
    return chosen


def grow(objective: Objective, box: Range, start: IntArray) -> tuple[float, int, IntArray]:
    """Return the least cost within the range, infinite for none, how many nodes that set has, and the order of all."""
    limits = float(box.lower[0]), float(box.upper[0])
    return _core.grow_set(*objective, box.weight, limits, start.astype(np.int64), Clock())


def objective_of(instance: Instance) -> Objective:
    """Return linear coefficients, and pairs row by row: offsets, other nodes, and values or one for all."""
    flat = compile_terms(instance.objective, instance.node_ptr)
    return flat.linear, flat.pair_ptr, flat.pair_index, flat.pair_value


run_fixed = on_instance(fixed)
"""A `Run` of `fixed`."""

run = on_instance(updated)
"""A `Run` of `updated`."""
