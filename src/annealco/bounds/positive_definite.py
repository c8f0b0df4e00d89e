"""Prove that a symmetric matrix has no eigenvalue below some number, by a Cholesky factorisation that succeeds.

If the factorisation of a floating-point matrix A runs to completion, then λ_min(A) ≥ −(n+1)ε/(1 − 2(n+1)ε)·trace(A)
whatever the order of its operations (Demmel 1989; Rump 2006). No eigenvalue solver has to be believed.
"""

from __future__ import annotations

import math
import time

import numpy as np

from annealco.bounds.ledger import Ledger
from annealco.bounds.rounding import EPSILON
from annealco.graph.segments import FloatArray
from annealco.jit import compiled_with

GROWTH = 10.0

PANEL = 64
"""Columns of a factor that are computed between two looks at the clock."""


def certified_shift(matrix: FloatArray, doubt: float, ledger: Ledger, *, first: float) -> float | None:
    """Return a shift t ≥ 0 such that matrix + t·I is proven to have no negative eigenvalue, or None out of time.

    Shifts are tried in geometric progression, so that t is a few times the least possible one at most.

    Args:
        matrix: [n, n], symmetric.
        doubt: how far its exact counterpart can be from it, in the spectral norm.
        ledger: says how long to try.
        first: the shift to try first, positive.

    Example:
        >>> 0 <= certified_shift(np.eye(3), 0.0, Ledger(seconds=1), first=1e-8) < 1e-7
        True
        >>> 1 <= certified_shift(np.array([[0.0, 1.0], [1.0, 0.0]]), 0.0, Ledger(seconds=1), first=1e-8) < 5
        True
    """
    size = len(matrix)
    scale = float(np.abs(matrix).max(initial=0.0))
    if not np.isfinite(scale):
        return None
    shift, found = first, None
    took = 0.0
    while ledger.seconds_left > took:
        began = time.perf_counter()
        factorises = _factorises(matrix, shift, ledger)
        took = max(took, time.perf_counter() - began)
        if factorises is None:
            break
        if factorises:
            failed = found is not None or shift == first
            found = shift
            if failed:
                break
            # Between the last failure and this success lies a factor of ten: halve it once.
            shift /= GROWTH**0.5
        elif found is not None:
            break
        else:
            shift *= GROWTH
    if found is None:
        return None
    trace = float(np.abs(np.diag(matrix)).sum() + size * found)
    return found + doubt + 4 * (size + 2) * EPSILON * trace + 4 * EPSILON * (scale + found)


def _factorises(matrix: FloatArray, shift: float, ledger: Ledger) -> bool | None:
    """Tell whether matrix + shift·I has a Cholesky factor, computed panel by panel; None where time is up before."""
    factor = matrix.copy()
    np.fill_diagonal(factor, np.diag(matrix) + shift)
    for low in range(0, len(matrix), PANEL):
        if ledger.seconds_left <= 0:
            return None
        panel = factor[low:, low : low + PANEL] - factor[low:, :low] @ factor[low : low + PANEL, :low].T
        if not _eliminate(panel):
            return False
        factor[low:, low : low + PANEL] = panel
    return True


@compiled_with(fastmath={"reassoc", "contract"})
def _eliminate(panel: FloatArray) -> bool:
    """Factorise the columns of a panel [num_rows, num_columns] in place; tell whether all pivots are positive."""
    num_rows, num_columns = panel.shape
    for row in range(num_rows):
        for column in range(min(row + 1, num_columns)):
            rest = panel[row, column]
            for place in range(column):
                rest -= panel[row, place] * panel[column, place]
            if column < row:
                panel[row, column] = rest / panel[column, column]
            elif rest > 0:
                panel[row, column] = math.sqrt(rest)
            else:
                return False
    return True
