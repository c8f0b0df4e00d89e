"""Bound couplings between spins, and a range of their weighted sum, by semidefinite relaxation.

For any numbers μ_i and ρ ≥ 0, and C half of the couplings, s'Cs = s'(C + diag μ + ρ dd')s − Σ μ_i − ρ (d·s)² holds for
every choice of n spins. So where C + diag μ + ρ dd' + t·I has no negative eigenvalue and (d·s)² ≤ M,

    Σ J_uv s_u s_v ≥ −n·t − Σ μ_i − ρ M.

The mixing method proposes μ and ρ; a Cholesky factorisation proves t. For a cut in a volume range, ρ = λ₂/(4 vol) and
μ = λ₂ d/4 would be the spectral bound, and the best ones are better.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from annealco._core import Couplings, MixingMethod, is_positive_definite
from annealco.bounds.ledger import Ledger
from annealco.bounds.rounding import EPSILON, lower_sum
from annealco.bounds.spins import Spins
from annealco.graph.segments import FloatArray

MAX_SPINS = 3000
"""Past this many spins a factorisation takes seconds."""

FINE_SHIFT, ROUGH_SHIFT = 1e-9, 1e-5
"""The first shift to try, in units of the matrix, with vectors that have converged and with others."""

GROWTH = 10.0
"""By what factor shifts grow until one is proven."""

UNDERFLOW = 2.0**-1070
"""What the roundings of a product and of a quotient of numbers next to 0 come to at most."""

TIME_SHARE = 0.5
"""How much of the time that is left goes into the vectors before they have to prove something."""


class Balance(NamedTuple):
    """A range of a weighted sum of spins.

    Attributes:
        load: d, [num_spins].
        most: M, the largest (d·s)² that it allows.
    """

    load: FloatArray
    most: float


class SpinMatrix(NamedTuple):
    """The symmetric matrix C + diag(diagonal) + penalty · load load', where C has half of each coupling at its pair.

    Attributes:
        couplings: between the spins.
        largest: at least every |coupling|.
        diagonal: [num_spins].
        load: [num_spins].
        penalty: not negative.
    """

    couplings: Couplings
    largest: float
    diagonal: FloatArray
    load: FloatArray
    penalty: float


def prove_semidefinite(spins: Spins, ledger: Ledger, *, balance: Balance | None, seconds: float, seed: int) -> None:
    """Offer the bound of the relaxation, first a rough one and then the converged one, while there is time.

    Args:
        spins: the couplings.
        ledger: takes the bounds.
        balance: the range of a weighted sum, if there is one.
        seconds: how long at most.
        seed: of the first vectors.
    """
    balance = Balance(np.zeros(spins.num_spins), 0.0) if balance is None else balance
    with ledger.within(seconds):
        couplings = spins.couplings
        mixing = MixingMethod(couplings, balance.load, balance.most, seed)
        while not mixing.converged and not ledger.settled:
            mixing.run(ledger.clock(TIME_SHARE * ledger.seconds_left))
            cost = certified_cost(spins, couplings, balance, mixing, ledger)
            if cost is None:
                return
            ledger.offer(cost, "semidefinite relaxation")


def certified_cost(
    spins: Spins, couplings: Couplings, balance: Balance, mixing: MixingMethod, ledger: Ledger
) -> float | None:
    """Return the bound on the cost that the present vectors prove, or None where time does not suffice."""
    load, penalty = balance.load, mixing.penalty
    mixing.sweep(ledger.clock())
    # The pull leaves out the spin's own share of the penalty, which the matrix has on its diagonal.
    diagonal = mixing.pull / 2 - penalty * load * load
    size = _length(spins.coupling) + penalty * float(load @ load) + float(np.abs(diagonal).max(initial=0.0))
    matrix = SpinMatrix(couplings, float(np.abs(spins.coupling).max(initial=0.0)), diagonal, load, penalty)
    first = size * (FINE_SHIFT if mixing.converged else ROUGH_SHIFT)
    shift = certified_shift(matrix, 8 * EPSILON * size, ledger, first=first)
    if shift is None:
        return None
    parts = [spins.constant, -len(load) * shift * (1 + EPSILON), -penalty * balance.most * (1 + EPSILON)]
    return lower_sum(np.concatenate([parts, -diagonal]))


def _length(coupling: FloatArray) -> float:
    """Return the Euclidean norm, also of couplings whose squares would be infinite."""
    largest = float(np.abs(coupling).max(initial=0.0))
    return largest * float(np.linalg.norm(coupling / largest)) if largest > 0 else 0.0


def certified_shift(matrix: SpinMatrix, doubt: float, ledger: Ledger, *, first: float) -> float | None:
    """Return a shift t ≥ 0 such that matrix + t·I is proven to have no negative eigenvalue, or None out of time.

    Shifts are tried in geometric progression, so that t is a few times the least possible one at most.

    Args:
        matrix: as it is computed.
        doubt: how far its exact counterpart can be from it, in the spectral norm.
        ledger: says how long to try.
        first: the shift to try first, positive.
    """
    with np.errstate(over="ignore"):
        size, penalties = len(matrix.diagonal), matrix.penalty * np.square(matrix.load)
    scale = float(np.abs(matrix.diagonal).max(initial=0.0) + penalties.max(initial=0.0)) + matrix.largest
    found = _least_proven(matrix, ledger, first, scale)
    if found is None:
        return None
    trace = float(np.abs(matrix.diagonal + penalties).sum() + size * found)
    rounding = 4 * (size + 2) * EPSILON * trace + 4 * EPSILON * (scale + found)
    return found + doubt + rounding + size * size * UNDERFLOW


def _least_proven(matrix: SpinMatrix, ledger: Ledger, first: float, scale: float) -> float | None:
    """Return about the least shift with which the matrix has a Cholesky factor, or None out of time."""
    shift, found = first, None
    # Numbers that are too large for floats prove nothing.
    while math.isfinite(scale + shift):
        shifted = matrix.diagonal + shift
        factorises = is_positive_definite(matrix.couplings, shifted, matrix.load, matrix.penalty, ledger.clock())
        if factorises is None:
            return found
        if factorises and (found is not None or shift == first):
            return shift
        if factorises:
            # Between the last failure and this success lies a factor of ten: halve it once.
            found, shift = shift, shift / GROWTH**0.5
        elif found is not None:
            return found
        else:
            shift *= GROWTH
    return None
