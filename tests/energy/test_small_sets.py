"""Sets written out as pairs have the same values."""

import numpy as np
import pytest

from annealco.energy import Cover, Energy
from annealco.energy.small_sets import expand, is_quadratic

PTR = np.array([0, 3, 3, 6])


def test_values_are_those_of_the_sets():
    rng = np.random.default_rng(0)
    term = Cover(PTR, np.array([0, 2, 3, 5, 7]), np.array([0, 2, 1, 4, 3, 5, 4]), rng.normal(size=4))
    linear, pairs, constant = expand(term)
    assert is_quadratic(term)
    bits = np.array(np.meshgrid(*[[0, 1]] * 6)).reshape(6, -1).T
    expected = Energy(PTR, (linear, pairs)).value(bits) + constant
    assert term.value(bits) == pytest.approx(expected)
    assert pairs.pairs.tolist() == [[0, 4, 5], [2, 3, 4]]


def test_larger_sets_are_not_quadratic_and_none_at_all_is():
    assert not is_quadratic(Cover(PTR, np.array([0, 3]), np.array([0, 1, 2]), np.ones(1)))
    empty = Cover(PTR, np.array([0]), np.zeros(0, np.int32), np.zeros(0))
    assert is_quadratic(empty)
    assert expand(empty).constant.tolist() == [0.0, 0.0, 0.0]
