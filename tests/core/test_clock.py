"""Budgets of compiled work, its random numbers and its functions."""

import numpy as np
import pytest
from scipy import special

from annealco import _core


def test_a_clock_is_over_once_a_stop_is_asked_for():
    stop = _core.StopFlag()
    clock = _core.Clock(stop=stop)
    assert not clock.is_over
    stop.set()
    assert stop.is_set()
    assert clock.is_over


def test_no_time_at_all_is_over_at_once():
    assert _core.Clock(seconds=0.0).is_over
    assert not _core.Clock(moves=0).is_over


def test_random_numbers_depend_on_the_seed_alone_and_are_even():
    drawn = _core.random_numbers(7, 100_000, 10)
    assert np.array_equal(drawn, _core.random_numbers(7, 100_000, 10))
    assert not np.array_equal(drawn, _core.random_numbers(8, 100_000, 10))
    # Four standard deviations of a count of 10,000.
    assert np.abs(np.bincount(drawn, minlength=10) - 10_000).max() < 4 * 95


@pytest.mark.parametrize(
    ("column", "expected", "low", "high", "error"),
    [
        (0, np.exp, -700, 700, 4e-16),
        (1, np.log1p, -0.999, 1000, 4e-16),
        (1, np.log1p, -1e-12, 1e-12, 4e-16),
        (2, special.erfc, -6, 26, 3e-13),
    ],
)
def test_functions_are_as_exact_as_a_library_s(column, expected, low, high, error):
    values = np.random.default_rng(0).uniform(low, high, 20_000)
    np.testing.assert_allclose(_core.portable_values(values)[:, column], expected(values), rtol=error)


def test_functions_at_their_ends():
    found = _core.portable_values(np.array([0.0, -800.0, 800.0]))
    assert found[:, 0].tolist() == [1.0, 0.0, np.inf]
    assert found[0].tolist() == pytest.approx([1.0, 0.0, 1.0], rel=1e-15)
