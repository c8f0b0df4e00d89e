import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.bounds.rounding import ceil_to_grid, grid_step, lower_sum, upper_sum

reals = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(reals, max_size=30))
def test_sums_enclose_the_exact_one(values):
    exact = sum((Fraction(value) for value in values), start=Fraction(0))
    low, high = lower_sum(np.array(values)), upper_sum(np.array(values))
    assert Fraction(low) <= exact <= Fraction(high)
    assert high <= math.nextafter(low, math.inf)


@pytest.mark.parametrize("spread", [0, 3, 100])
def test_long_sums_are_rounded_once(spread):
    rng = np.random.default_rng(spread)
    values = rng.normal(size=20_000) * 10.0 ** rng.integers(-spread, spread + 1, 20_000)
    exact = sum((Fraction(value) for value in values.tolist()), start=Fraction(0))
    assert Fraction(lower_sum(values)) <= exact <= Fraction(upper_sum(values))
    assert upper_sum(values) <= math.nextafter(lower_sum(values), math.inf)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=12))
def test_sums_of_the_largest_and_smallest_numbers_are_enclosed(values):
    exact = sum((Fraction(value) for value in values), start=Fraction(0))
    low, high = lower_sum(np.array(values)), upper_sum(np.array(values))
    assert math.isinf(low) or Fraction(low) <= exact
    assert math.isinf(high) or exact <= Fraction(high)


def test_a_sum_that_is_no_number_is_enclosed_by_infinities():
    for values in ([1e308, 1e308], [np.inf, 1.0], [np.nan, 1.0], [np.inf, -np.inf]):
        assert (lower_sum(np.array(values)), upper_sum(np.array(values))) == (-math.inf, math.inf)


def test_a_sum_that_is_a_float_is_returned_itself():
    assert lower_sum(np.array([0.5, 0.25, -3.0])) == -2.25
    assert lower_sum(np.zeros(0)) == 0.0


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=20), st.integers(0, 6))
def test_the_step_is_the_greatest_common_divisor(numbers, halvings):
    values = np.array(numbers) / 2**halvings
    divisor = math.gcd(*numbers)
    assert grid_step(values) == (divisor / 2**halvings if divisor else 1.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [[0.1, 1.0], [1e16, 1.0], [1e300, 1e-300], [5e-324, 1.0]])
def test_values_whose_sums_are_not_exact_have_no_step(values):
    assert grid_step(np.array(values)) == 0.0


@pytest.mark.filterwarnings("error")
def test_the_step_of_the_largest_and_of_the_least_numbers():
    assert grid_step(np.array([2.0**1000, 3 * 2.0**1000])) == 2.0**1000
    assert grid_step(np.array([5e-324, 1.5e-323])) == 5e-324
    assert grid_step(np.array([2.0**53 - 1, 0.0])) == 2.0**53 - 1


@given(reals, st.integers(1, 50), st.integers(0, 5))
def test_rounding_to_the_grid_never_passes_a_multiple(value, numerator, halvings):
    step = numerator / 2**halvings
    rounded = ceil_to_grid(value, step)
    exact = Fraction(value) / Fraction(step)
    assert Fraction(rounded) / Fraction(step) <= math.ceil(exact)
    assert rounded >= value - 1e-9 * (1 + abs(value))


def test_without_a_step_or_a_number_nothing_is_rounded():
    assert ceil_to_grid(1.3, 0.0) == 1.3
    assert ceil_to_grid(-math.inf, 1.0) == -math.inf
