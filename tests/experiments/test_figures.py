from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from annealco.errors import GraphFileError, InputError
from annealco.evaluation.bench.rows import NUMBER, read_rows
from annealco.experiments import figures as module
from annealco.experiments.beta import BETA, BETAS
from annealco.experiments.distance import DISTANCE
from annealco.experiments.figures import FIELDS as FIGURE_FIELDS
from annealco.experiments.figures import (
    FILE,
    LEARNERS,
    cell,
    mean_and_deviation,
    plan_cells,
    read_cells,
    read_networks,
    select_cells,
    write_cell,
)
from annealco.experiments.networks import FIELD
from annealco.experiments.run_folder import RunFolder
from tests.experiments.tiny import TINY, TINY_FIGURE


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path, name="tiny", scale=TINY)


def test_both_networks_are_in_every_figure() -> None:
    assert [each.name for each in LEARNERS] == ["erdos", "field"]


def test_a_cell_is_named_by_what_tells_it_from_others(folder: RunFolder) -> None:
    found = cell(folder, FIELD, "mds", "ba-small", facts={"beta": 0.25, "seed": 4}, penalty_scale=0.25)
    assert found.network.name == "mds-field-beta-0.25-seed-4"
    assert (found.network.options, found.network.seed) == ({"penalty_scale": 0.25}, 4)
    assert found.network.amount == TINY.figure["field"]
    assert found.facts["learner"] == "field"


def test_rows_are_selected_and_summed_up() -> None:
    rows = [{"a": 1, "ratio": 0.5}, {"a": 1, "ratio": 0.7}, {"a": 2, "ratio": 0.9}]
    assert select_cells(rows, a=1) == rows[:2]
    assert mean_and_deviation(select_cells(rows, a=1)) == pytest.approx((0.6, 0.1))
    assert mean_and_deviation(rows[2:], "a") == (2, 0)


def test_cells_that_are_done_are_not_planned(folder: RunFolder) -> None:
    cells = TINY_FIGURE.cells(folder)
    names = [each.network.name for each in cells]
    assert [step.what.partition(":")[0] for step in TINY_FIGURE.plan(folder)] == names
    found = {
        "graphs": 1,
        "epoch": 0,
        "ratio": 0.5,
        "ratio_std": 0.0,
        "feasible": 1.0,
        "distance": 0.1,
        "validation": None,
    }
    write_cell(folder, {"cell": names[1], **cells[1].facts, **found})
    assert [step.what.partition(":")[0] for step in TINY_FIGURE.plan(folder)] == [names[0], names[2]]


def test_learners_and_seeds_are_run_alone_and_the_result_says_what_is_missing(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, name="beta", scale=replace(TINY, beta_seeds=2))
    names = [each.network.name for each in BETA.cells(folder)]

    def planned(*only: str) -> list[str]:
        return [step.what.partition(":")[0] for step in BETA.plan(folder, only)]

    assert planned() == names
    assert planned("erdos") == [name for name in names if "erdos" in name]
    assert planned("seed-1") == [name for name in names if name.endswith("seed-1")]
    assert planned("field", "seed-0") == [name for name in names if "field" in name and name.endswith("seed-0")]
    assert {*("erdos", "field"), "seed-0", "seed-19"} <= set(BETA.parts)
    one = BETA.cells(folder)[0]
    found = dict.fromkeys(FIGURE_FIELDS, 1) | {"validation": None}
    write_cell(folder, {"cell": one.network.name, **one.facts, **found})
    text = BETA.finish(folder)
    assert f"**Not finished.** What is not there yet:\n\n* erdos: {len(BETAS) * 2 - 1} networks\n* field: " in text
    assert not BETA.is_finished(folder)
    assert (tmp_path / "beta.png").exists()


def test_without_data_there_is_nothing_to_do_or_draw(
    folder: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANNEALCO_DATA", raising=False)
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "cache"))
    assert DISTANCE.plan(folder) == []
    assert DISTANCE.finish(folder) == f"# Parameter distance against ratio: scale tiny\n\n{TINY.caution}"
    assert folder.notes[0].startswith("twitter is left out")


def test_matplotlib_is_asked_for_before_anything_is_trained(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise InputError("pictures need matplotlib")

    monkeypatch.setattr(module, "check_drawing", refuse)
    with pytest.raises(InputError, match="matplotlib"):
        TINY_FIGURE.plan(folder)


@pytest.fixture
def beta_folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path, name="beta", scale=TINY)


def test_a_cell_is_a_trained_network_its_rows_and_one_line(beta_folder: RunFolder) -> None:
    one = cell(beta_folder, FIELD, "mis", "regular-small", facts={"tau0": 0.5, "seed": 3}, tau0=0.5)
    [step] = plan_cells(beta_folder, [one])
    assert step.what.startswith("mis-field-tau0-0.5-seed-3")
    step.work()
    [line] = read_networks(beta_folder, [one])
    facts = {"cell": one.network.name, "problem": "mis", "data": "regular-small", "learner": "field", "seed": 3}
    assert facts.items() <= line.items()
    [row] = read_rows(beta_folder.path / "rows.jsonl")
    assert row["method"].startswith(f"annealed={one.network.name}#")
    assert row["feasible"]
    assert (line["graphs"], line["feasible"]) == (1, 1.0)
    assert 0 < line["ratio"] <= 1
    assert line["distance"] > 0
    place = beta_folder.network(one.network.name)
    assert (place / "model.json").exists()
    assert not (place / "state.json").exists()
    assert plan_cells(beta_folder, [one]) == []


FACTS = {"a": {"beta": 0.5}, "b": {"beta": 2.0}}
FIELDS = {"ratio": NUMBER}


def test_lines_are_read_each_once_and_damage_is_told(beta_folder: RunFolder) -> None:
    assert read_cells(beta_folder, FACTS, FIELDS) == []
    for ratio in (0.5, 0.75):
        write_cell(beta_folder, {"cell": "a", "beta": 0.5, "ratio": ratio})
    with (beta_folder.path / FILE).open("a") as file:
        file.write('{"cell": "b", "rat')
    assert read_cells(beta_folder, FACTS, FIELDS) == [{"cell": "a", "beta": 0.5, "ratio": 0.5}]
    write_cell(beta_folder, {"cell": "b", "beta": 2.0, "ratio": 1})
    assert [row["cell"] for row in read_cells(beta_folder, FACTS, FIELDS)] == ["a", "b"]


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
def test_a_damaged_line_is_told_with_its_number_and_field(beta_folder: RunFolder, line: str, rule: str) -> None:
    write_cell(beta_folder, {"cell": "a", "beta": 0.5, "ratio": 0.5})
    with (beta_folder.path / FILE).open("a") as file:
        file.write(f"{line}\n")
    write_cell(beta_folder, {"cell": "b", "beta": 2.0, "ratio": 0.5})
    expected = re.escape(f"cells.jsonl:2: this is no cell of this figure, or it is damaged{rule}")
    with pytest.raises(GraphFileError, match=f"{expected}$"):
        read_cells(beta_folder, FACTS, FIELDS)
