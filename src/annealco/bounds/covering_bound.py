"""Prove how much a covering must cost: greedy prices, subgradient steps, a linear program, branching."""

from __future__ import annotations

import numpy as np

from annealco.bounds.branch_bound import demands_of, prove_by_branching
from annealco.bounds.covering import Covering, certified_cost
from annealco.bounds.cutting_plane import SetList
from annealco.bounds.ledger import Ledger
from annealco.bounds.linear_program import affordable, solve_linear_program
from annealco.bounds.set_prices import greedy_prices, improve_prices, start_prices
from annealco.graph.segments import FloatArray

MAX_MEMBERS = 60_000
"""Up to so many members of sets there is a linear program, and branching."""

STEP_SHARE = 0.3
"""How much of the time subgradient steps get before the linear program."""


def prove_covering(covering: Covering, ledger: Ledger) -> None:
    """Offer bounds on the cost of a covering until the ledger is settled or nothing is left to try."""
    greedy = greedy_prices(covering)
    ledger.offer(certified_cost(covering, greedy), "set packing, greedy")
    small = len(covering.members) <= MAX_MEMBERS
    if not ledger.settled:
        search = start_prices(covering, greedy, ledger.target - covering.constant)
        seconds = (STEP_SHARE if small else 1.0) * ledger.seconds_left
        ledger.spend(lambda steps: improve_prices(covering, search, steps), seconds=seconds)
        ledger.offer(certified_cost(covering, search.best), "set packing, subgradient")
        if small and not ledger.settled:
            price = _price_by_program(covering, ledger)
            _branch(covering, search.best if price is None else price, ledger)


def _price_by_program(covering: Covering, ledger: Ledger) -> FloatArray | None:
    """Solve max Σ y_h such that the prices of each node's sets do not exceed its weight, [num_sets]."""
    if not affordable(len(covering.members), ledger.seconds_left):
        return None
    from scipy.sparse import csr_array

    num_sets, num_nodes = len(covering.set_ptr) - 1, len(covering.weight)
    ones = np.ones(len(covering.members))
    matrix = csr_array(csr_array((ones, covering.members, covering.set_ptr), shape=(num_sets, num_nodes)).T)
    solved = solve_linear_program(np.ones(num_sets), matrix, covering.weight, seconds=ledger.seconds_left)
    if solved is None:
        return None
    ledger.offer(certified_cost(covering, solved.solution), "set packing, linear program")
    return solved.solution


def _branch(covering: Covering, price: FloatArray, ledger: Ledger) -> None:
    demand = np.ones(len(covering.set_ptr) - 1, np.int64)
    demands = demands_of(covering.weight, SetList(covering.set_ptr, covering.members), demand)
    prove_by_branching(
        demands,
        price,
        ledger,
        constant=covering.constant,
        offer=lambda cost: ledger.offer(cost, "branch and bound on sets"),
    )
