"""Prove how little a cut can cost: exactly where nothing restricts it, and by branching where a range does.

An objective whose pairs all have coefficients b ≤ 0 is Σ h_i x_i + Σ −b_uv/2 [x_u ≠ x_v], and its least cost a minimum
cut. Within a range of a weighted sum, minimum cuts at multipliers of the range bound it, and branch and bound closes
the gap (`native/bounds/ranged_cut.hpp`). Further constraints are left out, which keeps a bound valid.

A quotient a / b with b > 0, such as a cut for its volume, is bounded through sums: where a − p b ≥ L for every feasible
set, a / b ≥ p + L / b. At the price p of an optimum L is 0, and the quotient is proven; else the price lies between
what is proven and what is known, and is halved toward the least quotient as in Dinkelbach's method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from annealco._core import Couplings, RangedCut, StopFlag
from annealco.arrays import FloatArray
from annealco.bounds.certify import EPSILON, Slack, cost_parts, loosest_bound, lower_sum
from annealco.bounds.ledger import Bound, BoundKind, Ledger
from annealco.bounds.prove import prove_bound
from annealco.clock import now
from annealco.energy import Instance, Range
from annealco.energy.structure import Structure, structure_of

SETUP_SECONDS = 4e-7
"""What setting up takes per node and pair: where this is more than what is left of the time, nothing is begun."""

MOST_SIZE = 1e270
"""Objectives that come to more in all have no bound: what is near the largest float cannot be scaled."""

TOLERANCE = 1e-9
"""Sums that leave a range by less, relative to all weights, count as inside, which can only lower the bound."""


QUOTIENT_SLACK = Slack(share=1e-11)
"""How far a bound on a quotient may be below an optimum that it proves: prices are that much below it."""

CLOSE_PRICES, LEAST_SHARE = 4e-12, 0.05
"""Prices that are this close, relative to the best quotient, or less than this share of the time end the proof."""


def _takes(structure: Structure) -> bool:
    return structure.is_quadratic and structure.pairs.shape[1] > 0 and bool(np.all(structure.pair_value <= 0))


def _prove(instance: Instance, ledger: Ledger, *, seed: int) -> None:  # noqa: ARG001 (no chance)
    structure = structure_of(instance)
    work = structure.num_nodes + structure.pairs.shape[1]
    field, across, doubt = cost_parts(structure)
    if not np.abs(field).sum() + across.sum() < MOST_SIZE:
        return
    low, high = (np.ascontiguousarray(ends, np.int32) for ends in structure.pairs)
    chosen = structure.members[structure.set_ptr[:-1][np.diff(structure.set_ptr) == 1]].astype(np.int32)
    ranges: list[Range | None] = [box for box in structure.ranges if not np.any(box.weight < 0)]
    for box in ranges or [None]:
        if ledger.settled or SETUP_SECONDS * work > ledger.seconds_left:
            return
        weight = np.zeros(structure.num_nodes) if box is None else box.weight.astype(np.float64)
        room = TOLERANCE * (1 + float(weight.sum()))
        lower, upper = (-math.inf, math.inf) if box is None else (box.lower[0] - room, box.upper[0] + room)
        search = RangedCut(Couplings(structure.num_nodes, low, high, across), field, weight, lower, upper, chosen)
        search.run(ledger.enough + doubt, ledger.clock())
        # Where nothing lies in the range there is no bound to speak of.
        if math.isfinite(search.bound):
            whole = search.is_solved and structure.kind in {"quadratic", "ranged"}
            ledger.offer(math.nextafter(search.bound - doubt, -math.inf), "minimum cuts", complete=whole)


MINIMUM_CUT = BoundKind(
    name="minimum_cut",
    title="minimum cuts at multipliers of a range, and branching, where pairs want to agree",
    takes=_takes,
    prove=_prove,
)


def prove_quotient(
    at_cost: Callable[[float], Instance],
    span: tuple[float, float],
    costs: Callable[[NDArray[np.bool_]], FloatArray],
    *,
    known: NDArray[np.bool_],
    bounds: str | Iterable[BoundKind] = "all",
    time_limit: float = 1.0,
    gap: float = 0.0,
    seed: int = 0,
    stop: StopFlag | None = None,
) -> Bound | None:
    """Return a bound on the least quotient as a cost, or None where nothing can be proven.

    Args:
        at_cost: the instance of a − p b for a price p, minimised.
        span: numbers above 0 between which b lies wherever a set is feasible.
        costs: quotients [num_sets] of sets [num_sets, num_nodes], inf where one is not feasible.
        known: [num_nodes] the best known set.
        bounds: that prove sums; ``all`` of the package by default.
        time_limit: seconds; half of what is left goes into each price.
        gap: a relative gap to the best known quotient that is small enough.
        seed: of all random choices.
        stop: once it is set, the best bound so far is returned.
    """
    least, most = span
    until, best = now() + time_limit, Bound(-math.inf, "")
    cost, found = float(costs(known[None])[0]), None
    if bounds == "all":
        # At other prices, what is quickly proven may be less.
        best = Bound(_least_quotient(0.0, _sum_of_gains(at_cost(0.0)), least, most), "sum of gains")
        if best.value >= cost:
            return best
    price = high = _next_below(cost)
    while True:
        instance = at_cost(price)
        proven = prove_bound(
            instance,
            bounds=bounds,
            time_limit=max(0.0, (until - now()) / 2),
            known=known if price == high else None,
            seed=seed,
            stop=stop,
        )
        if proven is not None:
            sum_bound = proven.value if instance.sense == "min" else -proven.value
            # Coefficients of the sum are products that were rounded.
            sum_bound -= 4 * EPSILON * abs(price) * most
            if (value := _least_quotient(price, sum_bound, least, most)) > best.value:
                best = Bound(value, proven.method)
            if sum_bound < 0:
                high = min(high, price)
            if proven.assignment is not None and (less := float(costs(proven.assignment[None])[0])) < cost:
                # A set whose sum is below 0 has a quotient below the price, at which the next proof is tried.
                cost, known, found = less, proven.assignment, proven.assignment
                price = high = min(high, _next_below(cost))
                if until - now() > LEAST_SHARE * time_limit and best.value < high:
                    continue
        is_over = until - now() <= LEAST_SHARE * time_limit or (stop is not None and stop.is_set())
        # Nothing may be proven yet, and what is proven at a low price may be far below it.
        low = max(best.value, 0.0 if high > 0 else high - abs(high))
        is_good = best.value >= min(_next_below(cost), loosest_bound(cost, gap))
        if is_good or is_over or high - low <= CLOSE_PRICES * abs(cost):
            return replace(best, assignment=found) if math.isfinite(best.value) else None
        price = 0.5 * (low + high)


def _sum_of_gains(instance: Instance) -> float:
    """Return what a quadratic objective costs at least, were no two of its parts at odds; −inf for another one."""
    structure = structure_of(instance)
    if not structure.is_quadratic:
        return -math.inf
    inside, across, doubt = cost_parts(structure)
    constant = np.zeros(0) if instance.constant is None else instance.constant
    return lower_sum(np.concatenate([np.minimum(inside, 0.0), np.minimum(across, 0.0), constant, [-doubt]]))


def _next_below(cost: float) -> float:
    """Return the price at which a quotient is proven: at its own, rounding would decide whether the sum is below 0."""
    return cost - 0.5 * QUOTIENT_SLACK.excused(cost)


def _least_quotient(price: float, sum_bound: float, least: float, most: float) -> float:
    """Return the least price + s / b of sums s from a bound on and denominators b in a span, rounded down."""
    if sum_bound == 0 or (sum_bound > 0 and not math.isfinite(most)):
        return price
    divisor = most if sum_bound > 0 else least
    if divisor <= 0 or not math.isfinite(sum_bound):
        return -math.inf
    return math.nextafter(price + math.nextafter(sum_bound / divisor, -math.inf), -math.inf)
