from __future__ import annotations

from pathlib import Path

import field_tables
import pytest
from field_tables import CELLS, ER_SET, KINDS, RESULTS, Cell, identity, is_of, measure, references, table, test_graphs
from json_lines import read_lines

from annealco.problems import PROBLEMS

DOCUMENT = Path(__file__).parents[2] / "docs" / "models.md"
TINY = field_tables.Budget(restarts=2, steps=4, round_steps=2, fresh=0.3)
test_graphs.__test__ = False  # type: ignore[attr-defined]


def row(cell: Cell, kind: str, graph: int, value: float) -> dict:
    return {"cell": cell.name, "kind": kind, **identity(cell, kind), "graph": graph, "value": value, "cpu": 0.25}


def test_rows_that_are_there_are_not_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = CELLS[0]._replace(budget=TINY, seconds=0.01)
    there = row(cell, "network", 0, 20.0)
    found = list(measure([cell], ["network", "search"], [there], most=2))
    assert [(each["kind"], each["graph"]) for each in found] == [("network", 1), ("search", 0), ("search", 1)]
    graphs = test_graphs(cell.data, 2)
    assert all(0 < each["value"] <= graphs.graph_data["planted_size"][each["graph"]] for each in found)
    assert all(is_of(each, cell, each["kind"]) for each in found)
    assert not is_of(found[0], cell._replace(budget=TINY._replace(steps=5)), "network")
    assert not is_of({**found[0], "network": "other"}, cell, "network")


def test_the_table_has_graphs_that_were_solved_in_all_ways_and_their_best_known_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    [cell] = [each for each in CELLS if each.name == "mds ba-small"]
    monkeypatch.setattr(field_tables, "references", lambda *_: {0: 30.0, 1: 25.0})
    rows = [row(cell, kind, 0, value) for kind, value in zip(KINDS, (40.0, 30.0, 30.0), strict=True)]
    rows += [row(cell, kind, 1, 20.0) for kind in KINDS] + [row(cell, "network", 2, 99.0)]
    [shown] = table(rows).splitlines()[2:]
    figures = "30.00, 0.8750 (0.25 s) | ≥ 0.999 | 25.00, 1.0000 (0.25 s) | 25.00, 1.0000 (0.25 s)"
    assert shown == f"| mds | ba-small | 2 | 25.00 | 27.90 | Gurobi 27.84 | {figures} |"


def test_references_are_planted_or_of_the_package_and_er_graphs_are_the_same_each_time() -> None:
    cells = {cell.name: cell for cell in CELLS}
    planted = references(cells["mis rb-small"], 2)
    assert list(planted) == [0, 1]
    assert planted[0] == test_graphs("rb-small", 1).graph_data["planted_size"][0]
    assert references(cells["mis rb-small-unforced"], 1)[0] == 15
    assert references(cells[f"mis {ER_SET}"], 1) == {}
    one, two = test_graphs(ER_SET, 2), test_graphs(ER_SET, 1)
    assert one[0].equals(two[0])
    assert 700 <= two.num_nodes <= 800


def test_cells_are_of_problems_that_are_there_and_the_document_has_the_table() -> None:
    assert {cell.problem for cell in CELLS} <= set(PROBLEMS)
    assert table(read_lines(RESULTS)) in DOCUMENT.read_text()
