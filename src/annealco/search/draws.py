"""Random numbers inside kernels, from a state that the caller holds.

A search that is cut into chunks goes on where it stopped, and a thread disturbs no other: neither holds for the random
numbers that come with NumPy or Numba. The generator is xorshift64* (Vigna, 2016): one word of state, good high bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.jit import inlined, part

Draws = NDArray[np.uint64]


def new_draws(*seed: int) -> Draws:
    """Return a state, [1], that depends on all the numbers given.

    Example:
        >>> new_draws(1, 2) == new_draws(1, 2), new_draws(1, 2) == new_draws(2, 1)
        (array([ True]), array([False]))
    """
    # The state must not be 0, where xorshift stays.
    return np.random.SeedSequence(seed).generate_state(1, np.uint64) | np.uint64(1)


@inlined
def draw_uniform(draws: Draws) -> float:
    """Return a number from [0, 1), one of 2^53."""
    return (_draw(draws) >> np.uint64(11)) * 2.0**-53


@inlined
def draw_below(draws: Draws, count: int) -> int:
    """Return one of 0, ..., count − 1; count < 2^32."""
    # The high half times count, divided by 2^32: no division, and a bias below count / 2^32.
    return int(np.int64(((_draw(draws) >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)))


@part
def shuffle(draws: Draws, items: NDArray[np.int64]) -> None:
    """Put items into random order, each order equally likely."""
    for last in range(len(items) - 1, 0, -1):
        other = draw_below(draws, last + 1)
        items[last], items[other] = items[other], items[last]


@inlined
def _draw(draws: Draws) -> np.uint64:
    bits = draws[0]
    bits ^= bits >> np.uint64(12)
    bits ^= bits << np.uint64(25)
    bits ^= bits >> np.uint64(27)
    draws[0] = bits
    return np.uint64(bits * np.uint64(0x2545F4914F6CDD1D))
