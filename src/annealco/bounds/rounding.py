"""Round outward: sums and grids that keep a bound proven in floating point."""

from __future__ import annotations

import math

import numpy as np

from annealco.graph.segments import FloatArray

EPSILON = float(np.finfo(np.float64).eps)
MANTISSA_BITS = 53

LONG = 2**14
"""From so many terms on a sum is rounded outward by a bound on its error, not summed exactly: the latter is slow."""


def lower_sum(values: FloatArray) -> float:
    """Return a number not above the exact sum of [n] floats, and close to it; the sum itself where it is a float.

    Example:
        >>> lower_sum(np.array([0.5, 0.25])), lower_sum(np.array([1.0, 1e-30])), upper_sum(np.array([1.0, 1e-30]))
        (0.75, 1.0, 1.0000000000000002)
    """
    if len(values) < LONG:
        parts = values.tolist()
        total = math.fsum(parts)
        return total if math.fsum([*parts, -total]) >= 0 else math.nextafter(total, -math.inf)
    # Pairwise summation in blocks of 128: fewer than 128 + 64 roundings on the way of any term.
    return float(values.sum() - 256 * EPSILON * np.abs(values).sum())


def upper_sum(values: FloatArray) -> float:
    """Return a number not below the exact sum of [n] floats, and close to it."""
    return -lower_sum(-values)


def grid_step(values: FloatArray) -> float:
    """Return the largest step of which every one of [n] floats is a multiple, or 0 where sums would not be exact.

    With integer weights the step is their greatest common divisor, with halves among them it is a fraction. Sums of any
    of the values are then multiples too, and exact in floating point.

    Example:
        >>> grid_step(np.array([6.0, -4.0, 0.0])), grid_step(np.array([1.5, 3.0])), grid_step(np.array([0.1, 1.0]))
        (2.0, 1.5, 0.0)
    """
    parts = np.abs(values[values != 0])
    if not len(parts):
        return 1.0
    mantissa, exponent = np.frexp(parts)
    digits = np.ldexp(mantissa, MANTISSA_BITS).astype(np.int64)
    _, last_bit = np.frexp((digits & -digits).astype(np.float64))
    finest = int((exponent - MANTISSA_BITS + last_bit - 1).min())
    if exponent.max() - finest > MANTISSA_BITS:
        # The largest alone is too many steps, perhaps more than a float can count.
        return 0.0
    whole = np.ldexp(parts, -finest)
    if not whole.sum() < 2.0**MANTISSA_BITS:
        return 0.0
    return math.ldexp(float(np.gcd.reduce(whole.astype(np.int64))), finest)


def ceil_to_grid(value: float, step: float) -> float:
    """Return the least multiple of the step that is not below the value, or the value itself where the step is 0.

    The quotient's own rounding is harmless: it never passes an integer.

    Example:
        >>> ceil_to_grid(20.1, 1.0), ceil_to_grid(20.0, 1.0), ceil_to_grid(20.1, 0.0)
        (21.0, 20.0, 20.1)
    """
    if step == 0 or not math.isfinite(value):
        return value
    return math.ceil(value / step) * step
