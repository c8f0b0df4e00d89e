import pytest

from annealco.graph.errors import InputError
from annealco.problems import PROBLEMS
from annealco.training.trainable import trainable_problem
from tests.search.quotients import DENSEST


def test_problems_are_found_by_name_or_given():
    assert trainable_problem("mis") is PROBLEMS["mis"] is trainable_problem(PROBLEMS["mis"])
    for unknown in ("tsp", None, 3):
        with pytest.raises(InputError, match=r"unknown problem .*; choose one of mis, "):
            trainable_problem(unknown)


def test_a_quotient_is_refused_with_what_to_train_instead():
    with pytest.raises(InputError, match=r"^conductance is a quotient, which no network learns: train cut, whose"):
        trainable_problem("conductance")
    with pytest.raises(InputError, match=r"train edges at a price, whose"):
        trainable_problem(DENSEST)
