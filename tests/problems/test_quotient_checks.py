from dataclasses import replace

import numpy as np
import pytest

from annealco.problems import PROBLEMS, ProblemError, check_problem
from annealco.problems.quotient_checks import PRICES, sums_of
from annealco.problems.small_graphs import small_graphs

CONDUCTANCE = PROBLEMS["conductance"]
FEW = small_graphs(np.random.default_rng(0))[::3]
"""Graphs enough to see what is wrong with a mutant."""


def other_prices(change):
    """Return conductance with something else at a price."""
    return replace(CONDUCTANCE, at_price=lambda price: change(price, CONDUCTANCE.at_price(price)))


def squared(graph, nodes):
    value = CONDUCTANCE.score(graph, nodes)
    return None if value is None else value**2


def of_all_sets(price, problem):
    """Sets out of the box are feasible at a price, and worth having there."""
    return replace(problem.with_options(volume=(0, 1000)), name="boundless")


MUTANTS = {
    "another quotient": (replace(CONDUCTANCE, score=squared), "but the scores at prices say"),
    "sets without a quotient": (other_prices(of_all_sets), "has no quotient, but is better than 0 at a price"),
    "fewer sets at a price": (
        other_prices(lambda price, problem: problem.with_options(volume=(3, 4)) if price == 1 else problem),
        "has a quotient, but no score at a price",
    ),
    "the opposite price": (other_prices(lambda price, problem: CONDUCTANCE.at_price(-price)), "must be above 0"),
    "a price that does not grow": (
        other_prices(lambda price, problem: CONDUCTANCE.at_price(min(price, 0.5) * 2 if price < 1 else 1.0)),
        "is not a − price · b",
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_refused(name):
    problem, rule = MUTANTS[name]
    with pytest.raises(ProblemError, match=rule):
        check_problem(problem, FEW)


def test_a_sum_at_a_price_must_keep_its_own_contract():
    def too_cheap(price, problem):
        cheap = CONDUCTANCE.at_price(0.0).declare
        return replace(problem, declare=lambda graph, **options: cheap(graph))

    with pytest.raises(ProblemError, match="the objective of"):
        check_problem(other_prices(too_cheap), FEW)


def test_a_quotient_is_made_of_its_numerator_and_sums_at_prices():
    numerator, *priced = sums_of(CONDUCTANCE, CONDUCTANCE.at_price)
    assert numerator.at_price is None
    assert [each.option_values["price"] for each in priced] == list(PRICES)
