from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.search.buckets import ABSENT, NUM_BUCKETS, empty_buckets, file, first, key_of, take


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, NUM_BUCKETS - 1)), max_size=60))
def test_the_lowest_comes_first_and_equals_in_the_order_of_filing(steps):
    buckets = empty_buckets(10)
    order = {}
    for clock, (entry, key) in enumerate(steps):
        if entry in order:
            take(buckets, entry)
            del order[entry]
            assert buckets.key[entry] == ABSENT
        else:
            file(buckets, entry, key)
            order[entry] = (key, clock)
        expected = min(order, key=order.get) if order else ABSENT
        assert first(buckets) == expected


def test_keys_rise_with_values_and_tell_small_ones_apart():
    values = np.concatenate([np.arange(128.0), np.geomspace(128, 2.0**62, 5000)])
    keys = [key_of(value) for value in values]
    assert keys[0] == 0
    assert all(left <= right for left, right in pairwise(keys))
    assert len(set(keys[:128])) == 128
    assert keys[-1] < NUM_BUCKETS
    # Beyond, values in one bucket differ by at most one part in 128.
    for left, right in pairwise(range(len(keys))):
        if keys[left] == keys[right]:
            assert values[right] <= (values[left] + 1) * (1 + 1 / 128)


@pytest.mark.parametrize("value", [0.0, 1.0, 2.0**61, 2.0**62, 2.0**63, 1e30, 1e300, np.inf, np.nan])
def test_every_value_has_a_bucket(value):
    assert 0 <= key_of(value) < NUM_BUCKETS
    assert key_of(np.inf) == NUM_BUCKETS - 1
