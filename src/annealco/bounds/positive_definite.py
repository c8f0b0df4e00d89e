"""Prove that a symmetric matrix has no eigenvalue below some number, by a Cholesky factorisation that succeeds.

If the factorisation of a floating-point matrix A runs to completion, then λ_min(A) ≥ −(n+1)ε/(1 − 2(n+1)ε)·trace(A)
whatever the order of its operations (Demmel 1989; Rump 2006). No eigenvalue solver has to be believed.
"""

from __future__ import annotations

import time

import numpy as np

from annealco.bounds.rounding import EPSILON
from annealco.graph.segments import FloatArray

GROWTH = 10.0

PROBE_SIZE = 400
"""A factorisation of this size is timed to tell how long a larger one will take."""


def certified_shift(matrix: FloatArray, doubt: float, *, first: float, seconds: float) -> float | None:
    """Return a shift t ≥ 0 such that matrix + t·I is proven to have no negative eigenvalue, or None out of time.

    Shifts are tried in geometric progression, so that t is a few times the least possible one at most.

    Args:
        matrix: [n, n], symmetric.
        doubt: how far its exact counterpart can be from it, in the spectral norm.
        first: the shift to try first, positive.
        seconds: how long to try.

    Example:
        >>> 0 <= certified_shift(np.eye(3), 0.0, first=1e-8, seconds=1) < 1e-7
        True
        >>> 1 <= certified_shift(np.array([[0.0, 1.0], [1.0, 0.0]]), 0.0, first=1e-8, seconds=1) < 5
        True
    """
    deadline, size = time.perf_counter() + seconds, len(matrix)
    scale = float(np.abs(matrix).max(initial=0.0))
    shift, found = first, None
    expected = expected_seconds(size)
    while time.perf_counter() + expected <= deadline:
        if _factorises(matrix, shift):
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


def _factorises(matrix: FloatArray, shift: float) -> bool:
    shifted = matrix.copy()
    np.fill_diagonal(shifted, np.diag(matrix) + shift)
    try:
        np.linalg.cholesky(shifted)
    except np.linalg.LinAlgError:
        return False
    return True


def expected_seconds(size: int) -> float:
    """Return about how long one factorisation takes; larger ones run at a higher speed, so rather less."""
    if size <= PROBE_SIZE:
        return 0.0
    began = time.perf_counter()
    _factorises(np.eye(PROBE_SIZE), 1.0)
    return (time.perf_counter() - began) * (size / PROBE_SIZE) ** 3
