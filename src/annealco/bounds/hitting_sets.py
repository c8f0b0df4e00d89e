"""Bound a covering: choose nodes of the least weight such that every set has a chosen member.

Prices y ≥ 0 of the sets prove a bound. Paying y_h for every set h beforehand, a node costs w_i less the prices of its
sets; choosing exactly the nodes that then cost less than nothing is cheapest of all choices, covering or not:

    Σ_i w_i x_i ≥ Σ_h y_h + Σ_i min(0, w_i − Σ_{h∋i} y_h)   for every x that hits all sets.

Greedy prices come first. Then reductions leave a kernel: a set that contains another is dropped, a node is dropped for
one that costs no more and is in all of its sets, the only member of a set is chosen, and pairs have rules of their own
(`native/search/reductions.hpp`). Small connected parts of the kernel are solved one by one; of what is left,
subgradient steps, a linear program, and branching prove a bound. Where there are no sets at all, what is left is the
sum of all gains.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco import _core
from annealco._core import Clock, HittingSet, PriceAscent, Reduction, SmallParts
from annealco.arrays import FloatArray, Int32Array, IntArray, sets_of_nodes
from annealco.bounds.branching import prove_by_branching
from annealco.bounds.certify import EPSILON, grid_step, lower_sum, upper_sum
from annealco.bounds.ledger import BoundKind, Ledger
from annealco.bounds.linear_program import SetList, affordable, kept_sets, solve_linear_program
from annealco.energy import Instance
from annealco.energy.structure import Structure, structure_of

MAX_MEMBERS = 60_000
"""Up to so many members of sets there is a linear program, and branching."""

STEP_SHARE = 0.3
"""How much of the time subgradient steps get before the linear program."""


class Covering(NamedTuple):
    """Choose nodes so that every set is hit: the cost is at least the constant plus their weight.

    Attributes:
        weight: [num_nodes], positive for all members.
        set_ptr: [num_sets + 1] offsets into ``members``.
        members: [num_members] nodes.
        constant: see above.
    """

    weight: FloatArray
    set_ptr: IntArray
    members: Int32Array
    constant: float


def is_plain(structure: Structure) -> bool:
    """Tell whether the objective is a sum of what single nodes cost."""
    return structure.is_quadratic and structure.pairs.shape[1] == 0


def covers_pairs(structure: Structure) -> bool:
    """Tell whether all sets to be hit are pairs, of nodes that cost something or nothing."""
    sizes = np.diff(structure.set_ptr)
    return len(sizes) > 0 and bool(np.all(sizes == 2) and np.all(structure.linear >= 0))


def covering_of(structure: Structure) -> Covering:
    """Return the covering that a structure without pairs in its objective is relaxed to.

    A node that costs nothing is chosen without loss, and its sets are hit.
    """
    free = structure.linear <= 0
    sets = SetList(structure.set_ptr, np.asarray(structure.members, np.int32))
    if not free.any():
        return Covering(structure.linear, sets.start, sets.member, 0.0)
    hit = np.logical_or.reduceat(free[sets.member], sets.start[:-1]) if len(sets.member) else np.zeros(0, np.bool_)
    open_sets = kept_sets(sets, ~hit)
    constant = lower_sum(structure.linear[free])
    return Covering(np.maximum(structure.linear, 0.0), open_sets.start, open_sets.member, constant)


def certified_cost(covering: Covering, price: FloatArray) -> float:
    """Return the lower bound on the cost that prices of the sets [num_sets] prove, every rounding outward.

    Example:
        >>> pair = Covering(np.array([1.0, 2.0]), np.array([0, 2]), np.array([0, 1], np.int32), 0.0)
        >>> certified_cost(pair, np.array([1.0])), round(certified_cost(pair, np.array([1.5])), 9)
        (1.0, 1.0)
    """
    return _core.certified_cost(covering.set_ptr, covering.members, price, covering.weight, covering.constant)


class Kernel(NamedTuple):
    """What reductions, and small parts that were solved, leave of a hitting set problem.

    Attributes:
        reduction: what they did, and the problem that they left.
        cost: of what is chosen beside the choice of what is left: an optimum costs just this more.
        node: [num_left] variables of the reduction's problem that are left.
        chosen: [num_variables] the best choice of the other ones.
        sets: of what is left, numbered by place in ``node``.
    """

    reduction: Reduction
    cost: float
    node: IntArray
    chosen: NDArray[np.bool_]
    sets: SetList

    def lifted(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a choice of what is left [num_left] as one of the whole problem."""
        whole = self.chosen.copy()
        whole[self.node] = chosen
        return self.reduction.lift(whole)


MAX_PART = 100
"""Connected parts of up to so many nodes are solved one by one."""

