"""The expected distance of a sum from its range, in the normal closed form of `annealco.energy.range_term`."""

from __future__ import annotations

import math

from annealco.jit import inlined


@inlined
def expected_outside(mean: float, variance: float, lower: float, upper: float) -> float:
    """Return E[(V − upper)_+ + (lower − V)_+] of a normal V; without variance V is its mean."""
    if variance <= 0.0:
        return max(mean - upper, 0.0) + max(lower - mean, 0.0)
    width = math.sqrt(variance)
    return _expected_excess(mean - upper, width) + _expected_excess(lower - mean, width)


@inlined
def _expected_excess(mean: float, width: float) -> float:
    """Return E[N_+] of a normal N of this mean and width."""
    standard = mean / width
    density = math.exp(-0.5 * standard * standard) / math.sqrt(2.0 * math.pi)
    return mean * 0.5 * math.erfc(-standard / math.sqrt(2.0)) + width * density
