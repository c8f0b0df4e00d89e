from __future__ import annotations

import inspect
import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from annealco.datasets import DATASETS
from annealco.energy.schedules import cooling, temperatures
from annealco.errors import InputError
from annealco.experiments.networks import Network
from annealco.experiments.scale import LAPTOP, PAPER, SCALES, SMOKE, Reading, Sample, Scale, find_scale
from annealco.experiments.tables import CLIQUE, CUT, MDS, MIS
from annealco.models import build_model
from annealco.training.train import train

TABLES = (MIS, CLIQUE, MDS, CUT)


@pytest.mark.parametrize("scale", SCALES.values(), ids=list(SCALES))
def test_every_table_finds_its_numbers(scale: Scale) -> None:
    json.dumps(scale.as_json())
    for table in TABLES:
        for learner, data in product(table.learners, table.sets):
            amount = scale.amount(learner.model, data)
            assert min(amount.graphs, amount.epochs, amount.seeds) >= 1
            reading = scale.reading(learner.model, table.problem)
            assert (learner.model == "erdos") == (reading != Reading())
            network = Network("a", table.problem, data, learner, amount, reading)
            build_model(learner.model, **network.settings)
            assert set(reading.options) <= set(inspect.signature(train).parameters)
    assert {name.partition("@")[0] for name in scale.figure} == {"erdos", "field"}
    assert (set(scale.samples) | set(scale.cut_samples)) <= set(DATASETS)


def test_every_set_is_named_and_smoke_repeats() -> None:
    for scale in SCALES.values():
        assert {data for table in (MIS, CLIQUE, MDS) for data in table.sets} == set(scale.samples)
        assert set(CUT.sets) == set(scale.cut_samples)
    assert SMOKE.moves is not None
    assert not SMOKE.exact
    assert SMOKE.skips_absent
    assert not LAPTOP.skips_absent


def test_paper_has_the_paper_s_numbers_where_two_cores_can() -> None:
    rb, others = PAPER.amount("erdos", "rb-small"), PAPER.amount("erdos", "ba-small")
    assert (rb.graphs, rb.epochs) == (2000, 500)
    assert (others.graphs, others.epochs, others.seeds) == (2000, 100, 3)
    assert (PAPER.distance_seeds, PAPER.beta_seeds) == (20, 5)
    for name, sample in PAPER.samples.items():
        assert (sample.limit, sample.every) == (None, 1)
        assert sample.slow == Sample(10 if "large" in name else 50)
    assert not PAPER.own_networks
    for reading in PAPER.readings.values():
        assert (reading.settings["width"], reading.options["batch_size"]) in {(64, 8), (64, 32)}


def above(scale: Scale, steps_an_epoch: int, temperature: float = 1.0) -> float:
    """The share of the steps above a temperature, from the Lipschitz constant 100."""
    epochs, how = scale.amount("erdos", "rb-small").epochs, scale.annealing
    total = epochs if how["anneal_by"] == "epoch" else epochs * steps_an_epoch
    return float(np.mean(temperatures(cooling(how["schedule"], 100.0), total) > temperature))


def test_a_short_training_cools_slowly_enough_to_be_hot() -> None:
    # The paper's schedule is hot for one epoch of however many.
    assert above(PAPER, 250) == 1 / 500
    assert above(replace(LAPTOP, annealing=PAPER.annealing), 63) == 1 / 40
    assert above(LAPTOP, 63) == pytest.approx(0.4, abs=0.01)
    # Between 1 and 0.1, where probabilities get decided, the paper has some epochs, and this a fifth of all.
    assert above(LAPTOP, 63, 0.1) - above(LAPTOP, 63) == pytest.approx(0.2, abs=0.01)


def test_scales_say_what_their_numbers_do_not_tell() -> None:
    assert "mean nothing" in SMOKE.caution
    assert "no test of the paper's schedule" in LAPTOP.caution
    assert all(scale.caution.endswith(".") for scale in SCALES.values())


def test_a_set_may_have_an_amount_of_its_own() -> None:
    assert SMOKE.amount("erdos", "facebook") != SMOKE.amount("erdos", "twitter") == SMOKE.table["erdos"]
    assert PAPER.figure_amount("field", "twitter") != PAPER.figure_amount("field", "ba-small") == PAPER.figure["field"]
    assert find_scale("smoke") is SMOKE
    with pytest.raises(InputError, match="unknown scale 'huge'; choose one of smoke, laptop, paper"):
        find_scale("huge")