REDUCE_SHARE, PARTS_SHARE = 0.3, 0.3
"""How much of the time reductions get, and the solution of small parts."""


SETUP_SECONDS = 3e-7
"""What a problem takes to be set up per node and member: where this is more than what is left, nothing is reduced."""


def is_reducible(num_nodes: int, num_members: int, ledger: Ledger) -> bool:
    """Tell whether there is time to set up reductions, which does not look at the clock."""
    return SETUP_SECONDS * (num_nodes + num_members) < REDUCE_SHARE * ledger.seconds_left


def kernel_of(problem: HittingSet, step: float, ledger: Ledger) -> Kernel:
    """Reduce a problem whose costs are multiples of a step, and solve the small parts of what is left.

    Example:
        >>> path = HittingSet.of_pairs(np.array([2.0, 1.0, 3.0]), np.array([[0, 1], [1, 2]], np.int32))
        >>> kernel = kernel_of(path, 1.0, Ledger(seconds=60))
        >>> kernel.cost, len(kernel.node), kernel.lifted(np.zeros(0, np.bool_)).tolist()
        (1.0, 0, [False, True, False])
    """
    reduction = _core.reduce_sets(problem, ledger.clock(REDUCE_SHARE * ledger.seconds_left))
    rest = reduction.kernel
    parts = SmallParts(rest)
    parts.run(MAX_PART, step / 2, ledger.clock(PARTS_SHARE * ledger.seconds_left))
    left = parts.is_left.view(np.bool_)
    sets = SetList(rest.set_ptr, rest.members)
    # All members of a set are in one part.
    kept = left[sets.member[sets.start[:-1]]] if len(sets.member) else np.zeros(0, np.bool_)
    number = np.cumsum(left, dtype=np.int32) - 1
    sets = kept_sets(sets, kept)
    sets = SetList(sets.start, number[sets.member].astype(np.int32))
    return Kernel(reduction, reduction.offset + parts.cost, np.flatnonzero(left), parts.chosen.view(np.bool_), sets)


def whole_weights(weight: FloatArray, *, up: bool) -> tuple[FloatArray, float] | None:
    """Return weights [num_nodes] that are multiples of a step and whose sums are exact, and the step.

    Weights whose sums are not exact are rounded, up or down; None where they are too large or too small for that.

    Example:
        >>> whole_weights(np.array([2.0, 6.0]), up=True)[1]
        2.0
        >>> third, step = whole_weights(np.array([1 / 3, 0.1]), up=True)
        >>> bool(np.all(third >= [1 / 3, 0.1]) and np.all(third - [1 / 3, 0.1] < step) and step < 1e-14)
        True
    """
    step = grid_step(weight)
    if step > 0 or not weight.any():
        return weight, step or 1.0
    total = upper_sum(weight)
    exponent = math.frexp(total)[1] - 51
    if not (math.isfinite(total) and -1074 <= exponent <= 900):
        return None
    step = math.ldexp(1.0, exponent)
    with np.errstate(under="ignore"):
        return (np.ceil if up else np.floor)(weight / step) * step, step


def capped_weights(weight: FloatArray, target: float, constant: float = 0.0) -> FloatArray:
    """Return weights [num_nodes] of which none is more than a known choice costs, where sums would not be exact.

    The choice costs the target, or no choice is known, inf; the constant is what it costs above its weight.

    No better choice holds a heavier node, and lower weights bound the cost from below too. The rounding of exact sums
    is a part of all weights together, which should not be much more than what is bounded.

    Example:
        >>> bool(capped_weights(np.array([1e12, 1e-9, 3e-9]), 4e-9)[0] < 5e-9)
        True
    """
    most = target - constant + EPSILON * (abs(target) + abs(constant))
    if grid_step(weight) > 0 or not 0 < most < math.inf:
        return weight
    return np.minimum(weight, most)


def prove_covering(covering: Covering, ledger: Ledger) -> None:
    """Offer bounds on the cost of a covering until the ledger is settled or nothing is left to try."""
    # One pass over all members, which takes less than setting up a search: a stop alone ends it.
    greedy = _core.greedy_prices(covering.set_ptr, covering.members, covering.weight, Clock(stop=ledger.stop))
    ledger.offer(certified_cost(covering, greedy), "set packing, greedy")
    if ledger.settled:
        return
    kernel = _kernel_of_covering(covering, ledger)
    if kernel is None:
        _raise_prices(covering, greedy, ledger)
        return
    weight = kernel.reduction.kernel.cost[kernel.node]
    constant = lower_sum(np.array([covering.constant, kernel.cost]))
    rest = Covering(weight, kernel.sets.start, kernel.sets.member, constant)
    if len(rest.members) == 0:
        ledger.discover(kernel.lifted(np.zeros(len(kernel.node), np.bool_)))
        ledger.offer(rest.constant, "reductions and small parts")
    elif not ledger.settled:
        greedy = _core.greedy_prices(rest.set_ptr, rest.members, rest.weight, Clock(stop=ledger.stop))
        ledger.offer(certified_cost(rest, greedy), "set packing, greedy")
        _raise_prices(rest, greedy, ledger)


