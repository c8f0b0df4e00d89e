"""Find good prices of sets: greedily, then by subgradient steps.

Everything takes time in proportion to the members of the sets. How good prices are is told by `certified_cost`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annealco.bounds.covering import Covering
from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import compiled

AHEAD = 1.1
"""Steps are as long as if the best bound could still be raised by this factor."""

PATIENCE = 20
"""Steps without a better bound, after which they are halved."""

SMALLEST_STEP = 1e-3
"""The agility at which nothing more is to be expected."""


class PriceSearch(NamedTuple):
    """Prices on their way up; changed in place by `improve_prices`.

    Attributes:
        price: [num_sets] current prices.
        best: [num_sets] prices of the best bound so far.
        load: [num_nodes] sum of the prices of each node's sets.
        slope: [num_sets] by how much raising a price would raise the bound.
        progress: [4] best bound, its goal, agility of the steps, steps since the last better bound.
    """

    price: FloatArray
    best: FloatArray
    load: FloatArray
    slope: FloatArray
    progress: FloatArray


def start_prices(covering: Covering, price: FloatArray, goal: float) -> PriceSearch:
    """Return a search that starts from some prices.

    Args:
        covering: whose sets are priced.
        price: [num_sets], such as the greedy ones.
        goal: weight of a known cover, or inf; a bound cannot be above it.
    """
    progress = np.array([price.sum(), goal, 1.0, 0.0])
    return PriceSearch(price.copy(), price.copy(), np.zeros(len(covering.weight)), np.zeros(len(price)), progress)


def greedy_prices(covering: Covering) -> FloatArray:
    """Raise the price of one set after the other, small ones first, as far as its cheapest member allows, [num_sets].

    Example:
        >>> covering = Covering(np.array([1.0, 2.0, 5.0]), np.array([0, 2, 4]), np.array([0, 1, 1, 2], np.int32), 0.0)
        >>> greedy_prices(covering).tolist()
        [1.0, 1.0]
    """
    order = np.argsort(np.diff(covering.set_ptr), kind="stable")
    return np.asarray(_raise_in_order(covering, order))


@compiled
def improve_prices(covering: Covering, search: PriceSearch, steps: int) -> int:
    """Make so many subgradient steps; return how many, 0 where more are of no use."""
    progress = search.progress
    for _ in range(steps):
        value = _lagrangian(covering, search)
        if value > progress[0]:
            progress[0], progress[3] = value, 0.0
            search.best[:] = search.price
        else:
            progress[3] += 1
        if progress[3] >= PATIENCE:
            progress[2], progress[3] = progress[2] / 2, 0.0
            search.price[:] = search.best
            value = _lagrangian(covering, search)
        norm = np.sum(search.slope * search.slope)
        if norm == 0 or progress[2] < SMALLEST_STEP:
            return 0
        ahead = min(progress[1], AHEAD * progress[0])
        length = progress[2] * max(ahead - value, 0.0) / norm
        for each in range(len(search.price)):
            search.price[each] = max(0.0, search.price[each] + length * search.slope[each])
    return steps


@compiled
def _lagrangian(covering: Covering, search: PriceSearch) -> float:
    """Return the bound of the current prices, up to rounding, and fill in loads and slopes."""
    search.load[:] = 0.0
    value = 0.0
    for each in range(len(search.price)):
        value += search.price[each]
        for place in range(covering.set_ptr[each], covering.set_ptr[each + 1]):
            search.load[covering.members[place]] += search.price[each]
    for node in range(len(search.load)):
        value += min(0.0, covering.weight[node] - search.load[node])
    for each in range(len(search.price)):
        search.slope[each] = 1.0
        for place in range(covering.set_ptr[each], covering.set_ptr[each + 1]):
            node = covering.members[place]
            search.slope[each] -= search.load[node] > covering.weight[node]
        # A price of 0 cannot fall: such a slope would only make all steps shorter.
        if search.price[each] == 0 and search.slope[each] < 0:
            search.slope[each] = 0.0
    return value


@compiled
def _raise_in_order(covering: Covering, order: IntArray) -> FloatArray:
    price, left = np.zeros(len(order)), covering.weight.copy()
    for each in order:
        least = np.inf
        for place in range(covering.set_ptr[each], covering.set_ptr[each + 1]):
            least = min(least, left[covering.members[place]])
        price[each] = least
        for place in range(covering.set_ptr[each], covering.set_ptr[each + 1]):
            left[covering.members[place]] -= least
    return price
