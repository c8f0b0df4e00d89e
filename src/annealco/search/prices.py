"""Buckets for prices of either sign: keys that grow with the price, finest around 0.

Prices count in units of an energy's smallest coefficient. Whole numbers of units up to 15 have a bucket each; beyond, a
bucket spans 6 % of its price. A price within the tolerance of 0 has the bucket in the middle to itself, so that what
costs nothing is never mixed with what costs little.
"""

from __future__ import annotations

import numpy as np

from annealco.jit import inlined

MANTISSA_BITS = 4
LARGEST = 2.0**24
MIDDLE = (24 << MANTISSA_BITS) + 2
NUM_KEYS = 2 * MIDDLE + 1


@inlined
def price_key(price: float, tolerance: float, unit: float) -> int:
    """Return the key of a price, from 0 to NUM_KEYS − 1."""
    if abs(price) <= tolerance:
        return MIDDLE
    size = min(abs(price) / unit, LARGEST)
    # The leading bits of a floating point number grow with it: exponent, then mantissa.
    level = (np.float32(size + 1.0).view(np.int32) >> (23 - MANTISSA_BITS)) - (127 << MANTISSA_BITS)
    return int(MIDDLE + 1 + level if price > 0 else MIDDLE - 1 - level)
