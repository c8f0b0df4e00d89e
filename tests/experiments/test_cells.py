from __future__ import annotations

import re
from pathlib import Path

import pytest

from annealco.evaluation.bench_rows import read_rows
from annealco.evaluation.row_fields import NUMBER
from annealco.experiments.cells import FILE, plan_cells, read_cells, read_networks, write_cell
from annealco.experiments.figure import cell
from annealco.experiments.learners import FIELD
from annealco.experiments.run_folder import RunFolder
from annealco.graph.errors import GraphFileError
from tests.experiments.tiny import TINY


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path, name="beta", scale=TINY)


def test_a_cell_is_a_trained_network_its_rows_and_one_line(folder: RunFolder) -> None:
    one = cell(folder, FIELD, "mis", "regular-small", facts={"tau0": 0.5, "seed": 3}, tau0=0.5)
    [step] = plan_cells(folder, [one])
    assert step.what.startswith("mis-field-tau0-0.5-seed-3")
    step.work()
    [line] = read_networks(folder, [one])
    facts = {"cell": one.network.name, "problem": "mis", "data": "regular-small", "learner": "field", "seed": 3}
    assert facts.items() <= line.items()
    [row] = read_rows(folder.path / "rows.jsonl")
    assert row["method"].startswith(f"annealed={one.network.name}#")
    assert row["feasible"]
    assert (line["graphs"], line["feasible"]) == (1, 1.0)
    assert 0 < line["ratio"] <= 1
    assert line["distance"] > 0
    place = folder.network(one.network.name)
    assert (place / "model.json").exists()
    assert not (place / "state.json").exists()
    assert plan_cells(folder, [one]) == []


FACTS = {"a": {"beta": 0.5}, "b": {"beta": 2.0}}
FIELDS = {"ratio": NUMBER}


def test_lines_are_read_each_once_and_damage_is_told(folder: RunFolder) -> None:
    assert read_cells(folder, FACTS, FIELDS) == []
    for ratio in (0.5, 0.75):
        write_cell(folder, {"cell": "a", "beta": 0.5, "ratio": ratio})
    with (folder.path / FILE).open("a") as file:
        file.write('{"cell": "b", "rat')
    assert read_cells(folder, FACTS, FIELDS) == [{"cell": "a", "beta": 0.5, "ratio": 0.5}]
    write_cell(folder, {"cell": "b", "beta": 2.0, "ratio": 1})
    assert [row["cell"] for row in read_cells(folder, FACTS, FIELDS)] == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("[]", ": it is no object"),
        ("{", ""),
        ("[" * 100_000, ""),
        ('{"beta": 0.5}', ": cell is missing"),
        ('{"cell": "c", "beta": 0.5, "ratio": 1}', ": cell must be one of its cells"),
        ('{"cell": ["a"], "beta": 0.5, "ratio": 1}', ": cell must be one of its cells"),
        ('{"cell": "a", "ratio": 1}', ": beta must be 0.5"),
        ('{"cell": "a", "beta": "x", "ratio": 1}', ": beta must be 0.5"),
        ('{"cell": "a", "beta": 0.5}', ": ratio is missing"),
        ('{"cell": "a", "beta": 0.5, "ratio": "six"}', ": ratio must be a number"),
    ],
)
def test_a_damaged_line_is_told_with_its_number_and_field(folder: RunFolder, line: str, rule: str) -> None:
    write_cell(folder, {"cell": "a", "beta": 0.5, "ratio": 0.5})
    with (folder.path / FILE).open("a") as file:
        file.write(f"{line}\n")
    write_cell(folder, {"cell": "b", "beta": 2.0, "ratio": 0.5})
    expected = re.escape(f"cells.jsonl:2: this is no cell of this figure, or it is damaged{rule}")
    with pytest.raises(GraphFileError, match=f"{expected}$"):
        read_cells(folder, FACTS, FIELDS)
