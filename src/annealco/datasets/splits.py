"""Split sets into training, validation and test graphs.

The default splits of a drawn set have 2,000, 500 and 500 graphs. Each split is a stream of its own that never ends: the
numbers of its graphs are a block of those of the generator, so that splits of one seed have no graph in common. A
stored set is shuffled, because files come sorted by class or size, and split 60/20/20.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from annealco.errors import InputError

BLOCK = 2**30
"""Most graphs of one split: the numbers of the generator that belong to it."""

DEFAULT_COUNTS = {"train": 2000, "validation": 500, "test": 500}
"""Splits in the order of their blocks, and how many graphs each has by default."""

SPLITS = (*DEFAULT_COUNTS, "all")


def check_split(split: str) -> None:
    """Raise InputError for a split that does not exist."""
    if split not in SPLITS:
        raise InputError(f"unknown split {split!r}; choose one of {', '.join(SPLITS)}")


def first_number(split: str) -> int:
    """Return the generator's number of a split's first graph.

    Example:
        >>> first_number("train"), first_number("validation") == BLOCK
        (0, True)
    """
    return list(DEFAULT_COUNTS).index(split) * BLOCK


def shuffled(name: str, num_graphs: int, seed: int) -> NDArray[np.int64]:
    """Return the order in which a stored set is split, [num_graphs]; name, size and seed alone decide it."""
    stream = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(name.encode()),))
    return np.random.Generator(np.random.PCG64(stream)).permutation(num_graphs)


def members(name: str, split: str, num_graphs: int, seed: int) -> NDArray[np.int64]:
    """Return the positions of a split's graphs in the file of a stored set; "all" is the whole file in its order.

    Example:
        >>> [len(members("a", split, 973, 0)) for split in SPLITS]
        [583, 194, 196, 973]
    """
    check_split(split)
    if split == "all":
        return np.arange(num_graphs)
    ends = [0, 3 * num_graphs // 5, 3 * num_graphs // 5 + num_graphs // 5, num_graphs]
    place = list(DEFAULT_COUNTS).index(split)
    return shuffled(name, num_graphs, seed)[ends[place] : ends[place + 1]]
