from __future__ import annotations

import numpy as np
import pytest
from generator_order import ORDERS, PAGE, RESULTS, Keys, best_of_8, table
from json_lines import read_lines
from reading_search import Network, Reading

HIDDEN = np.array([False, True, True, False])
KEYS: Keys = (HIDDEN, np.array([0, 0, 1, 1]), np.array([0.3, 0.2, 0.9, 0.1]))


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("shuffled", [3, 1, 0, 2]),
        ("groups in turn", [1, 0, 3, 2]),
        ("groups in turn, hidden node first", [1, 0, 2, 3]),
        ("groups in turn, hidden node last", [0, 1, 3, 2]),
    ],
)
def test_orders_number_the_nodes(order: str, expected: list[int]) -> None:
    assert ORDERS[order](KEYS).tolist() == expected


@pytest.mark.parametrize(("problem", "name"), [("mis", "rb-small"), ("clique", "rb-small-complement")])
def test_no_order_is_above_the_planted_optimum(problem: str, name: str) -> None:
    found = best_of_8(Network(Reading(width=8, num_layers=2)), problem, name, 2)
    assert set(found) == {"by probability", *ORDERS}
    assert all(((each > 0) & (each <= 1)).all() for each in found.values())


def test_the_page_has_the_table_of_the_rows() -> None:
    assert table(read_lines(RESULTS)) in PAGE.read_text(encoding="utf-8")
