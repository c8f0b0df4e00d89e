"""Tell whether spins that all want to agree can do so within a range of their weighted sum.

Where every coupling is negative and there are no fields, no coupling is unsatisfied exactly where each connected
component is chosen as a whole or not at all. If no union of components lies in the range, one coupling at least is not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.bounds.spins import Spins
from annealco.energy import Range
from annealco.graph.segments import FloatArray, scatter_sum

MAX_WORK = 2**29
"""The sums that unions of components can have are the bits of an integer; so many may be gone through,
a matter of some hundredths of a second."""


def must_disagree(spins: Spins, box: Range, chosen: NDArray[np.integer]) -> bool:
    """Tell whether some coupling is unsatisfied in every choice within the range; False where it is not known.

    Args:
        spins: couplings, all negative.
        box: the range, of integer weights that are not negative.
        chosen: [num_chosen] nodes that must be chosen.
    """
    weight = box.weight
    if np.any(spins.coupling > 0) or spins.num_spins != len(weight):
        return False
    if np.any((weight < 0) | (weight != np.rint(weight))):
        return False
    from scipy.sparse import coo_array, csgraph

    ends = np.ones(spins.pairs.shape[1], np.int8), tuple(spins.pairs)
    count, component = csgraph.connected_components(coo_array(ends, shape=(len(weight),) * 2), directed=False)
    volume = scatter_sum(weight, component, count)
    taken = np.zeros(count, dtype=bool)
    taken[component[chosen]] = True
    parts = _grouped(volume[~taken])
    if volume.sum() * (1 + len(parts)) > MAX_WORK:
        return False
    reached = 1 << int(volume[taken].sum())
    for part in parts:
        reached |= reached << part
    low, high = int(max(np.ceil(box.lower[0]), 0.0)), int(min(np.floor(box.upper[0]), volume.sum()))
    return high < low or (reached >> low) & ((1 << (high - low + 1)) - 1) == 0


def _grouped(volume: FloatArray) -> list[int]:
    """Return volumes with the same sums, but equal ones in groups of 1, 2, 4, ...: a million give twenty.

    Example:
        >>> _grouped(np.array([3.0, 3.0, 0.0, 3.0, 3.0, 5.0]))
        [3, 6, 3, 5]
    """
    groups = []
    for size, times in zip(*np.unique(volume[volume > 0].astype(np.int64), return_counts=True), strict=True):
        left, group = int(times), 1
        while left > 0:
            groups.append(int(size) * min(group, left))
            left, group = left - group, 2 * group
    return groups
