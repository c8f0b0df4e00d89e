from __future__ import annotations

from pathlib import Path

import pytest

from annealco.evaluation.bench_rows import read_rows
from annealco.experiments.cells import FILE, done_cells, plan_cells, read_cells, write_cell
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
    [line] = read_cells(folder)
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


def test_lines_are_read_each_once_and_damage_is_told(folder: RunFolder) -> None:
    assert read_cells(folder) == []
    for ratio in (0.5, 0.75):
        write_cell(folder, {"cell": "a", "ratio": ratio})
    with (folder.path / FILE).open("a") as file:
        file.write('{"cell": "b", "rat')
    assert read_cells(folder) == [{"cell": "a", "ratio": 0.5}]
    assert done_cells(folder) == {"a"}
    write_cell(folder, {"cell": "b"})
    assert done_cells(folder) == {"a", "b"}
    with (folder.path / FILE).open("a") as file:
        file.write("[]\n")
    with pytest.raises(GraphFileError, match=r"cells\.jsonl:4: this is no cell of a figure"):
        read_cells(folder)
