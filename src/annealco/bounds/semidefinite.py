"""Bound couplings between spins, and a range of their weighted sum, by semidefinite relaxation.

For any numbers μ_i and ρ ≥ 0, and C half of the couplings, s'Cs = s'(C + diag μ + ρ dd')s − Σ μ_i − ρ (d·s)² holds for
every choice of n spins. So where C + diag μ + ρ dd' + t·I has no negative eigenvalue and (d·s)² ≤ M,

    Σ J_uv s_u s_v ≥ −n·t − Σ μ_i − ρ M.

The relaxation proposes μ and ρ; a Cholesky factorisation proves t. For a cut in a volume range, ρ = λ₂/(4 vol) and
μ = λ₂ d/4 would be the spectral bound, and the best ones are better.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from annealco.bounds.ledger import Ledger
from annealco.bounds.mixing import mix, start_mixing
from annealco.bounds.positive_definite import certified_shift
from annealco.bounds.rounding import EPSILON, lower_sum
from annealco.bounds.spins import Spins
from annealco.graph.segments import FloatArray

MAX_SPINS = 3000
"""Past this many spins a factorisation takes seconds."""

CONVERGED = 1e-9
"""The vectors have converged when some rounds lower the sum by no more than this share of all couplings."""

ROUNDS = 5
"""How often all vectors are gone round between two looks at them."""

FIRST_FACTOR, LAST_FACTOR = 4.0, 1.0005
"""By what the penalty is changed at first, and at last."""

MAX_RISE = 1e4
"""By what factor the penalty rises at most."""

NEGLIGIBLE = 1e-9
"""A square of the weighted sum that exceeds the range by this share of the largest possible one does not count."""

FINE_SHIFT, ROUGH_SHIFT = 1e-9, 1e-5
"""The first shift to try, in units of the matrix, with vectors that have converged and with others."""

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


class Relaxation:
    """The relaxation of one set of spins, solved step by step.

    Args:
        spins: the couplings.
        balance: the range, with all loads 0 where there is none.
        seed: of the first vectors.

    Attributes:
        converged: whether the vectors have come to rest.
    """

    def __init__(self, spins: Spins, balance: Balance, seed: int) -> None:
        self._spins, self._balance = spins, balance
        self._mixing = start_mixing(spins, balance.load, seed=seed)
        self._strength = float(np.abs(spins.coupling).sum())
        self._reach = float(np.abs(balance.load).sum())
        self._penalty = self._strength / self._reach**2 if self._reach > 0 else 0.0
        self._highest = MAX_RISE * self._penalty
        self._factor, self._exceeded = FIRST_FACTOR, False
        self._rounds, self._lowered = 0, 0.0
        self.converged = False

    def advance(self, rounds: int) -> int:
        """Go round the vectors up to so many times; return how many, 0 where they have converged."""
        done = min(rounds, ROUNDS - self._rounds)
        self._lowered += mix(self._mixing, self._penalty, done)
        self._rounds += done
        if self._rounds == ROUNDS:
            if self._penalty > 0 and self._factor > LAST_FACTOR:
                self._adjust()
            elif self._lowered <= CONVERGED * self._strength:
                self.converged = True
            self._rounds, self._lowered = 0, 0.0
        return 0 if self.converged else done

    def _adjust(self) -> None:
        """Raise the penalty where the weighted sum is too large and lower it where it is not, ever more finely."""
        square = float(self._mixing.total @ self._mixing.total)
        exceeded = square > self._balance.most + NEGLIGIBLE * self._reach**2
        if exceeded and self._penalty >= self._highest:
            # A range that no choice lies in would raise it for ever; any penalty proves a bound.
            self._factor = LAST_FACTOR
            return
        if exceeded != self._exceeded:
            self._factor, self._exceeded = math.sqrt(self._factor), exceeded
        self._penalty *= self._factor if exceeded else 1 / self._factor

    def certify(self, ledger: Ledger) -> float | None:
        """Return the bound on the cost that the present vectors prove, or None where time does not suffice."""
        load, penalty = self._balance.load, self._penalty
        if ledger.seconds_left <= 0:
            return None
        mix(self._mixing, penalty, 1)
        # The pull leaves out the spin's own share of the penalty, which the matrix has on its diagonal.
        diagonal = self._mixing.pull / 2 - penalty * load * load
        matrix = penalty * np.outer(load, load)
        low, high = self._spins.pairs
        matrix[low, high] += self._spins.coupling / 2
        matrix[high, low] += self._spins.coupling / 2
        np.fill_diagonal(matrix, np.diag(matrix) + diagonal)
        size = _length(self._spins.coupling) + penalty * float(load @ load) + np.abs(diagonal).max(initial=0.0)
        first = float(size) * (FINE_SHIFT if self.converged else ROUGH_SHIFT)
        shift = certified_shift(matrix, 8 * EPSILON * float(size), ledger, first=first)
        if shift is None:
            return None
        parts = [
            self._spins.constant,
            -len(load) * shift * (1 + EPSILON),
            -penalty * self._balance.most * (1 + EPSILON),
        ]
        return lower_sum(np.concatenate([parts, -diagonal]))


def _length(coupling: FloatArray) -> float:
    """Return the Euclidean norm, also of couplings whose squares would be infinite."""
    largest = float(np.abs(coupling).max(initial=0.0))
    return largest * float(np.linalg.norm(coupling / largest)) if largest > 0 else 0.0


def prove_semidefinite(spins: Spins, ledger: Ledger, *, balance: Balance | None, seconds: float, seed: int) -> None:
    """Offer the bound of the relaxation, first a rough one and then the converged one, while there is time.

    Args:
        spins: the couplings.
        ledger: takes the bounds.
        balance: the range of a weighted sum, if there is one.
        seconds: how long at most.
        seed: of the first vectors.
    """
    none = Balance(np.zeros(spins.num_spins), 0.0)
    with ledger.within(seconds):
        relaxation = Relaxation(spins, none if balance is None else balance, seed)
        while not relaxation.converged and not ledger.settled:
            ledger.spend(relaxation.advance, seconds=TIME_SHARE * ledger.seconds_left)
            cost = relaxation.certify(ledger)
            if cost is None:
                return
            ledger.offer(cost, "semidefinite relaxation")
