from __future__ import annotations

import math

import numpy as np
import pytest

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.training.temperature import Sizes, measure_sizes, schedule_ends, units

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
