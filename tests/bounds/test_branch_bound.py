import math

import numpy as np
import pytest
from hypothesis import given, settings

from annealco.bounds.branch_bound import demands_of, prove_by_branching
from annealco.bounds.cutting_plane import SetList
from annealco.bounds.slack import Slack
from tests.bounds.references import least_cover, ledger
from tests.bounds.test_branching import as_demands, covers


def prove(case, book, constant=0.0):
    demands = as_demands(*case)
    return prove_by_branching(
        demands,
        np.zeros(len(demands.demand)),
        book,
        constant=constant,
        offer=lambda cost: book.offer(cost, "branching"),
    )


@given(covers())
@settings(max_examples=60)
def test_levels_rise_to_the_optimum_and_no_further(case):
    book = ledger(step=1.0)
    book.offer(0.0, "start")
    assert prove(case, book)
    assert book.cost == least_cover(*case)


@given(covers())
@settings(max_examples=30)
def test_a_known_optimum_is_proven_also_with_weights_off_any_grid(case):
    weight, sets, demand = case
    weight = weight * math.pi / 3
    best = least_cover(weight, sets, demand)
    book = ledger(target=best + 2.0, slack=Slack(share=len(weight) * 1e-15))
    book.offer(2.0, "start")
    prove((weight, sets, demand), book, constant=2.0)
    assert book.closed
    assert book.cost <= best + 2.0


def test_a_target_that_is_too_low_ends_the_search_at_the_target():
    book = ledger(step=1.0, target=2.0)
    book.offer(0.0, "start")
    prove((np.ones(6), [[0, 1], [2, 3], [4, 5]], [1, 1, 1]), book)
    assert book.cost == 2.0


def test_rows_of_nodes_and_nodes_of_rows_agree():
    demands = demands_of(
        np.ones(4), SetList(np.array([0, 2, 5]), np.array([1, 3, 0, 1, 2], np.int32)), np.array([1, 2])
    )
    rows = [demands.node_row[demands.node_start[i] : demands.node_start[i + 1]].tolist() for i in range(4)]
    assert rows == [[1], [0, 1], [1], [0]]


def test_no_time_proves_nothing():
    book = ledger(seconds=0.0, step=1.0)
    book.offer(0.0, "start")
    assert not prove((np.ones(2), [[0, 1]], [1]), book)
    assert book.cost == pytest.approx(0.0)
