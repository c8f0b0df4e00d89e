from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

import pytest

import annealco
from annealco.models import MODELS
from annealco.plotting import GREEDY, NEEDED
from annealco.plotting.style import write_picture
from annealco.training import display
from annealco.training.display import as_text, draw_run, latest_ratio
from annealco.training.loop import COLUMNS
from annealco.training.state import EpochRow
from tests.cli.program import Terminal
from tests.forked import run_forked
from tests.training.small_runs import interrupt_at, small_train
from tests.training.tiny_model import TinyModel


def train_on_a_terminal() -> None:
    os.environ |= {"TERM": "xterm", "COLUMNS": "160"}
    MODELS["tiny"] = TinyModel
    small_train(progress=True)


def test_a_line_an_epoch_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    small_train(progress=True, epochs=2)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("annealco: epoch 1/2  loss ")
    assert all(word in lines[1] for word in ("τ 0.02", "entropy", "ratio", " s, 0 s left"))


def test_long_epochs_have_lines_of_their_own_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(display, "SILENCE", 0.0)
    small_train(progress=True, epochs=1)
    *within, last = capsys.readouterr().err.splitlines()
    assert within
    assert all(line.startswith("annealco: epoch 1/1  loss ") and line.endswith(" left") for line in within)
    assert last.endswith(" s, 0 s left")


def test_nothing_is_printed_where_nothing_is_wanted(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    small_train(tmp_path, progress=False, epochs=1)
    assert capfd.readouterr() == ("", "")


@pytest.mark.processes
def test_a_bar_on_a_terminal() -> None:
    with Terminal() as terminal:
        done = run_forked(train_on_a_terminal, err=os.ttyname(terminal.file))
    text = terminal.drawn.decode()
    assert (done.status, done.out) == (0, "")
    assert "epoch 4/4" in text
    assert all(word in text for word in ("loss", "τ", "entropy", "ratio", "left"))


def test_the_numbers_that_are_shown() -> None:
    row = {"loss": 1.0, "temperature": 2.0, "entropy": 3.0, "ratio": 0.98765}
    assert as_text(row) == "loss 1  τ 2  entropy 3  ratio 0.98765"  # type: ignore[arg-type]
    assert latest_ratio([{"ratio": 0.5}, {"ratio": None}]) == 0.5
    assert latest_ratio([]) is None


def rows(count: int, **entries: float | None) -> list[EpochRow]:
    return [{**dict.fromkeys(COLUMNS, 0.5), "epoch": epoch, **entries} for epoch in range(count)]


@pytest.mark.parametrize("history", [rows(1), rows(60), rows(3, ratio=None), rows(2, temperature=0.0)])
def test_a_picture_is_drawn_of_any_run(history: list[EpochRow], tmp_path: Path) -> None:
    draw_run(history, tmp_path / "run.png", "a run")
    content = (tmp_path / "run.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    assert width > height > 400
    assert [each.name for each in tmp_path.iterdir()] == ["run.png"]


def test_a_run_draws_what_its_history_shows(tmp_path: Path) -> None:
    trained = small_train(tmp_path, picture=True, epochs=2)
    assert set(NEEDED) | {GREEDY} <= set(trained.history)
    assert None not in trained.history[GREEDY]
    # The same picture, byte for byte: there is one routine that draws trainings.
    write_picture(annealco.plot_training(trained.history, title="mis, tiny, graphs"), tmp_path / "again.png")
    assert (tmp_path / "again.png").read_bytes() == (tmp_path / "run.png").read_bytes()


@pytest.mark.processes
@pytest.mark.parametrize(("when", "epochs"), [((0, 1), 0), ((2, 1), 2), ((2, 3), 3)])
def test_a_run_that_is_stopped_draws_the_epochs_that_are_done(
    when: tuple[int, int], epochs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_at(monkeypatch, *when)
    drawn: list[int] = []
    usually = display.plot_training
    monkeypatch.setattr(display, "plot_training", lambda *a, **k: drawn.append(len(a[0]["loss"])) or usually(*a, **k))
    with pytest.raises(KeyboardInterrupt):
        small_train(tmp_path, picture=True)
    assert drawn == [epochs] * (epochs > 0)
    assert (tmp_path / "run.png").exists() == (epochs > 0)


def test_without_matplotlib_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    small_train(tmp_path, picture=True, epochs=1)
    assert "pip install 'annealco[report]'" in capsys.readouterr().err
    assert not (tmp_path / "run.png").exists()
