"""The normal closed form against its integral."""

import numpy as np
import pytest

from annealco.search.normal_sums import expected_outside


def test_expected_outside_of_a_normal_is_its_integral():
    rng = np.random.default_rng(0)
    draws = rng.normal(3.0, 2.0, 2_000_000)
    plain = (np.maximum(draws - 4.0, 0) + np.maximum(2.5 - draws, 0)).mean()
    assert expected_outside(3.0, 4.0, 2.5, 4.0) == pytest.approx(plain, abs=5e-3)
    assert expected_outside(7.0, 0.0, 2.5, 4.0) == 3.0
    assert expected_outside(1e6, 1e-18, 2.5, 4.0) == pytest.approx(1e6 - 4.0)
