"""Seeds of any size for the random numbers of the compiled core, which takes 64 bits."""

from __future__ import annotations

import numpy as np


def seed_word(*seed: int) -> int:
    """Return 64 bits that depend on all the numbers given, none of which is negative.

    Example:
        >>> seed_word(1, 2) == seed_word(1, 2), seed_word(1, 2) == seed_word(2, 1), seed_word(2**100) < 2**64
        (True, False, True)
    """
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
