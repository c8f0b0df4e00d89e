from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from json_lines import read_lines
from model_ablation import RESULTS, SETS, WAYS, Way, is_of, measure, refine, table, weights_of
from model_quality import CELLS, Cell

from annealco.graph.graph import Graph
from annealco.models.compiled_field import DEFAULTS
from annealco.problems import PROBLEMS

DOCUMENT = Path(__file__).parents[2] / "docs" / "design-notes" / "models.md"


def row(name: str, way: Way, ratio: float = 0.9) -> dict:
    network = weights_of(name.split(maxsplit=1)[0])
    return {"set": name, "network": network, **way._asdict(), "ratio": ratio, "cpu": 0.25, "graphs": SETS[name]}


def test_a_way_is_measured_on_validation_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SETS, "mis rb-small", 2)
    ways = [Way("short", restarts=1, steps=4), Way("rounds", restarts=2, steps=8, round_steps=4, refined=True)]
    found = list(measure("mis rb-small", ways))
    assert [each["title"] for each in found] == ["short", "rounds"]
    assert all(0.5 < each["ratio"] <= 1 and each["graphs"] == 2 for each in found)
    assert is_of(found[0], "mis rb-small", ways[0])
    assert not is_of(found[0], "mis rb-small", ways[1])
    assert (DEFAULTS.round_steps, DEFAULTS.fresh) == (64, 0.3)


def test_refining_lowers_the_energy_of_an_undecided_start() -> None:
    star = Graph.from_edges([[0, 0, 0], [1, 2, 3]], 4)
    instance = PROBLEMS["mis"].declare(star)
    logits = refine(instance, np.array([[0.5, 0.0, 0.0, 0.0]], dtype=np.float32))
    assert logits[0, 0] < 0
    assert logits[0, 1:].min() > 0


def test_rows_of_networks_before_and_of_other_graphs_do_not_count() -> None:
    way = WAYS[0]
    shown = table([{**row("mis rb-small", way, 0.8), "network": "#0000"}, row("mis rb-small", way, 0.95)])
    assert shown.splitlines()[2] == f"| {way.title} | 0.9500 (0.25 s) |"
    assert table([{**row("mis rb-small", way), "network": "#0000"}]).count("\n") == 1
    assert table([{**row("mis rb-small", way), "graphs": 3}]).count("\n") == 1


def test_the_document_has_the_table_of_the_rows() -> None:
    assert table(read_lines(RESULTS)) in DOCUMENT.read_text()


ONE_NODE = 0.003
"""What one node more in one of 20 sets of about 18 nodes is worth."""

LARGE = {"rb-large", "rb-large-complement", "ba-large"}


@pytest.mark.parametrize("cell", [each for each in CELLS if each.problem != "conductance"], ids=lambda each: each.name)
def test_cells_have_the_budget_that_is_best_on_validation_graphs_of_their_size(cell: Cell) -> None:
    """Sets that were not measured have that of all others of their size; one node of one of 20 graphs is no matter."""
    rows, is_large = read_lines(RESULTS), cell.data in LARGE
    for name in [cell.name] if cell.name in SETS else [each for each in SETS if (each.split()[1] in LARGE) == is_large]:
        ratios = {way: row["ratio"] for way in WAYS for row in rows if is_of(row, name, way)}
        assert len(ratios) == len(WAYS)
        own = max(ratio for way, ratio in ratios.items() if (way.restarts, way.steps) == (cell.restarts, cell.steps))
        assert own > max(ratios.values()) - ONE_NODE
