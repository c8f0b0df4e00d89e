"""How the temperature falls: plain functions of progress.

Progress runs from 0 to 1, the temperature from τ0 to τ_K. With k = progress · K, the paper's τ_k = τ0 / (1 + αk) has
αk = (τ0/τ_K − 1) · progress, so that the number of steps does not appear. Powers of it are the paper's other schedules:

    linear      τ0 / (1 + αk)         f/τ grows at a constant rate
    concave     τ0 / (1 + αk)^(1/2)   f/τ grows fast at first
    convex      τ0 / (1 + αk)^3       f/τ grows fast at last
    geometric   τ0 (τ_K/τ0)^progress
    constant    τ0

with α such that the last temperature is τ_K in each but the last.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from annealco.arrays import FloatArray
from annealco.errors import InputError

Schedule = Callable[[float], Any]
"""A function from progress to a temperature, or to one a graph."""

LAST_TEMPERATURE = 0.001
"""τ_K, where schedules end by default, as in the paper."""

MOST_COOLING = 1e100
"""Most times that the first temperature can be the last: powers of the quotient must be numbers."""


def hyperbolic(progress: Any, first: Any, last: Any, *, power: float) -> Any:
    """Return τ0 / (1 + αk)^power.

    Example:
        >>> [round(hyperbolic(each, 4.0, 1.0, power=1.0), 3) for each in (0.0, 0.5, 1.0)]
        [4.0, 1.6, 1.0]
    """
    return first / (1.0 + ((first / last) ** (1.0 / power) - 1.0) * progress) ** power


def geometric(progress: Any, first: Any, last: Any) -> Any:
    """Return τ0 (τ_K/τ0)^progress, without the quotient, which need not be a float where both temperatures are.

    Example:
        >>> geometric(0.5, 4.0, 1.0)
        2.0
    """
    return first ** (1 - progress) * last**progress


def constant(progress: Any, first: Any, last: Any) -> Any:  # noqa: ARG001 (all schedules are called alike)
    """Return τ0."""
    return first


SCHEDULES: dict[str, Callable[..., Any]] = {
    "linear": partial(hyperbolic, power=1.0),
    "concave": partial(hyperbolic, power=0.5),
    "convex": partial(hyperbolic, power=3.0),
    "geometric": geometric,
    "constant": constant,
}
"""Functions of progress, the first and the last temperature."""


def cooling(name: str, first: float, last: float = LAST_TEMPERATURE) -> Schedule:
    """Return the schedule of a name between two temperatures.

    From a first temperature at or below the last there is nothing to cool: it stays. So 0 means no annealing.

    Example:
        >>> cooling("linear", 4.0, 1.0)(1.0), cooling("linear", 0.0)(0.5)
        (1.0, 0.0)
    """
    if name not in SCHEDULES:
        raise InputError(f"unknown schedule {name!r}; choose one of {', '.join(SCHEDULES)}")
    if not 0 <= first < np.inf:
        raise InputError(f"the first temperature must not be negative or infinite, it is {first}")
    if not 0 < last < np.inf:
        raise InputError(f"the last temperature must be above 0 and finite, it is {last}")
    if first > last * MOST_COOLING:
        rule = f"the first temperature must be at most {MOST_COOLING:g} times the last"
        raise InputError(f"{rule}, they are {first} and {last}")
    return partial(constant if first <= last else SCHEDULES[name], first=first, last=last)


def temperatures(schedule: Schedule, num_steps: int) -> FloatArray:
    """Return the temperature of every step, [num_steps] or [num_steps, num_graphs]; the last step has progress 1."""
    return np.array([schedule(float(each)) for each in np.linspace(0.0, 1.0, num_steps)], dtype=np.float64)
