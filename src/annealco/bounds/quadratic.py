"""Prove how little a quadratic objective can cost, without constraints or within a range of a weighted sum.

In terms of spins, a coupling J wants its two spins to differ where J > 0 and to agree where J < 0, and costs 2·|J|
where it is not satisfied. Three arguments show that not all of them can be:

* Connectivity: if all couplings want agreement, each connected component is chosen as a whole or not at all; if no
  union of components lies in the range, one coupling is not satisfied.
* Cycles: on a cycle with an odd number of positive couplings one is not satisfied. The ones that are not are a cover of
  all such cycles, and prices of cycles prove a bound as they do for any covering.
* The semidefinite relaxation.

Without constraints, spins are fixed and eliminated first, exactly: those whose direction a flow tells (roof duality,
`native/bounds/roof_duality.hpp`), and those whose best direction follows from a few others
(`native/search/spin_reductions.hpp`). Small connected parts of what is left are solved one by one.

Of a few dozen spins all choices are searched: the numbers that prove the semidefinite bound make the objective a sum of
squares, of which those of the spins that are chosen so far bound the rest (`annealco._core.SpinBranching`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco._core import (
    Clock,
    CycleSeparation,
    MixingMethod,
    RoofDuality,
    SpinBranching,
    SpinReduction,
    component_roots,
    pack_cycles,
)
from annealco.arrays import (
    FloatArray,
    Int32Array,
    IntArray,
    has_sum_within,
    occurrences,
    scatter_sum,
    segment_max,
    segment_sum,
)
from annealco.bounds.certify import EPSILON, grid_step, lower_sum
from annealco.bounds.hitting_sets import Covering, certified_cost
from annealco.bounds.ledger import BoundKind, Ledger
from annealco.bounds.linear_program import SetList, join_sets, kept_sets, tighten
from annealco.bounds.semidefinite import MAX_SPINS, Balance, Spins, prove_semidefinite, spins_of
from annealco.bounds.semidefinite import certified_cost as certified_cost_of_spins
from annealco.energy import Instance, Range
from annealco.energy.structure import Structure, structure_of

CYCLE_SHARE = 0.25
SEMIDEFINITE_SHARE = 0.6
"""How much of the time goes into packing cycles, and of what is then left into the semidefinite relaxation."""

REDUCE_SHARE, PARTS_SHARE = 0.15, 0.3
"""How much of the time flows and eliminations get each, and the solution of small parts."""

SETUP_SECONDS = 1e-6
"""What a flow and eliminations take to be set up, per spin and coupling, without a look at the clock."""

MAX_REDUCED = 32
"""Of more couplings per spin, flows and eliminations tell next to nothing, and take long."""

MAX_PART, PART_MOVES, PART_SWEEPS = 60, 200_000, 200
"""Parts of up to so many spins are solved one by one, if that takes no more moves, after so many steps towards their
semidefinite relaxation."""

BOTH_SHARE = 0.7
"""How much of what the semidefinite relaxation leaves of the time it gets together with cycles."""

FIRST_STEP, LEAST_STEP, STEP_RISE, STEP_FALL = 4.0, 0.1, 1.1, 0.75
"""How much a cycle's price rises with what it lacks, in units of what its couplings have for each of their cycles, at
first and at last, and by what factors that changes after a better step and after a worse one."""

LEAST_GAIN = 1e-4
"""Prices that have raised the bound by less since the last proof, in units of all couplings, are not raised further."""

SWEEPS, STEPS_PER_SEARCH, STEPS_PER_PROOF = 20, 2, 12
"""How often vectors are turned after a step, and after how many steps cycles are looked for, and a bound is proven."""

BRANCH_SHARE, MAX_BRANCHED = 0.6, 128
"""How much of the time the search through all choices gets, of up to so many spins."""

MAX_SWEEPS = 1000
"""Steps towards the semidefinite relaxation before that search begins."""

MAX_QUICK = 5_000
"""Up to so many couplings cycles are packed in a millisecond."""

MAX_PROGRAM = 20_000
"""Up to so many couplings cycles are priced by linear programming."""

LEAST = 2.0**-1000
"""Objectives whose largest pair is smaller have no bound: a quarter of a pair would not be a float."""

MAX_FOUND = 32
"""Members of cycles per spin that are added in one round at most."""

MAX_SUMS = 2**29
"""So many sums of components may be gone through, a matter of some hundredths of a second."""


class PricedCycles(NamedTuple):
    """Cycles and what each takes of the strength of its couplings.

    Attributes:
        start: [num_cycles + 1] offsets into ``pair``.
        pair: [num_members] the couplings of the cycles.
        price: [num_cycles].
    """

    start: IntArray
    pair: Int32Array
    price: FloatArray


def prove_quadratic(structure: Structure, ledger: Ledger, *, seed: int) -> None:
    """Offer bounds on a structure's objective until the ledger is settled or nothing is left to try."""
    if 0 < np.abs(structure.pair_value).max(initial=0.0) < LEAST:
        return
    spins = spins_of(structure)
    ledger.offer(spins.satisfied, "sum of gains")
    fixed = structure.members[structure.set_ptr[:-1][np.diff(structure.set_ptr) == 1]]
    # What takes a millisecond is worked out however late it is.
    is_small = len(spins.coupling) <= MAX_QUICK
    for box in structure.ranges:
        if not (ledger.closed if is_small else ledger.settled) and must_disagree(spins, box, fixed, ledger):
            ledger.offer(lower_sum(np.array([spins.satisfied, 2 * np.abs(spins.coupling).min()])), "connectivity")
    if ledger.closed if is_small else ledger.settled:
        return
    is_free = structure.kind == "quadratic"
    # Without constraints there will be fewer spins.
    cycles = _pack(spins, ledger) if is_small or not is_free else None
    lift: Lift = _as_they_are
    if is_free and not ledger.settled:
        spins, lift = _reduce(spins, ledger, has_fields=spins.num_spins > structure.num_nodes, seed=seed)
        if len(spins.coupling) == 0:
            _discover(lift(np.ones(spins.num_spins, np.int8)), structure, ledger)
            ledger.offer(spins.constant, "reductions and small parts")
            return
        ledger.offer(spins.satisfied, "reductions and small parts")
        cycles = _pack(spins, ledger)
    if spins.num_spins <= MAX_BRANCHED and not ledger.settled and _branch(structure, spins, ledger, seed, lift):
        return
    _relax(structure, spins, ledger, seed)
    if cycles is not None and len(cycles.price) and len(spins.coupling) <= MAX_PROGRAM and not ledger.settled:
        _price_cycles(spins, cycles, ledger, seed)


