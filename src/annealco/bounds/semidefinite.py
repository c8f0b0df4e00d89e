"""Bound a quadratic objective, and a range of a weighted sum, by semidefinite relaxation over spins.

Spins are s = 2x − 1 ∈ {−1, 1}. In their terms the objective has couplings alone:

    Σ a_i x_i + Σ b_uv x_u x_v = constant + Σ h_i s_i + Σ J_uv s_u s_v,   J = b/4, h_i = a_i/2 + Σ_v b_iv/4

A field h_i is a coupling to one more spin, fixed to 1; since flipping all spins changes no product, it need not be
fixed. A cut has no fields: an edge counts by whether its two spins differ. The weights that a_i sums up to cancel those
of the pairs then, and fields that are no larger than the rounding of such a sum are read as 0; the constant is −Σ J.

For any numbers μ_i and ρ ≥ 0, and C half of the couplings, s'Cs = s'(C + diag μ + ρ dd')s − Σ μ_i − ρ (d·s)² holds for
every choice of n spins. So where C + diag μ + ρ dd' + t·I has no negative eigenvalue and (d·s)² ≤ M,

    Σ J_uv s_u s_v ≥ −n·t − Σ μ_i − ρ M.

The mixing method proposes μ and ρ; a Cholesky factorisation proves t. For a cut in a volume range, ρ = λ₂/(4 vol) and
μ = λ₂ d/4 would be the spectral bound, and the best ones are better.

Nodes of which some exclude each other have the theta number (`native/bounds/theta.hpp`). Let A be a matrix that is 0
but at conflicts, u_i² ≥ w_i > 0, and t·I + A − uu' without negative eigenvalues. With x_i = w_i/u_i in an independent
set of weight W, x'x ≤ W and x'Ax = 0; hence W² = (u'x)² ≤ t x'x ≤ t·W, and W ≤ t.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from annealco._core import Couplings, MixingMethod, Neighbours, Theta, is_positive_definite, spin_fields
from annealco.arrays import FloatArray, Int32Array, PairArray, scatter_sum
from annealco.bounds.certify import EPSILON, grid_step, lower_sum
from annealco.bounds.ledger import Ledger
from annealco.energy.structure import Structure


class Spins(NamedTuple):
    """Couplings between spins: the cost is at least the constant plus Σ J_uv s_u s_v.

    Attributes:
        num_spins: number of nodes, and one more where there are fields.
        pairs: [2, num_pairs], different spins, each pair once.
        coupling: J, [num_pairs], not 0.
        constant: see above; below the exact one by what rounding may have changed in fields that are not 0.
        satisfied: what the cost would be at least if every coupling were satisfied, constant − Σ |J|.
    """

    num_spins: int
    pairs: PairArray
    coupling: FloatArray
    constant: float
    satisfied: float

    @property
    def couplings(self) -> Couplings:
        """The same for the core."""
        low, high = self.pairs.astype(np.int32, copy=False)
        return Couplings(self.num_spins, low, high, self.coupling)


def spins_of(structure: Structure) -> Spins:
    """Return the spins of a structure's objective.

    Example:
        >>> from annealco.energy import Instance, Linear, Pairs
        >>> from annealco.energy.structure import structure_of
        >>> ptr = np.array([0, 2])
        >>> edge = Instance(ptr, (Linear(ptr, -np.ones(2)), Pairs(ptr, np.array([[0], [1]]), np.array([2.0]))))
        >>> spins = spins_of(structure_of(edge))
        >>> spins.num_spins, spins.coupling.tolist(), round(spins.constant, 9)
        (2, [0.5], -0.5)
    """
    low, high = (np.ascontiguousarray(ends, dtype=np.int32) for ends in structure.pairs)
    field, doubt, ascends = spin_fields(structure.linear, low, high, structure.pair_value)
    pairs, coupling = np.stack([low, high]), structure.pair_value / 4
    if not ascends or not coupling.all():
        pairs, coupling = _merge(pairs, coupling, structure.num_nodes)
    if structure.single and np.all(np.abs(field) <= doubt):
        # Here −J − |J| is exact for each pair: a cut of positive weights costs 0 at least, whatever they are.
        satisfied = lower_sum(-2 * np.maximum(coupling, 0.0)) + 0.0
        return Spins(structure.num_nodes, pairs, coupling, lower_sum(-coupling), satisfied)
    exposed = np.flatnonzero(field).astype(np.int32)
    extra = np.stack([exposed, np.full_like(exposed, structure.num_nodes)])
    error = 0.0 if grid_step(np.concatenate([structure.linear, structure.pair_value])) > 0 else 2 * float(doubt.sum())
    constants = np.concatenate([structure.linear / 2, structure.pair_value / 4, [-error]])
    couplings = np.concatenate([coupling, field[exposed]])
    return Spins(
        num_spins=structure.num_nodes + 1,
        pairs=np.concatenate([pairs, extra], axis=1),
        coupling=couplings,
        constant=lower_sum(constants),
        satisfied=lower_sum(np.concatenate([constants, -np.abs(couplings)])),
    )


def _merge(pairs: Int32Array, value: FloatArray, num_nodes: int) -> tuple[Int32Array, FloatArray]:
    """Add up pairs that are listed again, and drop those that come to 0."""
    key, place = np.unique(pairs.min(axis=0).astype(np.int64) * num_nodes + pairs.max(axis=0), return_inverse=True)
    total = scatter_sum(value, place, len(key))
    kept = total != 0
    return np.stack(np.divmod(key[kept], num_nodes)).astype(np.int32), total[kept]


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
        penalty: of either sign.
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
    scale = float(np.abs(matrix.diagonal).max(initial=0.0) + np.abs(penalties).max(initial=0.0)) + matrix.largest
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


Offer = Callable[[float], None]
"""Takes a bound."""

MAX_THETA = 2000
"""Up to so many nodes the theta number is computed: a step takes a number of operations that grows with their cube."""

THETA_STEP, THETA_PAIR = 4e-11, 5e-8
"""About how many seconds a step takes, times the cube of the number of nodes, and for each pair."""

LEAST_STEPS = 8
"""Fewer steps are not worth their time."""

NEAR = 1e-9
"""The matrix that is proven is so far from singular, in units of the bound."""


def theta_seconds(num_nodes: int, num_pairs: int, steps: int) -> float:
    """Return about how long so many steps towards the theta number of a graph take."""
    return steps * (THETA_STEP * num_nodes**3 + THETA_PAIR * num_pairs)


def prove_theta(
    joined: Neighbours, weight: FloatArray, ledger: Ledger, *, limit: float, seconds: float, offer: Offer
) -> None:
    """Offer upper bounds on the weight of nodes of which no two are joined, while there is time.

    Args:
        joined: pairs of which at most one node can be chosen.
        weight: [num_nodes], positive.
        ledger: says when to stop.
        limit: a bound that is low enough.
        seconds: how long at most.
        offer: takes bounds.
    """
    with ledger.within(seconds):
        if joined.num_nodes > MAX_THETA or ledger.settled:
            return
        # A power of two, by which products are exact.
        scale = 2.0 ** -math.frexp(float(weight.max()))[1]
        # Rounded up twice: a weight may be so small beside others that the product with the scale is rounded.
        root = np.nextafter(np.sqrt(np.nextafter(weight * scale, np.inf)), np.inf)
        theta, aim = Theta(joined, root), limit * scale * (1 - 2 * NEAR)
        while not (theta.converged or ledger.settled):
            before = theta.value
            done = theta.run(aim, ledger.clock(TIME_SHARE * ledger.seconds_left))
            if theta.value == before and not done:
                return
            bound = certified_theta(theta, root, ledger)
            if bound is None:
                return
            offer(bound / scale)
            if theta.value <= aim:
                return


def certified_theta(theta: Theta, root: FloatArray, ledger: Ledger) -> float | None:
    """Return the upper bound that the present matrix proves, or None where time does not suffice.

    Args:
        theta: with its matrix.
        root: u, [num_nodes].
        ledger: says how long to try.

    Example:
        >>> from annealco._core import Clock
        >>> low, high = np.array([0, 1, 2, 3, 0], np.int32), np.array([1, 2, 3, 4, 4], np.int32)
        >>> theta = Theta(Neighbours(low, high, 5), np.ones(5))
        >>> theta.run(0.0, Clock())
        True
        >>> 0 < certified_theta(theta, np.ones(5), Ledger(seconds=60)) - 5**0.5 < 0.002
        True
    """
    bound = theta.value * (1 + NEAR)
    # At conflicts any number will do, so that none of their roundings counts.
    couplings = Couplings(len(root), theta.low, theta.high, 2 * bound * theta.entry)
    squares = float(np.square(root).sum())
    largest = bound * float(np.abs(theta.entry).max(initial=0.0))
    matrix = SpinMatrix(couplings, largest, np.full(len(root), bound), root, -1.0)
    shift = certified_shift(matrix, 4 * EPSILON * (squares + bound), ledger, first=NEAR * bound)
    return None if shift is None else math.nextafter((bound + shift) * (1 + EPSILON), math.inf)
