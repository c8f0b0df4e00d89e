from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from annealco.graph.errors import InputError
from annealco.training.recipe import Recipe, difference

RECIPE = Recipe("mis", {}, "tiny", {}, tau0=10.0, epochs=5, learning_rate=0.5)


def test_the_temperature_falls_from_the_first_epoch_to_the_last() -> None:
    found = [RECIPE.temperature(epoch, step, 3) for epoch in range(5) for step in range(3)]
    # τ0 / (1 + αk) with α = (τ0/τ_K − 1) / K, k from 0 to K = 4.
    alpha = (10.0 / 0.001 - 1) / 4
    assert found == pytest.approx([10.0 / (1 + alpha * epoch) for epoch in range(5) for _ in range(3)])


def test_it_falls_from_step_to_step_where_asked() -> None:
    found = [replace(RECIPE, anneal_by="step").temperature(epoch, step, 3) for epoch in range(5) for step in range(3)]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 15
    assert (found[0], found[-1]) == (10.0, pytest.approx(0.001))


def test_a_run_of_one_epoch_is_at_the_first_temperature() -> None:
    assert replace(RECIPE, epochs=1).temperature(0, 0, 3) == 10.0


def test_the_learning_rate_decays() -> None:
    assert RECIPE.learning_rate_of(4, 2, 3) == 0.5
    assert replace(RECIPE, epochs=9).learning_rate_of(5, 0, 3) == 0.5 * 0.95


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"epochs": 0}, "the epochs must be at least 1, it is 0"),
        ({"batch_size": 0}, "the batch size must be at least 1"),
        ({"samples": 0}, "the samples must be at least 1"),
        ({"samples": 10**21}, "the samples must be at most 65536"),
        ({"validation_restarts": 10**21}, "the validation restarts must be at most 65536"),
        ({"learning_rate": 1e300}, "the learning rate must be above 0 and at most 1e\\+30"),
        ({"learning_rate": 0.0}, "the learning rate must be above 0"),
        ({"learning_rate": math.nan}, "the learning rate must be above 0"),
        ({"clip": -1.0}, "the clip must be above 0"),
        ({"penalty_scale": -0.1}, "the penalty scale must not be negative"),
        ({"penalty_scale": 1e38}, "the penalty scale must not be negative and at most 1e\\+15, it is 1e\\+38"),
        ({"tau0": 1e38}, "the tau0 must be at most 1e\\+15, it is 1e\\+38"),
        ({"tau0": 1.0, "tau_last": 1e-300}, "the first temperature must be at most 1e\\+100 times the last"),
        ({"seed": -1}, "the seed must be 0 to"),
        ({"early_stop": 0}, "the early stop must be at least 1"),
        ({"schedule": "cubic"}, "unknown schedule 'cubic'; choose one of linear"),
        ({"rate": "step"}, "unknown rate 'step'; choose one of decay, cosine, constant"),
        ({"anneal_by": "batch"}, "unknown annealing by 'batch'; choose one of epoch, step"),
        ({"tau0": -1.0}, "first temperature must not be negative"),
        ({"loss": "mse"}, "unknown loss 'mse'; choose one of energy, kl"),
        ({"loss": "kl"}, "loss 'kl' is not annealed: tau0 must be auto or 0, it is 10.0"),
        ({"tau_last": 0.0}, "last temperature must be above 0"),
    ],
)
def test_bad_recipes_are_refused(entries: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(RECIPE, **entries)


def test_recipes_differ_by_the_first_thing_that_does() -> None:
    old = json.loads(json.dumps(replace(RECIPE, data={"source": ["x" * 90], "seed": 3}).as_json()))
    assert difference(old, replace(RECIPE, data={"source": ["x" * 90], "seed": 3}).as_json()) is None
    other = replace(RECIPE, data={"source": ["x" * 90], "seed": 4}).as_json()
    assert difference(old, other) == "data seed was 3 and is now 4"
    assert difference({**old, "spread": 1}, {**other, "data": old["data"]}) == "spread was 1 and is now None"
