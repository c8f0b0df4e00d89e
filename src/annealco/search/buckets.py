"""Buckets that give up their lowest entry at a cost that does not grow with how many there are.

A key may rise without telling the buckets: an entry then stands too low, and is filed anew when it comes up. Only a key
that falls is filed at once. Entries of one bucket come up in the order in which they were filed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.jit import at, inlined

MANTISSA_BITS = 7
"""Values up to 2^7 have a bucket each; beyond, a bucket spans at most 1 % of its value."""

NUM_BUCKETS = 64 << MANTISSA_BITS

LARGEST = 2.0**62
"""Values from here on share the last bucket."""

ABSENT = -1


class Buckets(NamedTuple):
    """Doubly linked lists, one a key.

    Attributes:
        head: [NUM_BUCKETS] first entry of each bucket.
        tail: [NUM_BUCKETS] last entry of each bucket.
        before: [num_entries] entry before each.
        after: [num_entries] entry after each.
        key: [num_entries] the bucket that each entry is in, or ABSENT.
        lowest: [1] no bucket below this one holds an entry.
    """

    head: NDArray[np.int32]
    tail: NDArray[np.int32]
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    key: NDArray[np.int32]
    lowest: NDArray[np.int64]


def empty_buckets(num_entries: int) -> Buckets:
    """Return buckets without an entry."""
    return Buckets(
        head=np.full(NUM_BUCKETS, ABSENT, np.int32),
        tail=np.full(NUM_BUCKETS, ABSENT, np.int32),
        before=np.full(num_entries, ABSENT, np.int32),
        after=np.full(num_entries, ABSENT, np.int32),
        key=np.full(num_entries, ABSENT, np.int32),
        lowest=np.full(1, NUM_BUCKETS, np.int64),
    )


@inlined
def file(buckets: Buckets, entry: int, key: int) -> None:
    """Put an entry that is in no bucket at the end of one."""
    own, place = at(entry), at(key)
    last = buckets.tail[place]
    buckets.before[own] = last
    buckets.after[own] = ABSENT
    if last == ABSENT:
        buckets.head[place] = entry
    else:
        buckets.after[at(last)] = entry
    buckets.tail[place] = entry
    buckets.key[own] = key
    buckets.lowest[0] = min(buckets.lowest[0], key)


@inlined
def take(buckets: Buckets, entry: int) -> None:
    """Take an entry out of its bucket."""
    own = at(entry)
    key, before, after = at(buckets.key[own]), buckets.before[own], buckets.after[own]
    if before == ABSENT:
        buckets.head[key] = after
    else:
        buckets.after[at(before)] = after
    if after == ABSENT:
        buckets.tail[key] = before
    else:
        buckets.before[at(after)] = before
    buckets.key[own] = ABSENT


@inlined
def first(buckets: Buckets) -> int:
    """Return the first entry of the lowest bucket that has one, or ABSENT; its key may have risen since."""
    key = buckets.lowest[0]
    while key < NUM_BUCKETS and buckets.head[at(key)] == ABSENT:
        key += 1
    buckets.lowest[0] = key
    if key == NUM_BUCKETS:
        return ABSENT
    return int(buckets.head[key])


@inlined
def key_of(value: float) -> int:
    """Return the bucket of a value from 0 on, by the leading bits of its floating point form."""
    if not value < LARGEST:
        return NUM_BUCKETS - 1
    return int(np.float32(value + 1.0).view(np.int32) >> (23 - MANTISSA_BITS)) - (127 << MANTISSA_BITS)
