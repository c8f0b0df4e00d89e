from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.training.recipe import Sizes, difference, measure_sizes, schedule_ends, units
from annealco.training.settings import RATES
from tests.training.small_runs import new_recipe

RECIPE = new_recipe()


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


STAR = Graph.from_edges([[0, 0, 0, 0], [1, 2, 3, 4]])
SIZES = Sizes(lipschitz=40.0, unit=2.0)


def test_sizes_of_sets_are_the_weight_of_a_node_and_of_the_busiest_one_s_penalties() -> None:
    heavy = STAR.with_weights(node_weight=np.full(5, 3.0))
    # The centre of a star costs 4 penalties less its own weight.
    assert measure_sizes([PROBLEMS["mis"].declare(STAR)], 1.0) == (3.0, 1.0)
    assert measure_sizes([PROBLEMS["mis"].declare(heavy), PROBLEMS["mis"].declare(STAR)], 1.0) == (9.0, 2.0)
    assert measure_sizes([PROBLEMS["mis"].declare(STAR)], 2.0).lipschitz == 7.0


def test_the_unit_of_cuts_is_the_weight_of_a_node_s_edges() -> None:
    assert measure_sizes([PROBLEMS["max_cut"].declare(STAR)], 1.0).unit == pytest.approx((4 + 4) / 5)


def test_every_graph_has_its_own_unit() -> None:
    heavy = STAR.with_weights(node_weight=np.full(5, 3.0))
    batch = Graph.from_edges(np.zeros((2, 0), int), 0)
    assert units(PROBLEMS["mis"].declare(Graph.batch([heavy, batch, STAR]))).tolist() == [3.0, 1.0, 1.0]


def test_graphs_without_nodes_have_sizes_too() -> None:
    empty = PROBLEMS["mis"].declare(Graph.from_edges(np.zeros((2, 0), int), 0))
    assert measure_sizes([empty], 1.0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("unit", "auto", (0.5, 0.02)),
        ("unit", 0.1, (0.5, 0.1)),
        ("auto", 0.002, (40.0, 0.002)),
        ("auto", "auto", (40.0, 0.001)),
        (0.25, "auto", (0.25, 0.01)),
        (3.0, 0.5, (3.0, 0.5)),
    ],
)
def test_ends_are_numbers_or_in_units(first: float | str, last: float | str, expected: tuple[float, float]) -> None:
    assert schedule_ends(first, last, SIZES) == pytest.approx(expected)  # type: ignore[arg-type]


def test_no_annealing_still_has_a_last_temperature() -> None:
    assert schedule_ends(0.0, "auto", SIZES)[0] == 0.0
    assert 0 < schedule_ends(0.0, "auto", SIZES)[1] < math.inf


@pytest.mark.parametrize(("first", "last", "name"), [("hot", 1.0, "tau0"), (1.0, "cold", "tau_last")])
def test_other_words_are_refused(first: float | str, last: float | str, name: str) -> None:
    with pytest.raises(InputError, match=f"{name} must be a number or"):
        schedule_ends(first, last, SIZES)  # type: ignore[arg-type]


def test_added_epochs_are_a_leg_of_their_own() -> None:
    longer = replace(RECIPE, epochs=8, legs=(5,), rate="cosine", anneal_by="step")
    first = replace(RECIPE, rate="cosine", anneal_by="step")
    places = [(epoch, step, 3) for epoch in range(8) for step in range(3)]
    for place in places[:15]:
        assert longer.temperature(*place) == first.temperature(*place)
        assert longer.learning_rate_of(*place) == first.learning_rate_of(*place)
        assert longer.progress(*place) == first.progress(*place) < 1
    assert [longer.temperature(*place) for place in places[15:]] == pytest.approx([0.001] * 9)
    alone = replace(first, epochs=3)
    rates = [longer.learning_rate_of(*place) for place in places[15:]]
    assert rates == [alone.learning_rate_of(*place) for place in places[:9]]
    assert {longer.progress(*place) for place in places[15:]} == {1.0}
    assert [longer.leg(epoch) for epoch in (0, 4, 5, 7)] == [(0, 5), (0, 5), (5, 8), (5, 8)]
