from __future__ import annotations

import inspect

import pytest

from annealco.baselines.learned import LEARNED
from annealco.experiments import learners
from annealco.experiments.learners import ERDOS_KL, FIELD, L1, PAPER, PAPERS_SCHEDULE, Learner
from annealco.models import build_model
from annealco.training.losses import LOSSES
from annealco.training.train import train

ALL = [each for each in vars(learners).values() if isinstance(each, Learner)]


@pytest.mark.parametrize("learner", ALL, ids=lambda each: each.name)
def test_each_is_a_network_that_can_be_built_trained_and_used(learner: Learner) -> None:
    network = build_model(learner.model, **learner.settings)
    assert set(learner.options) <= set(inspect.signature(train).parameters)
    loss = learner.options.get("loss", network.loss)
    for way in learner.ways:
        assert not LEARNED[way].losses or loss in LEARNED[way].losses
        # What is used as without annealing must be trained so.
        assert LEARNED[way].annealed or not LOSSES[loss].annealed


def test_the_paper_s_is_the_network_of_its_baseline_with_its_own_schedule() -> None:
    assert PAPER.model == ERDOS_KL.model == L1.model == "erdos"
    assert PAPERS_SCHEDULE["schedule"] == "linear"
    assert PAPERS_SCHEDULE["tau0"] == "auto"
    assert PAPER.is_published
    assert not FIELD.is_published