SpinArray = NDArray[np.int8]

Lift = Callable[[SpinArray], SpinArray]
"""Makes spins of the whole, [num_spins] of 1 and −1, of those that are left."""


class Reduced(NamedTuple):
    """Fewer spins, whose least energy is that of all, and the way back."""

    spins: Spins
    lift: Lift


def _as_they_are(spins: SpinArray) -> SpinArray:
    return spins


def _discover(spins: SpinArray, structure: Structure, ledger: Ledger) -> None:
    """Let the ledger have the choice of spins that are 1, or where there are fields, that are as the last one is."""
    is_flipped = len(spins) > structure.num_nodes and spins[-1] < 0
    ledger.discover((spins[: structure.num_nodes] == 1) ^ is_flipped)


def _reduce(spins: Spins, ledger: Ledger, *, has_fields: bool, seed: int) -> Reduced:
    """Fix and eliminate spins, and solve small parts, for as long as there is time."""
    reduced = Reduced(spins, _as_they_are)
    work = spins.num_spins + len(spins.coupling)
    if len(spins.coupling) > MAX_REDUCED * spins.num_spins or SETUP_SECONDS * work > REDUCE_SHARE * ledger.seconds_left:
        return reduced
    if has_fields:
        reduced = fixed_by_flow(reduced, ledger)
    if not ledger.settled:
        reduced = eliminated(reduced, ledger)
    return reduced if ledger.settled else without_small_parts(reduced, ledger, seed=seed)


