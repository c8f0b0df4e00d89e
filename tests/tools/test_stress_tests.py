"""Tests are run again and again beside busy processes, and every failure counts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import stress_tests
from stress_tests import FULL, TOUCHY, burning, main

Output = pytest.CaptureFixture[str]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Record what would be run; whatever has ``wrong`` in it fails."""
    made: list[tuple[str, ...]] = []

    def run_once(_name: str, selection: tuple[str, ...]) -> bool:
        made.append(selection)
        return "wrong" not in selection

    monkeypatch.setattr(stress_tests, "run_once", run_once)
    return made


def test_by_default_touchy_tests_are_run_thirty_times(runs: list[tuple[str, ...]], capsys: Output) -> None:
    assert main(["--burners", "0"]) == 0
    assert runs == [TOUCHY] * 30
    assert "30 of 30 runs passed" in capsys.readouterr().out


def test_all_tests_and_a_selection_can_be_asked_for(runs: list[tuple[str, ...]]) -> None:
    assert main(["--burners", "0", "--full", "3"]) == 0
    assert runs == [FULL] * 3
    runs.clear()
    assert main(["--burners", "0", "--full", "1", "--runs", "2", "tests/cli", "-k", "wait"]) == 0
    assert runs == [("tests/cli", "-k", "wait")] * 2 + [FULL]


def test_a_failure_is_the_status(runs: list[tuple[str, ...]], capsys: Output) -> None:
    assert main(["--burners", "0", "--runs", "4", "wrong"]) == 1
    assert "0 of 4 runs passed" in capsys.readouterr().out
    assert main(["--burners", "0", "--runs", "4", "--first", "wrong"]) == 1
    assert len(runs) == 5


@pytest.mark.processes
def test_runs_are_told_line_by_line_with_what_failed(tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "test_it.py").write_text("import pathlib\ndef test_it():\n    assert pathlib.Path('there').exists()\n")
    given = ["--burners", "0", "--runs", "1", "--rootdir", str(tmp_path), str(tmp_path / "test_it.py")]
    assert main(given) == 1
    head, line, *rest = capsys.readouterr().out.splitlines()
    assert head == "1 runs beside 0 processes that never rest"
    assert line.startswith("1/1 FAILED with status 1 in ")
    assert any("FAILED" in each and "test_it" in each for each in rest)


@pytest.mark.processes
def test_busy_processes_end_with_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def note(*given: object, **options: object) -> subprocess.Popen[bytes]:
        made.append(start(*given, **options))
        return made[-1]

    monkeypatch.setattr(subprocess, "Popen", note)

    def interrupted() -> None:
        with burning(2):
            assert [each.poll() for each in made] == [None, None]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert all(each.poll() is not None for each in made)
