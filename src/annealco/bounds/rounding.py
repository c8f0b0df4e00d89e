"""Round outward: sums and grids that keep a bound proven in floating point."""

from __future__ import annotations

import math

import numpy as np

from annealco import _core
from annealco.graph.segments import FloatArray

EPSILON = float(np.finfo(np.float64).eps)


def lower_sum(values: FloatArray) -> float:
    """Return the largest float that is not above the exact sum of [n] floats.

    Example:
        >>> lower_sum(np.array([0.5, 0.25])), lower_sum(np.array([1.0, 1e-30])), upper_sum(np.array([1.0, 1e-30]))
        (0.75, 1.0, 1.0000000000000002)
    """
    return _core.lower_sum(np.ascontiguousarray(values, np.float64))


def upper_sum(values: FloatArray) -> float:
    """Return the least float that is not below the exact sum of [n] floats."""
    return -lower_sum(-values)


def grid_step(values: FloatArray) -> float:
    """Return the largest step of which every one of [n] floats is a multiple, or 0 where sums would not be exact.

    With integer weights the step is their greatest common divisor, with halves among them it is a fraction. Sums of any
    of the values are then multiples too, and exact in floating point.

    Example:
        >>> grid_step(np.array([6.0, -4.0, 0.0])), grid_step(np.array([1.5, 3.0])), grid_step(np.array([0.1, 1.0]))
        (2.0, 1.5, 0.0)
    """
    return _core.grid_step(np.ascontiguousarray(values, np.float64))


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