def spins_from(num_spins: int, pairs: Int32Array, coupling: FloatArray, constants: FloatArray) -> Spins:
    """Return spins with couplings [num_pairs] and a constant that is a sum."""
    satisfied = lower_sum(np.concatenate([constants, -np.abs(coupling)]))
    return Spins(num_spins, pairs, coupling, lower_sum(constants), satisfied)


def fixed_by_flow(given: Reduced, ledger: Ledger) -> Reduced:
    """Offer the roof dual, and fix the spins that it tells the direction of, where the last one is 1.

    Example:
        >>> pairs, coupling = np.array([[0, 1], [1, 2]], np.int32), np.array([1.0, -3.0])
        >>> spins = spins_from(3, pairs, coupling, np.zeros(1))
        >>> fixed = fixed_by_flow(Reduced(spins, lambda each: each), Ledger(seconds=60))
        >>> fixed.spins.constant, fixed.spins.num_spins, fixed.lift(np.ones(1, np.int8)).tolist()
        (-4.0, 1, [-1, 1, 1])
    """
    spins = given.spins
    last = spins.num_spins - 1
    roof = RoofDuality(spins.couplings, last, grid_step(spins.coupling))
    roof.run(ledger.clock(REDUCE_SHARE * ledger.seconds_left))
    ledger.offer(lower_sum(np.array([spins.satisfied, 2 * roof.unsatisfied])), "roof duality")
    direction = roof.direction
    # The last spin stays, and stands for all that are fixed.
    left = direction == 0
    left[last] = True
    if left.all():
        return given
    number = np.cumsum(left, dtype=np.int32) - 1
    number[~left] = number[last]
    sign = np.where(left, 1, direction).astype(np.float64)
    low, high = spins.pairs
    coupling = spins.coupling * sign[low] * sign[high]
    within = number[low] == number[high]
    key, place = np.unique(
        number[[low, high]][:, ~within].min(axis=0).astype(np.int64) * len(number)
        + number[[low, high]][:, ~within].max(axis=0),
        return_inverse=True,
    )
    # Couplings of which a flow tells directions have exact sums.
    total = scatter_sum(coupling[~within], place, len(key))
    pairs = np.stack(np.divmod(key[total != 0], len(number))).astype(np.int32)
    constants = np.append(coupling[within], spins.constant)

    def lift(some: SpinArray) -> SpinArray:
        return given.lift((some[number] * sign).astype(np.int8))

    return Reduced(spins_from(int(left.sum()), pairs, total[total != 0], constants), lift)


def eliminated(given: Reduced, ledger: Ledger) -> Reduced:
    """Eliminate spins whose best direction follows from others, where no coupling has to be rounded for it.

    Example:
        >>> pairs, coupling = np.array([[0, 1, 0], [1, 2, 2]], np.int32), np.array([1.0, 1.0, 2.0])
        >>> spins = spins_from(3, pairs, coupling, np.zeros(1))
        >>> rest = eliminated(Reduced(spins, lambda each: each), Ledger(seconds=60))
        >>> len(rest.spins.coupling), rest.spins.constant
        (0, -2.0)
    """
    spins = given.spins
    reduction = SpinReduction(spins.couplings)
    reduction.run(ledger.clock(REDUCE_SHARE * ledger.seconds_left))
    node, low, high, strength = reduction.kernel
    if not reduction.is_exact or len(node) == spins.num_spins:
        return given
    # What the energy is above that of the kernel is the same for all directions in it.
    whole = reduction.lift(np.ones(len(node), np.int8)).astype(np.float64)
    constants = np.concatenate(
        [[spins.constant], spins.coupling * whole[spins.pairs[0]] * whole[spins.pairs[1]], -strength]
    )
    return Reduced(
        spins_from(len(node), np.stack([low, high]), strength, constants), lambda some: given.lift(reduction.lift(some))
    )


