from __future__ import annotations

import math

import numpy as np
import pytest

from annealco.energy.schedules import SCHEDULES, cooling, temperatures
from annealco.errors import InputError

# The exponents and α of the paper's notes, written with the number of steps K that the code does without.
POWERS = {"linear": 1.0, "concave": 0.5, "convex": 3.0}


@pytest.mark.parametrize("name", POWERS)
def test_hyperbolic_schedules_are_those_of_the_paper(name: str) -> None:
    first, last, steps, power = 17.0, 0.001, 500, POWERS[name]
    alpha = ((first / last) ** (1 / power) - 1) / steps
    for k in (0, 1, 7, 250, 500):
        expected = first / (1 + alpha * k) ** power
        assert math.isclose(cooling(name, first, last)(k / steps), expected, rel_tol=1e-12)


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_begin_at_the_first_and_fall_to_the_last_temperature(name: str) -> None:
    found = temperatures(cooling(name, 9.0, 0.01), 50)
    assert found[0] == pytest.approx(9.0, rel=1e-12)
    assert np.all(np.diff(found) <= 0)
    assert found[-1] == pytest.approx(9.0 if name == "constant" else 0.01, rel=1e-12)


def test_the_geometric_schedule_has_a_constant_ratio() -> None:
    found = temperatures(cooling("geometric", 8.0, 0.5), 5)
    assert np.allclose(found[1:] / found[:-1], 0.5, rtol=1e-12)


def test_linear_means_that_the_potential_grows_at_a_constant_rate() -> None:
    steps = np.diff(1 / temperatures(cooling("linear", 8.0, 0.5), 11))
    assert np.allclose(steps, steps[0], rtol=1e-9)


@pytest.mark.parametrize("name", SCHEDULES)
def test_there_is_nothing_to_cool_from_zero(name: str) -> None:
    assert temperatures(cooling(name, 0.0), 4).tolist() == [0.0] * 4


def test_a_schedule_takes_a_temperature_a_graph() -> None:
    found = temperatures(lambda progress: SCHEDULES["linear"](progress, np.array([2.0, 4.0]), 1.0), 3)
    assert found.shape == (3, 2)
    assert found[-1].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", SCHEDULES)
def test_all_schedules_cool_as_far_as_is_allowed(name: str) -> None:
    found = temperatures(cooling(name, 1e15, 1e-85), 5)
    assert np.all(np.isfinite(found))
    assert np.all(np.diff(found) <= 0)


@pytest.mark.parametrize(
    ("name", "first", "last", "message"),
    [
        ("cubic", 1.0, 0.1, "unknown schedule 'cubic'; choose one of linear, concave"),
        ("linear", -1.0, 0.1, "first temperature must not be negative or infinite, it is -1"),
        ("linear", math.nan, 0.1, "first temperature"),
        ("linear", 1.0, 0.0, "last temperature must be above 0 and finite, it is 0"),
        ("concave", 1.0, 1e-300, "first temperature must be at most 1e\\+100 times the last, they are 1.0 and 1e-300"),
    ],
)
def test_bad_schedules_are_refused(name: str, first: float, last: float, message: str) -> None:
    with pytest.raises(InputError, match=message):
        cooling(name, first, last)
