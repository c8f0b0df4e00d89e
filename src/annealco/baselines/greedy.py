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

from annealco.baselines.greedy_clique import clique_fixed, clique_updated
from annealco.baselines.greedy_growth import growth, sides
from annealco.baselines.greedy_sets import (
    SetArrays,
    as_arrays,
    cover_fixed,
    cover_updated,
    pack_fixed,
    pack_updated,
    prune,
)
from annealco.baselines.on_instance import on_instance
from annealco.baselines.shapes import shape_of
from annealco.energy import Instance
from annealco.graph.errors import InputError
from annealco.search.cliques import as_partners
from annealco.search.covering import as_hitting_set
from annealco.search.repair import finish

Bits = NDArray[np.bool_]


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
        return pack_fixed(_sets(instance)) if partners is None else clique_fixed(partners)
    if shape == "covering":
        return cover_fixed(_sets(instance))
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
        return pack_updated(_sets(instance)) if partners is None else clique_updated(partners)
    if shape == "covering":
        sets = _sets(instance)
        return prune(sets, cover_updated(sets))
    if shape == "quadratic":
        return sides(instance)
    if shape == "ranged":
        # Growth stops where no node fits: what is not in the range then is moved there.
        grown = growth(instance, seed=seed)
        return grown if instance.violations(grown)[0] == 0 else finish(instance, grown, num_threads=1)
    raise InputError("greedy has no rule for these terms")


def _sets(instance: Instance) -> SetArrays:
    sets = as_hitting_set(instance)
    if sets is None:
        raise InputError("the pairs of this instance are too many to list")
    return as_arrays(sets)


run_fixed = on_instance(fixed)
"""A `Run` of `fixed`."""

run = on_instance(updated)
"""A `Run` of `updated`."""
