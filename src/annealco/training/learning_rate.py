"""How the learning rate changes: plain functions of progress, as multiples of the rate that was asked for.

The rate of a step depends on its number alone, so that a run that is resumed goes on as if nothing had happened.
"""

from __future__ import annotations

import math
from collections.abc import Callable

DECAY, DECAY_EPOCHS = 0.95, 5
"""The factor of ``decay``, and after how many epochs it comes again (Karalias and Loukas, 2020)."""

WARM_UP = 0.05
"""The part of the run in which ``cosine`` rises."""


def decay(step: int, num_steps: int, steps_an_epoch: int) -> float:  # noqa: ARG001 (all rates are called alike)
    """Fall by 5 % every five epochs.

    Example:
        >>> decay(49, 1000, 10), decay(50, 1000, 10)
        (1.0, 0.95)
    """
    return float(DECAY ** (step // (DECAY_EPOCHS * steps_an_epoch)))


def cosine(step: int, num_steps: int, steps_an_epoch: int) -> float:  # noqa: ARG001
    """Rise to 1 during the first twentieth of the run, then fall to 0 along half a cosine.

    Example:
        >>> [round(cosine(step, 100, 10), 3) for step in (0, 4, 5, 52, 99)]
        [0.2, 1.0, 1.0, 0.508, 0.0]
    """
    rise = max(1, round(WARM_UP * num_steps))
    if step < rise:
        return (step + 1) / rise
    return 0.5 * (1.0 + math.cos(math.pi * (step - rise) / max(1, num_steps - rise)))


def constant(step: int, num_steps: int, steps_an_epoch: int) -> float:  # noqa: ARG001
    """Stay."""
    return 1.0


RATES: dict[str, Callable[[int, int, int], float]] = {"decay": decay, "cosine": cosine, "constant": constant}
"""Functions of the step, the number of all steps, and the number of steps an epoch."""