def without_small_parts(given: Reduced, ledger: Ledger, *, seed: int) -> Reduced:
    """Solve small connected parts, and leave the others.

    Since flipping all spins changes no energy, one of them can be taken to be 1: the one with the most couplings, such
    as that of all fields, connects nothing.
    """
    spins = given.spins
    if len(spins.coupling) == 0:
        return given
    (low, high), count = spins.pairs, spins.num_spins
    hub = int(np.bincount(spins.pairs.reshape(-1), minlength=count).argmax())
    is_inner = (low != hub) & (high != hub)
    inner = Spins(count, spins.pairs[:, is_inner], spins.coupling[is_inner], 0.0, 0.0)
    root = component_roots(inner.couplings, ledger.clock())
    if root is None:
        return given
    part, size = np.unique(root, return_inverse=True, return_counts=True)[1:]
    of_pair = part[np.where(low == hub, high, low)]
    # Sorted by part, the spins of each, and its couplings, are next to each other.
    by_part, by_pair = np.argsort(part, kind="stable"), np.argsort(of_pair, kind="stable")
    end, pair_end = np.cumsum(size), np.cumsum(np.bincount(of_pair, minlength=len(size)))
    best, left, energies = np.ones(count, np.int8), np.ones(count, np.bool_), [spins.constant]
    number = np.empty(count, np.int32)
    with ledger.within(PARTS_SHARE * ledger.seconds_left):
        for each in np.argsort(size, kind="stable"):
            if size[each] > MAX_PART or ledger.settled:
                break
            nodes = by_part[end[each] - size[each] : end[each]]
            if each == part[hub]:
                continue
            number[nodes], number[hub] = np.arange(len(nodes)), len(nodes)
            own = by_pair[pair_end[each - 1] if each else 0 : pair_end[each]]
            found = least_energy(len(nodes) + 1, number[spins.pairs[:, own]], spins.coupling[own], ledger, seed=seed)
            if found is not None:
                energies.append(found[0])
                best[nodes], left[nodes] = found[1][:-1], False
    if left.all():
        return given
    number[left] = np.arange(int(left.sum()))
    kept = left[low] & left[high]

    def lift(some: SpinArray) -> SpinArray:
        whole = best * some[number[hub]]
        whole[left] = some
        return given.lift(whole)

    pairs = number[spins.pairs[:, kept]]
    return Reduced(spins_from(int(left.sum()), pairs, spins.coupling[kept], np.array(energies)), lift)


def _brief_clock(ledger: Ledger, moves: int) -> Clock:
    """Return a clock for so many moves, if there is time."""
    return Clock(seconds=max(0.0, ledger.seconds_left), moves=moves, stop=ledger.stop)


def least_energy(
    num_spins: int, pairs: Int32Array, coupling: FloatArray, ledger: Ledger, *, seed: int
) -> tuple[float, SpinArray] | None:
    """Return the least Σ J_uv s_u s_v, or just below it, and spins that have it; None where that takes too long.

    The last spin is 1.

    Args:
        num_spins: a few dozen.
        pairs: [2, num_pairs].
        coupling: J, [num_pairs].
        ledger: says how long to try.
        seed: of the numbers that bound the search.
    """
    if len(coupling) == 0:
        return 0.0, np.ones(num_spins, np.int8)
    couplings = Spins(num_spins, pairs, coupling, 0.0, 0.0).couplings
    none = np.zeros(num_spins)
    mixing = MixingMethod(couplings, none, 0.0, seed)
    mixing.run(_brief_clock(ledger, PART_SWEEPS))
    fixed = np.zeros(num_spins, np.int8)
    fixed[-1] = 1
    diagonal = mixing.pull / 2
    if not np.all(np.isfinite(diagonal)):
        return None
    search = SpinBranching(couplings, diagonal, none, 0.0, 0.0, fixed, none, 0.0, 0.0)
    # Energies differ by multiples of two steps.
    step = grid_step(coupling)
    done = search.run(_brief_clock(ledger, PART_MOVES), math.inf, step)
    if not (done and search.has_found):
        return None
    return (search.best if step > 0 else math.nextafter(search.best, -math.inf)), search.best_spins


