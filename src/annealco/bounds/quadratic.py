"""Prove how little a quadratic objective can cost, without constraints or within a range of a weighted sum.

In terms of spins, a coupling J wants its two spins to differ where J > 0 and to agree where J < 0, and costs 2·|J|
where it is not satisfied. Three arguments show that not all of them can be:

* Connectivity: if all couplings want agreement, each connected component is chosen as a whole or not at all; if no
  union of components lies in the range, one coupling is not satisfied.
* Cycles: on a cycle with an odd number of positive couplings one is not satisfied. The ones that are not are a cover of
  all such cycles, and prices of cycles prove a bound as they do for any covering.
* The semidefinite relaxation.

Of a few dozen spins all choices are searched: the numbers that prove the semidefinite bound make the objective a sum of
squares, of which those of the spins that are chosen so far bound the rest (`annealco._core.SpinBranching`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco._core import Clock, CycleSeparation, MixingMethod, SpinBranching, component_roots, pack_cycles
from annealco.arrays import FloatArray, Int32Array, IntArray, has_sum_within, scatter_sum
from annealco.bounds.certify import lower_sum
from annealco.bounds.hitting_sets import Covering, certified_cost
from annealco.bounds.ledger import BoundKind, Ledger
from annealco.bounds.linear_program import SetList, tighten
from annealco.bounds.semidefinite import MAX_SPINS, Balance, Spins, prove_semidefinite, spins_of
from annealco.energy import Instance, Range
from annealco.energy.structure import Structure, structure_of

CYCLE_SHARE = 0.25
SEMIDEFINITE_SHARE = 0.6
"""How much of the time goes into packing cycles, and of what is then left into the semidefinite relaxation."""

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
    cycles = _pack(spins, ledger)
    if spins.num_spins <= MAX_BRANCHED and not ledger.settled and _branch(structure, spins, ledger, seed):
        return
    if spins.num_spins <= MAX_SPINS:
        _relax(structure, spins, ledger, seed)
    if len(cycles.price) and len(spins.coupling) <= MAX_PROGRAM and not ledger.settled:
        _price_cycles(spins, cycles, ledger, seed)


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
    balances: list[Balance | None] = [_balance(spins, box) for box in structure.ranges]
    balances = balances or [None]
    for place, balance in enumerate(balances):
        if not ledger.settled:
            seconds = SEMIDEFINITE_SHARE * ledger.seconds_left / (len(balances) - place)
            prove_semidefinite(spins, ledger, balance=balance, seconds=seconds, seed=seed)


def _branch(structure: Structure, spins: Spins, ledger: Ledger, seed: int) -> bool:
    """Search all choices, and offer the least cost; tell whether it was done, which constraints may prevent."""
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
        ledger.discover(search.best_spins[:num_nodes] == 1)
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
