"""A quotient a / b of sums, told by instances that minimise a − price · b at any price.

Where b > 0, a set with a − p b < 0 has a quotient below p, and the other way round: whoever minimises sums can look for
quotients that are better than a known one (Dinkelbach, 1967).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from annealco.energy import Energy, Instance
from annealco.graph.segments import FloatArray
from annealco.search.decode import decode

Bits = NDArray[np.bool_]

ROUNDING = 1e-12
"""By how much, relative to its size, a quotient must be less than another to be better."""


class Quotient:
    """A quotient a / b of one graph, with b > 0 wherever a set is feasible.

    It is told by instances alone: the cost of a − price · b, and so b itself from two prices.
    """

    def __init__(self, numerator: Instance, at_price: Callable[[float], Instance]) -> None:
        """Keep what tells it.

        Args:
            numerator: minimises or maximises a; what is feasible here has a quotient.
            at_price: the instance of a − price · b, in the same sense.
        """
        self.numerator = numerator
        self._at_price = at_price
        self._sign = 1.0 if numerator.sense == "min" else -1.0
        # At a price as large as any a, the difference of two costs tells b to the last digits.
        self._large = float(sum(np.abs(term.coefficient).sum() for term in numerator.objective)) or 1.0
        self._dear = at_price(self._large)

    def costs(self, assignments: Bits) -> FloatArray:
        """Return quotients, negated where they are maximised, [num_rows]; infinite where a set is not feasible."""
        node_ptr = self.numerator.node_ptr
        above, priced = (
            Energy(node_ptr, each.objective).value(assignments)[:, 0] for each in (self.numerator, self._dear)
        )
        below = np.abs(above - priced) / self._large
        feasible = (self.numerator.violations(assignments)[:, 0] == 0) & (below > 0)
        return np.where(feasible, above / np.where(feasible, below, 1.0), math.inf)

    def at(self, cost: float) -> Instance:
        """Return the instance in which exactly what costs less than a quotient has a cost below 0."""
        return self._at_price(self._sign * cost if math.isfinite(cost) else 0.0)


def is_better(cost: float, than: float) -> bool:
    """Tell whether a quotient is less than another by more than rounding.

    Example:
        >>> is_better(0.1, 0.2), is_better(0.3, 0.1 + 0.2), is_better(0.3, float("inf"))
        (True, False, True)
    """
    return cost < than - ROUNDING * abs(than) if math.isfinite(than) else cost < than


def decode_quotient(
    quotient: Quotient, probability: FloatArray, *, penalty_scale: float = 1.0, num_threads: int | None = None
) -> Bits:
    """Decode probabilities at price 0, then at the price of the best set, until no set gets better.

    Args:
        quotient: of one graph.
        probability: [num_rows, num_nodes].
        penalty_scale: multiple of the critical penalty in the energy.
        num_threads: all processors by default; no result depends on it.

    Returns:
        The best set of every row, [num_rows, num_nodes].
    """
    best = decode(quotient.numerator, probability, penalty_scale=penalty_scale, num_threads=num_threads)
    costs = quotient.costs(best)
    while True:
        least = float(costs.min(initial=math.inf))
        rows = decode(quotient.at(least), probability, penalty_scale=penalty_scale, num_threads=num_threads)
        found = quotient.costs(rows)
        best, costs = np.where((found < costs)[:, None], rows, best), np.minimum(found, costs)
        if not is_better(float(costs.min(initial=math.inf)), least):
            return best
