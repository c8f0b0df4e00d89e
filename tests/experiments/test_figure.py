from __future__ import annotations

from pathlib import Path

import pytest

from annealco.experiments import figure as module
from annealco.experiments.cells import write_cell
from annealco.experiments.distance import DISTANCE
from annealco.experiments.figure import LEARNERS, cell, mean_and_deviation, select
from annealco.experiments.learners import FIELD
from annealco.experiments.run_folder import RunFolder
from annealco.graph.errors import InputError
from tests.experiments.tiny import TINY, TINY_FIGURE


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path, name="tiny", scale=TINY)


def test_both_networks_are_in_every_figure() -> None:
    assert [each.name for each in LEARNERS] == ["erdos", "field"]


def test_a_cell_is_named_by_what_tells_it_from_others(folder: RunFolder) -> None:
    found = cell(folder, FIELD, "mds", "ba-small", facts={"beta": 0.25, "seed": 4}, penalty_scale=0.25)
    assert found.network.name == "mds-field-beta-0.25-seed-4"
    assert found.network.options == {"penalty_scale": 0.25, "seed": 4}
    assert found.network.amount == TINY.figure["field"]
    assert found.facts["learner"] == "field"


def test_rows_are_selected_and_summed_up() -> None:
    rows = [{"a": 1, "ratio": 0.5}, {"a": 1, "ratio": 0.7}, {"a": 2, "ratio": 0.9}]
    assert select(rows, a=1) == rows[:2]
    assert mean_and_deviation(select(rows, a=1)) == pytest.approx((0.6, 0.1))
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


def test_without_data_there_is_nothing_to_do_or_draw(
    folder: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANNEALCO_DATA", raising=False)
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "cache"))
    assert DISTANCE.plan(folder) == []
    assert DISTANCE.finish(folder) == "# Parameter distance against ratio: scale tiny"
    assert folder.notes[0].startswith("twitter is left out")


def test_matplotlib_is_asked_for_before_anything_is_trained(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise InputError("pictures need matplotlib")

    monkeypatch.setattr(module, "check_drawing", refuse)
    with pytest.raises(InputError, match="matplotlib"):
        TINY_FIGURE.plan(folder)
