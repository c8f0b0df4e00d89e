from __future__ import annotations

import numpy as np
from stopping import SETTINGS, STOPPED, draw, measure, memory_table, table, verdicts

from tests.budgets import FAR


def test_graphs_are_measured_and_told() -> None:
    graphs = draw(3, np.random.default_rng(0))
    found = measure(graphs, {"time_limit": FAR, "moves": 1_000, "patience": SETTINGS[STOPPED]["patience"]})
    assert found["trivial"] == 0
    assert 80 < found["mean"] < found["worst_bound"] < 110
    rows = [{"settings": name, "graphs": 3} | found for name in SETTINGS]
    assert "| 0.02 s, patience 20% | 3 |" in table(rows)


def test_goals_are_held_against_the_reference() -> None:
    slow = {"mean": 89.0, "wall": 250.0, "kept": 1.0, "trivial": 0}
    worse = {"mean": 88.9, "wall": 100.0, "kept": 0.9, "trivial": 1}
    assert all(text.endswith("(met)") for text in verdicts(slow, slow | {"wall": 50.0}))
    assert all(text.endswith("(not met)") for text in verdicts(slow, worse))


def test_memory_that_grows_is_told() -> None:
    rows = [{"graphs": 1_000, "memory": 100 * 2**20}, {"graphs": 10_000, "memory": 105 * 2**20}]
    assert memory_table(rows).endswith("(met)")
    assert memory_table([*rows, {"graphs": 100_000, "memory": 200 * 2**20}]).endswith("(not met)")
