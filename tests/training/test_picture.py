from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest

from annealco.training.picture import PANELS, draw_run
from annealco.training.run import COLUMNS
from annealco.training.state import Row
from tests.training.small_runs import small_train


def rows(count: int, **entries: float | None) -> list[Row]:
    return [{**dict.fromkeys(COLUMNS, 0.5), "epoch": epoch, **entries} for epoch in range(count)]


@pytest.mark.parametrize("history", [rows(1), rows(60), rows(3, ratio=None), rows(2, temperature=0.0)])
def test_a_picture_is_drawn_of_any_run(history: list[Row], tmp_path: Path) -> None:
    draw_run(history, tmp_path / "run.png", "a run")
    content = (tmp_path / "run.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    assert width > height > 400
    assert [each.name for each in tmp_path.iterdir()] == ["run.png"]


def test_what_is_drawn_is_what_is_logged() -> None:
    assert set(PANELS) <= set(COLUMNS)


def test_a_run_draws_itself(tmp_path: Path) -> None:
    small_train(tmp_path, picture=True, epochs=1)
    assert (tmp_path / "run.png").exists()


def test_without_matplotlib_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    small_train(tmp_path, picture=True, epochs=1)
    assert "pip install 'annealco[report]'" in capsys.readouterr().err
    assert not (tmp_path / "run.png").exists()
