from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from annealco.graph.formats.lines import edge_lines, number_text
from annealco.graph.graph import Graph
from tests.graph.formats.strategies import ANY_WEIGHT

PATH = Graph.from_edges([[0, 1], [1, 2]], edge_weight=[0.1, 4])


@given(ANY_WEIGHT)
def test_numbers_come_back(value: float) -> None:
    assert float(number_text(value)) == value
    assert len(number_text(value)) <= len(repr(value))


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1"), (-3.0, "-3"), (0.5, "0.5"), (1e16, "1e+16"), (123456789.0, "123456789")]
)
def test_integers_are_written_as_such(value: float, text: str) -> None:
    assert number_text(value) == text


def test_weights_are_written_unless_all_are_one() -> None:
    names = np.array([7, 8, 9])
    assert edge_lines(PATH, names) == "7 8 0.1\n8 9 4\n"
    assert edge_lines(PATH.with_weights(edge_weight=[1, 1]), names, prefix="e ") == "e 7 8\ne 8 9\n"
    assert edge_lines(PATH, names, larger_first=True) == "8 7 0.1\n9 8 4\n"
    assert edge_lines(Graph.from_edges([], 3), names) == ""
