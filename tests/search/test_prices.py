"""Keys grow with prices."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annealco.search.buckets import NUM_BUCKETS
from annealco.search.prices import MIDDLE, NUM_KEYS, price_key

prices = st.floats(-1e9, 1e9)


@given(prices, prices)
def test_a_higher_price_never_has_a_lower_key(one, other):
    low, high = sorted((one, other))
    assert 0 <= price_key(low, 1e-9, 1.0) <= price_key(high, 1e-9, 1.0) < NUM_KEYS


@given(prices)
def test_the_middle_is_for_ties_alone(price):
    assert (price_key(price, 1e-9, 1.0) == MIDDLE) == (abs(price) <= 1e-9)


def test_small_whole_numbers_have_a_bucket_each_in_any_unit():
    for unit in (1.0, 0.25, 3.0):
        keys = [price_key(count * unit, 1e-9, unit) for count in range(-15, 16)]
        assert len(set(keys)) == 31
        assert keys == sorted(keys)


def test_a_bucket_spans_few_percent():
    sizes = np.exp(np.linspace(np.log(20), np.log(1e6), 5000))
    keys = np.array([price_key(size, 1e-9, 1.0) for size in sizes])
    for key in np.unique(keys):
        inside = sizes[keys == key]
        assert inside.max() / inside.min() < 1.07


def test_two_sides_of_keys_fit_into_the_buckets():
    assert 2 * NUM_KEYS < NUM_BUCKETS