def must_disagree(spins: Spins, box: Range, chosen: NDArray[np.integer], ledger: Ledger) -> bool:
    """Tell whether some coupling is unsatisfied in every choice within the range; False where it is not known.

    Args:
        spins: couplings, all negative.
        box: the range, of integer weights that are not negative.
        chosen: [num_chosen] nodes that must be chosen.
        ledger: says how long to try.
    """
    weight = box.weight
    if np.any(spins.coupling > 0) or spins.num_spins != len(weight):
        return False
    if np.any((weight < 0) | (weight != np.rint(weight))):
        return False
    root = component_roots(spins.couplings, ledger.quick_clock(len(spins.coupling)))
    if root is None:
        return False
    volume = scatter_sum(weight, root, len(weight))
    taken = np.zeros(len(weight), dtype=bool)
    taken[root[chosen]] = True
    parts = volume[~taken & (volume > 0)]
    # Components of one size are added in groups of 1, 2, 4, ...
    num_groups = np.floor(1 + np.log2(np.unique(parts, return_counts=True)[1])).sum()
    if volume.sum() * (1 + num_groups) > MAX_SUMS:
        return False
    low, high = int(max(np.ceil(box.lower[0]), 0.0)), int(min(np.floor(box.upper[0]), volume.sum()))
    return not has_sum_within(parts.astype(np.int64), int(volume[taken].sum()), low, high)


def _covering(spins: Spins, sets: SetList) -> Covering:
    """Return the covering of cycles by couplings that are not satisfied, each of which costs twice its strength."""
    return Covering(2 * np.abs(spins.coupling), sets.start, sets.member, spins.satisfied)


def _pack(spins: Spins, ledger: Ledger) -> PricedCycles:
    is_small = len(spins.coupling) <= MAX_QUICK
    clock = Clock(stop=ledger.stop) if is_small else ledger.clock(CYCLE_SHARE * ledger.seconds_left)
    cycles = PricedCycles(*pack_cycles(spins.couplings, clock))
    if len(cycles.price):
        covering = _covering(spins, SetList(cycles.start, cycles.pair))
        ledger.offer(certified_cost(covering, 2 * cycles.price), "cycle packing")
    return cycles


def _relax(structure: Structure, spins: Spins, ledger: Ledger, seed: int) -> None:
    """Offer the semidefinite relaxation, and where there are no constraints, with cycles too."""
    if spins.num_spins > MAX_SPINS:
        return
    balances: list[Balance | None] = [_balance(spins, box) for box in structure.ranges]
    balances = balances or [None]
    for place, balance in enumerate(balances):
        if not ledger.settled:
            seconds = SEMIDEFINITE_SHARE * ledger.seconds_left / (len(balances) - place)
            prove_semidefinite(spins, ledger, balance=balance, seconds=seconds, seed=seed)
    if structure.kind == "quadratic" and not ledger.settled:
        prove_with_cycles(spins, ledger, seconds=BOTH_SHARE * ledger.seconds_left, seed=seed)


def _branch(structure: Structure, spins: Spins, ledger: Ledger, seed: int, lift: Lift) -> bool:
    """Search all choices, and offer the least cost; tell whether it was done, which constraints may prevent.

    ``lift`` makes spins of the whole of those that are left.
    """
    if structure.kind not in ("quadratic", "ranged") or not math.isfinite(ledger.target):
        return False
    box, num_nodes = structure.box, structure.num_nodes
    # A range tells a choice from its opposite, as fields do: there is one more spin then.
    count = spins.num_spins if box is None else num_nodes + 1
    spins = spins._replace(num_spins=count)
    fixed, weight, limits, balance = (
        np.zeros(count, np.int8),
        np.zeros(count),
        (0.0, 0.0),
        Balance(np.zeros(count), 0.0),
    )
    if box is not None:
        balance, limits = _centred_balance(box), (float(box.lower[0]), float(box.upper[0]))
        weight[:num_nodes] = box.weight
        fixed[structure.forced] = 1
    # Flipping all spins changes no product: one of them can be fixed.
    fixed[-1] = 1
    with ledger.within(BRANCH_SHARE * ledger.seconds_left):
        couplings = spins.couplings
        mixing = MixingMethod(couplings, balance.load, balance.most, seed)
        # Any numbers will do, good ones leave less to search; some ranges let them come to no rest.
        mixing.run(Clock(seconds=max(0.0, ledger.seconds_left / 4), moves=MAX_SWEEPS, stop=ledger.stop))
        if ledger.settled:
            return False
        with np.errstate(over="ignore", invalid="ignore"):
            diagonal = mixing.pull / 2 - mixing.penalty * np.square(balance.load)
        # Numbers that are too large for floats prove nothing.
        if not np.all(np.isfinite(diagonal)):
            return False
        search = SpinBranching(
            couplings, diagonal, balance.load, mixing.penalty, balance.most, fixed, weight, limits[0], limits[1]
        )
        gain = ledger.step / 2
        done = search.run(ledger.clock(), ledger.target - spins.constant, gain)
    if search.has_found:
        # In a range the last spin is 1 whether there are fields or not.
        _discover(lift(search.best_spins) if box is None else search.best_spins, structure, ledger)
    if done:
        # Energies that differ by a rounding count as equal.
        least = search.best - gain if gain > 0 else math.nextafter(search.best, -math.inf)
        ledger.offer(lower_sum(np.array([spins.constant, least])), "branch and bound on spins")
    return done


