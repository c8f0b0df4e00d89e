from __future__ import annotations

import json
from itertools import product

import pytest

from annealco.datasets import DATASETS
from annealco.errors import InputError
from annealco.experiments.scale import LAPTOP, PAPER, SCALES, SMOKE, Scale, find_scale
from annealco.experiments.tables import CLIQUE, CUT, MDS, MIS
from annealco.models import build_model

TABLES = (MIS, CLIQUE, MDS, CUT)


@pytest.mark.parametrize("scale", SCALES.values(), ids=list(SCALES))
def test_every_table_finds_its_numbers(scale: Scale) -> None:
    json.dumps(scale.as_json())
    for table in TABLES:
        for learner, data in product(table.learners, table.sets):
            amount = scale.amount(learner.model, data)
            assert min(amount.graphs, amount.epochs) >= 1
            build_model(learner.model, **{**learner.settings, **amount.settings})
    assert set(scale.figure) == {"erdos", "field"}
    assert (set(scale.samples) | set(scale.cut_samples)) <= set(DATASETS)


def test_small_scales_name_every_set_and_smoke_repeats() -> None:
    for scale in (SMOKE, LAPTOP):
        assert {data for table in (MIS, CLIQUE, MDS) for data in table.sets} == set(scale.samples)
        assert set(CUT.sets) == set(scale.cut_samples)
    assert SMOKE.moves is not None
    assert not SMOKE.exact
    assert SMOKE.skips_absent
    assert not LAPTOP.skips_absent


def test_paper_has_the_paper_s_numbers() -> None:
    assert (PAPER.table["erdos"].graphs, PAPER.table["erdos"].epochs) == (2000, 500)
    assert (PAPER.distance_seeds, PAPER.beta_seeds) == (20, 5)
    assert PAPER.seconds == (0.5, 1.0)
    assert PAPER.cut_seconds == (10.0,)
    assert not PAPER.samples
    assert not PAPER.table["erdos"].settings


def test_a_set_may_have_an_amount_of_its_own() -> None:
    assert SMOKE.amount("erdos", "facebook") != SMOKE.amount("erdos", "twitter") == SMOKE.table["erdos"]
    assert find_scale("smoke") is SMOKE
    with pytest.raises(InputError, match="unknown scale 'huge'; choose one of smoke, laptop, paper"):
        find_scale("huge")
