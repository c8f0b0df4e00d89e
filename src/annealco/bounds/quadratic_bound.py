"""Prove how little a quadratic objective can cost, without constraints or within a range of a weighted sum."""

from __future__ import annotations

import math

import numpy as np

from annealco.bounds.connectivity import must_disagree
from annealco.bounds.covering import Covering, certified_cost
from annealco.bounds.cutting_plane import SetList, gather, tighten
from annealco.bounds.cycle_separation import short_cycles
from annealco.bounds.frustration import PricedCycles, frustration_of, pack_cycles
from annealco.bounds.incidence import incidence_of
from annealco.bounds.ledger import Ledger
from annealco.bounds.rounding import lower_sum
from annealco.bounds.semidefinite import MAX_SPINS, Balance, prove_semidefinite
from annealco.bounds.spins import Spins, spins_of
from annealco.bounds.structure import Structure
from annealco.energy import Range
from annealco.graph.segments import FloatArray, IntArray

FIRST_REACH, MORE_REACH = 32, 8
"""How many couplings a search for cycles looks at, first and by what factor more each time."""

CYCLE_SHARE = 0.25
SEMIDEFINITE_SHARE = 0.6
"""How much of the time goes into packing cycles, and of what is then left into the semidefinite relaxation."""

MAX_PROGRAM = 20_000
"""Up to so many couplings cycles are priced by linear programming."""

LEAST = 2.0**-1000
"""Objectives whose largest pair is smaller have no bound: a quarter of a pair would not be a float."""

MAX_FOUND = 32
"""Members of cycles, a spin, that are added in one round at most."""


def prove_quadratic(structure: Structure, ledger: Ledger, *, seed: int) -> None:
    """Offer bounds on a structure's objective until the ledger is settled or nothing is left to try."""
    if 0 < np.abs(structure.pair_value).max(initial=0.0) < LEAST:
        return
    spins = spins_of(structure)
    ledger.offer(spins.satisfied, "sum of gains")
    fixed = structure.members[structure.set_ptr[:-1][np.diff(structure.set_ptr) == 1]]
    for box in structure.ranges:
        if not ledger.settled and must_disagree(spins, box, fixed):
            ledger.offer(lower_sum(np.array([spins.satisfied, 2 * np.abs(spins.coupling).min()])), "connectivity")
    if ledger.settled:
        return
    cycles = _pack(spins, ledger)
    if spins.num_spins <= MAX_SPINS:
        _relax(structure, spins, ledger, seed)
    if len(cycles.price) and len(spins.coupling) <= MAX_PROGRAM and not ledger.settled:
        _price_cycles(spins, cycles, ledger, seed)


def _covering(spins: Spins, sets: SetList) -> Covering:
    """Return the covering of cycles by couplings that are not satisfied, each of which costs twice its strength."""
    return Covering(2 * np.abs(spins.coupling), sets.start, sets.member, spins.satisfied)


def _pack(spins: Spins, ledger: Ledger) -> PricedCycles:
    couplings, found = frustration_of(spins), []
    reach, limit = FIRST_REACH, 2 * len(spins.coupling)

    def run(amount: int) -> int:
        nonlocal reach
        before = int(couplings.position[1])
        found.append(pack_cycles(couplings, amount, reach))
        searches = int(couplings.position[1]) - before
        if couplings.position[0] == spins.num_spins:
            exhausted = reach >= limit
            couplings.position[0], reach = 0, reach * MORE_REACH
            return 0 if exhausted else searches
        return searches

    ledger.spend(run, seconds=CYCLE_SHARE * ledger.seconds_left)
    cycles = _join(found)
    if len(cycles.price):
        covering = _covering(spins, SetList(cycles.start, cycles.pair))
        ledger.offer(certified_cost(covering, 2 * cycles.price), "cycle packing")
    return cycles


def _join(parts: list[PricedCycles]) -> PricedCycles:
    lengths = np.concatenate([np.zeros(0, np.int64), *(np.diff(part.start) for part in parts)])
    return PricedCycles(
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate([np.zeros(0, np.int32), *(part.pair for part in parts)]),
        np.concatenate([np.zeros(0), *(part.price for part in parts)]),
    )


def _relax(structure: Structure, spins: Spins, ledger: Ledger, seed: int) -> None:
    balances: list[Balance | None] = [_balance(spins, box) for box in structure.ranges]
    balances = balances or [None]
    for place, balance in enumerate(balances):
        if not ledger.settled:
            seconds = SEMIDEFINITE_SHARE * ledger.seconds_left / (len(balances) - place)
            prove_semidefinite(spins, ledger, balance=balance, seconds=seconds, seed=seed)


def _balance(spins: Spins, box: Range) -> Balance:
    """Return the largest (d·s)² of a range of d·x = (d·s + Σ d)/2."""
    load = np.zeros(spins.num_spins)
    load[: len(box.weight)] = box.weight
    total = math.fsum(box.weight.tolist())
    furthest = max(abs(2 * float(box.lower[0]) - total), abs(2 * float(box.upper[0]) - total))
    # Sums that leave the range by rounding alone count as inside.
    return Balance(load, (furthest + 1e-9 * (1 + float(np.abs(box.weight).sum()))) ** 2)


def _price_cycles(spins: Spins, cycles: PricedCycles, ledger: Ledger, seed: int) -> None:
    rows, differ, rng = incidence_of(spins.pairs, spins.num_spins), spins.coupling > 0, np.random.default_rng(seed)

    def separate(solution: FloatArray) -> SetList:
        shared = np.zeros(spins.num_spins, np.int64)

        def find(roots: IntArray) -> SetList:
            return SetList(*short_cycles(rows, differ, solution, roots, shared))

        return gather(find, rng.permutation(spins.num_spins), ledger, most=MAX_FOUND * spins.num_spins)

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