def _balance(spins: Spins, box: Range) -> Balance:
    """Return the largest (d·s)² of a range of d·x = (d·s + Σ d)/2."""
    load = np.zeros(spins.num_spins)
    load[: len(box.weight)] = box.weight
    total = math.fsum(box.weight.tolist())
    furthest = max(abs(2 * float(box.lower[0]) - total), abs(2 * float(box.upper[0]) - total))
    # Sums that leave the range by rounding alone count as inside.
    return Balance(load, (furthest + 1e-9 * (1 + float(np.abs(box.weight).sum()))) ** 2)


def _centred_balance(box: Range) -> Balance:
    """Return the largest (d·s − c)² of a range of d·x = (d·s + Σ d)/2 around its centre; c is the load of a last spin.

    It is no larger than that around 0, and much smaller for a range on one side of a half.
    """
    total, lower, upper = math.fsum(box.weight.tolist()), float(box.lower[0]), float(box.upper[0])
    least, most = max(lower, 0.0), min(upper, total)
    half = max(most - least, 0.0) + 1e-9 * (1 + total)
    return Balance(np.append(box.weight, total - least - most), half**2)


def prove_with_cycles(spins: Spins, ledger: Ledger, *, seconds: float, seed: int) -> None:
    """Offer the semidefinite relaxation of what prices of cycles leave, and raise the prices, while there is time.

    A cycle C that cannot be satisfied as a whole has Σ_{e∈C} u_e ≥ 1, where u = (1 + sign(J) s_u s_v) / 2 is 1 for a
    coupling that is not satisfied. At a price y_C ≥ 0 that changes the couplings: with y_e the prices of all cycles of
    a coupling,

        Σ J_e s_u s_v ≥ Σ (J_e − sign(J_e) y_e / 2) s_u s_v + Σ_C y_C (1 − |C| / 2),

    and what the relaxation proves of the new couplings is a bound for the old ones. By how much a cycle holds too
    little of the relaxation's solution tells how the bound rises with its price.
    """
    sign, strength, size = np.sign(spins.coupling), np.abs(spins.coupling), len(spins.coupling)
    separation, rng = CycleSeparation(spins.couplings), np.random.default_rng(seed)
    balance = Balance(np.zeros(spins.num_spins), 0.0)
    cycles, price = SetList(np.zeros(1, np.int64), np.zeros(0, np.int32)), np.zeros(0)
    step, least, num_steps = FIRST_STEP, LEAST_STEP, 0
    rest, best, proven = spins, -math.inf, -math.inf
    with ledger.within(seconds):
        mixing = MixingMethod(spins.couplings, balance.load, balance.most, seed)
        mixing.run(_brief_clock(ledger, MAX_SWEEPS))
        products = mixing.products
        while not ledger.settled and step > least:
            if num_steps % STEPS_PER_SEARCH == 0:
                unsatisfied = np.clip((1 + sign * products) / 2, 0.0, 1.0)
                roots = rng.permutation(spins.num_spins).astype(np.int32)
                found = SetList(*separation.find(unsatisfied, roots, MAX_FOUND * spins.num_spins, ledger.clock()))
                cycles, price = join_sets([cycles, found]), np.append(price, np.zeros(len(found.start) - 1))
            slope = 1 - segment_sum((1 + sign[cycles.member] * products[cycles.member]) / 2, cycles.start)
            kept = (price > 0) | (slope > 0)
            cycles, price, slope = kept_sets(cycles, kept), price[kept], slope[kept]
            if not slope.any():
                break
            # A coupling in many cycles would be paid by all of them.
            shares = strength / np.maximum(occurrences(cycles.member, size), 1)
            trial = np.maximum(0.0, price + step * -segment_max(-shares[cycles.member], cycles.start) * slope)
            changed = _after_payment(spins, cycles, trial)
            mixing.change(changed.coupling)
            mixing.run(_brief_clock(ledger, SWEEPS))
            # What the vectors come to is a little above the relaxation; to compare steps it will do.
            now_products = mixing.products
            value = changed.constant + float(changed.coupling @ now_products)
            step *= STEP_RISE if value > best else STEP_FALL
            best, price, rest, products = max(best, value), trial, changed, now_products
            num_steps += 1
            if num_steps % STEPS_PER_PROOF == 0:
                cost = _offer_with_cycles(rest, mixing, balance, ledger)
                if cost is None or cost - proven <= LEAST_GAIN * strength.sum():
                    return
                proven = cost
    if rest is not spins and not ledger.settled:
        mixing.change(rest.coupling)
        _offer_with_cycles(rest, mixing, balance, ledger)


