"""Ratios to the best known, for values of every sign."""

import math

import numpy as np

from annealco.problems import PROBLEMS
from annealco.problems.ratios import ratios


def test_ratios_are_those_of_the_paper_for_positive_values() -> None:
    found, known = np.array([5.0, 4.0]), np.array([10.0, 4.0])
    assert ratios(PROBLEMS["mis"], found, known).tolist() == [0.5, 1.0]
    assert ratios(PROBLEMS["mds"], known, found).tolist() == [0.5, 1.0]


def test_ratios_make_sense_for_zero_negative_missing_and_better_values() -> None:
    cut = PROBLEMS["cut"]
    assert ratios(cut, np.array([0.0]), np.array([0.0])).tolist() == [1.0]
    assert ratios(cut, np.array([-4.0]), np.array([-8.0])).tolist() == [0.5]
    assert ratios(cut, np.array([math.nan]), np.array([3.0])).tolist() == [0.0]
    assert ratios(PROBLEMS["mis"], np.array([12.0]), np.array([10.0]))[0] > 1
    assert ratios(cut, np.array([9.0]), np.array([-3.0])).tolist() == [0.0]