def _kernel_of_covering(covering: Covering, ledger: Ledger) -> Kernel | None:
    """Return what reductions leave, or None where weights or sets do not allow for them."""
    lengths = np.diff(covering.set_ptr)
    if not is_reducible(len(covering.weight), len(covering.members), ledger):
        return None
    if len(lengths) == 0 or lengths.min() == 0:
        return None
    weight = capped_weights(covering.weight, ledger.target, covering.constant)
    # What is in no set is never chosen: its weight must not coarsen the steps of the others.
    members = np.zeros(len(weight), np.bool_)
    members[covering.members] = True
    whole = whole_weights(np.where(members, weight, weight[members].min()), up=False)
    if whole is None:
        return None
    weight, step = whole
    return kernel_of(HittingSet(weight, lengths, np.ascontiguousarray(covering.members)), step, ledger)


def _raise_prices(covering: Covering, greedy: FloatArray, ledger: Ledger) -> None:
    """Offer the bounds of better and better prices than greedy ones [num_sets], then branch."""
    sets, weight = (covering.set_ptr, covering.members), covering.weight
    if ledger.settled:
        return
    small = len(covering.members) <= MAX_MEMBERS
    ascent = PriceAscent(*sets, weight, greedy, ledger.target - covering.constant)
    ascent.run(ledger.enough - covering.constant, ledger.clock((STEP_SHARE if small else 1.0) * ledger.seconds_left))
    price = ascent.best_price
    ledger.offer(certified_cost(covering, price), "set packing, subgradient")
    if small and not ledger.settled:
        solved = _price_by_program(covering, ledger)
        _branch(covering, price if solved is None else solved, ledger)


def _price_by_program(covering: Covering, ledger: Ledger) -> FloatArray | None:
    """Solve max Σ y_h such that the prices of each node's sets do not exceed its weight, [num_sets]."""
    if not affordable(len(covering.members), ledger.seconds_left):
        return None
    ones, solve = np.ones(len(covering.set_ptr) - 1), partial(solve_linear_program, stop=ledger.stop)
    # HiGHS takes half as long for this program where all weights are equal, and for its dual where they are not.
    if np.all(covering.weight == covering.weight[:1]):
        sets_of = SetList(*sets_of_nodes(covering.set_ptr, covering.members, len(covering.weight)))
        solved = solve(ones, sets_of, covering.weight, seconds=ledger.seconds_left)
        price = None if solved is None else solved.solution
    else:
        sets = SetList(covering.set_ptr, covering.members)
        solved = solve(-covering.weight, sets, -ones, scale=-1.0, seconds=ledger.seconds_left)
        price = None if solved is None else solved.price
    if price is not None:
        ledger.offer(certified_cost(covering, price), "set packing, linear program")
    return price


def _branch(covering: Covering, price: FloatArray, ledger: Ledger) -> None:
    prove_by_branching(
        covering.weight,
        SetList(covering.set_ptr, covering.members),
        np.ones(len(covering.set_ptr) - 1, np.int64),
        price,
        ledger,
        constant=covering.constant,
        offer=lambda cost: ledger.offer(cost, "branch and bound on sets"),
    )


def _takes(structure: Structure) -> bool:
    # What pairs to be hit leave out is a packing, where cliques of them prove at least as much as the pairs.
    return is_plain(structure) and len(structure.members) > 0 and not covers_pairs(structure)


def _prove(instance: Instance, ledger: Ledger, *, seed: int) -> None:  # noqa: ARG001 (there is no chance in it)
    prove_covering(covering_of(structure_of(instance)), ledger)


HITTING_SETS = BoundKind(
    name="hitting_sets",
    title="prices of sets that must be hit, and branching",
    takes=_takes,
    prove=_prove,
)


def _offer_gains(instance: Instance, ledger: Ledger, *, seed: int) -> None:  # noqa: ARG001 (there is no chance in it)
    """Offer what choosing exactly the nodes that gain something would cost, were there no constraints."""
    ledger.offer(lower_sum(np.minimum(structure_of(instance).linear, 0.0)), "sum of gains")


GAINS = BoundKind(
    name="gains",
    title="all gains together, as if nothing were constrained",
    takes=is_plain,
    prove=_offer_gains,
    brief=True,
)