def _after_payment(spins: Spins, cycles: SetList, price: FloatArray) -> Spins:
    """Return the couplings that are left when cycles are paid their prices, and the constant less what that loses."""
    sign, strength = np.sign(spins.coupling), np.abs(spins.coupling)
    paid = scatter_sum(np.repeat(price, np.diff(cycles.start)), cycles.member, len(spins.coupling))
    # Sums of k prices are off by at most k roundings of themselves, and so is each difference.
    doubt = 4 * EPSILON * (len(price) + 4) * float((strength + paid).sum())
    # Cycles have three couplings at least, so that these are below 0.
    lost = price * (1 - np.diff(cycles.start) / 2) * (1 + 2 * EPSILON)
    constant = lower_sum(np.append(lost, [spins.constant, -doubt]))
    return spins._replace(coupling=spins.coupling - sign * paid / 2, constant=constant)


def _offer_with_cycles(rest: Spins, mixing: MixingMethod, balance: Balance, ledger: Ledger) -> float | None:
    """Offer what the vectors prove of changed couplings, once they are at rest; None where there is no time for it."""
    mixing.run(_brief_clock(ledger, MAX_SWEEPS))
    cost = certified_cost_of_spins(rest, rest.couplings, balance, mixing, ledger)
    if cost is not None:
        ledger.offer(cost, "semidefinite relaxation with cycles")
    return cost


def _price_cycles(spins: Spins, cycles: PricedCycles, ledger: Ledger, seed: int) -> None:
    separation, rng = CycleSeparation(spins.couplings), np.random.default_rng(seed)

    def separate(solution: FloatArray) -> SetList:
        roots = rng.permutation(spins.num_spins).astype(np.int32)
        return SetList(*separation.find(solution, roots, MAX_FOUND * spins.num_spins, ledger.clock()))

    def offer(sets: SetList, price: FloatArray) -> None:
        ledger.offer(certified_cost(_covering(spins, sets), price), "cycle linear program")

    tighten(
        "covering",
        2 * np.abs(spins.coupling),
        SetList(cycles.start, cycles.pair),
        ledger,
        separate=separate,
        offer=offer,
    )


def _takes(structure: Structure) -> bool:
    return structure.is_quadratic and structure.pairs.shape[1] > 0


def _prove(instance: Instance, ledger: Ledger, *, seed: int) -> None:
    prove_quadratic(structure_of(instance), ledger, seed=seed)


QUADRATIC = BoundKind(
    name="quadratic",
    title="connectivity, odd cycles and the semidefinite relaxation of pairs in the objective",
    takes=_takes,
    prove=_prove,
)
