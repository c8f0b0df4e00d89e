"""Experiments from end to end, at a tiny scale: the same rows every time, and after a kill."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from annealco.errors import InputError
from annealco.experiments import EXPERIMENTS
from annealco.experiments.figures import FILE as CELLS
from annealco.experiments.reproduce import find_experiment, reproduce
from annealco.experiments.run_folder import RunFolder
from annealco.files import lock_folder
from tests.experiments.killing import run_and_kill
from tests.experiments.tiny import TINY, TINY_FIGURE, TINY_TABLE, rows_in


def test_names_are_those_of_the_paper_s_results() -> None:
    assert list(EXPERIMENTS) == ["mis", "clique", "mds", "cut", "toy", "distance", "beta", "schedule"]
    assert all(each.name == name and each.title for name, each in EXPERIMENTS.items())
    with pytest.raises(InputError, match="unknown experiment 'table'; choose one of mis, clique"):
        find_experiment("table")


@pytest.mark.processes
def test_a_table_gives_the_same_rows_again_and_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(EXPERIMENTS, "tiny", TINY_TABLE)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    result = reproduce("tiny", TINY, whole)
    assert result == whole / "result.md"
    # Three methods and the network in two ways, on two graphs and one.
    assert len(rows_in(whole)) == 5 * (2 + 1)

    run_and_kill("TINY_TABLE", parts, at="5/6")
    network = parts / "networks" / "field-regular-small" / "model.json"
    before, trained = (parts / "rows.jsonl").read_bytes(), network.stat()
    assert before
    capsys.readouterr()
    reproduce("tiny", TINY, parts)
    said = capsys.readouterr().err
    assert "learns mis on regular-small" not in said
    assert (parts / "rows.jsonl").read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    assert network.stat() == trained
    assert rows_in(parts) == rows_in(whole)

    rows = (parts / "rows.jsonl").read_bytes()
    reproduce("tiny", TINY, parts)
    assert (parts / "rows.jsonl").read_bytes() == rows


@pytest.mark.processes
def test_a_figure_gives_the_same_cells_again_and_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(EXPERIMENTS, "tiny", TINY_FIGURE)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    reproduce("tiny", TINY, whole)
    assert [row["tau0"] for row in rows_in(whole, CELLS)] == [0.0, 0.5, 1.0]
    assert "![A tiny figure](tiny.png)" in (whole / "result.md").read_text(encoding="utf-8")

    run_and_kill("TINY_FIGURE", parts, at="2/3")
    before = (parts / CELLS).read_bytes()
    assert before.count(b"\n") == 1
    assert not (parts / "tiny.png").exists()
    capsys.readouterr()
    reproduce("tiny", TINY, parts)
    assert "1/2 mis-field-tau0-0.5-seed-0" in capsys.readouterr().err
    assert (parts / CELLS).read_bytes().startswith(before)
    for name in (CELLS, "rows.jsonl"):
        assert rows_in(parts, name) == rows_in(whole, name)
    assert (parts / "tiny.png").read_bytes() == (whole / "tiny.png").read_bytes()


def test_parts_make_the_same_rows_as_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXPERIMENTS, "tiny", TINY_TABLE)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    reproduce("tiny", TINY, whole)
    result = reproduce("tiny", TINY, parts, ["field"])
    assert "**Not finished.**" in result.read_text(encoding="utf-8")
    reproduce("tiny", TINY, parts, ["regular-large", "mean_field"])
    reproduce("tiny", TINY, parts)
    assert "Not finished" not in result.read_text(encoding="utf-8")

    def in_order(folder: Path) -> list[str]:
        return sorted(json.dumps(row, sort_keys=True) for row in rows_in(folder))

    assert in_order(parts) == in_order(whole)


def test_where_nothing_is_left_of_a_part_a_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(EXPERIMENTS, "mis", TINY_TABLE)
    reproduce("mis", TINY, tmp_path / "run", ["regular-small", "seed-9"])
    assert "nothing is left to do of regular-small, seed-9 at scale tiny" in capsys.readouterr().err
    reproduce("mis", TINY, tmp_path / "run", ["greedy_fixed"])
    assert "nothing is left" not in capsys.readouterr().err


def test_parts_that_are_not_there_are_refused_before_anything_is_done(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown part 'twiter' of mis; did you mean 'twitter'"):
        reproduce("mis", TINY, tmp_path / "run", ["twiter"])
    with pytest.raises(InputError, match=r"did you mean 'seed-2'\? choose from .*, field, seed-0 to seed-19$"):
        reproduce("mis", TINY, tmp_path / "run", ["seed-20"])
    with pytest.raises(InputError, match="toy has no parts: it is run as a whole, not only 'erdos'"):
        reproduce("toy", TINY, tmp_path / "run", ["erdos"])
    assert not (tmp_path / "run").exists()


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, name="toy", scale=TINY)
    with (
        lock_folder(folder.path / "networks"),
        pytest.raises(InputError, match="another run is writing to this folder"),
    ):
        reproduce("toy", TINY, tmp_path)
    assert not (tmp_path / CELLS).exists()


def test_a_folder_of_another_scale_is_refused_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EXPERIMENTS, "tiny", TINY_FIGURE)
    reproduce("tiny", TINY, tmp_path)
    cells = (tmp_path / CELLS).read_bytes()
    with pytest.raises(InputError, match="another experiment in it: its scale is 'tiny', not 'other'"):
        reproduce("tiny", replace(TINY, name="other", toy_seeds=3), tmp_path)
    assert (tmp_path / CELLS).read_bytes() == cells
