from __future__ import annotations

import math

import pytest

from annealco.training.learning_rate import RATES


def test_decay_is_that_of_the_paper_s_network() -> None:
    rates = [RATES["decay"](epoch * 7, 700, 7) for epoch in range(100)]
    assert rates[:5] == [1.0] * 5
    assert rates[5] == 0.95
    assert rates[99] == pytest.approx(0.95**19)


def test_cosine_rises_then_falls() -> None:
    rates = [RATES["cosine"](step, 200, 10) for step in range(200)]
    top = rates.index(max(rates))
    assert top == 9
    assert rates[:10] == sorted(rates[:10])
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[105] == pytest.approx(0.5, abs=0.01)
    assert 0 < rates[-1] < 1e-3


@pytest.mark.parametrize("name", RATES)
def test_rates_of_the_shortest_run_are_positive(name: str) -> None:
    assert math.isfinite(RATES[name](0, 1, 1))
    assert RATES[name](0, 1, 1) > 0
