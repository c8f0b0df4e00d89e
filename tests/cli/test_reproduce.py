from __future__ import annotations

from pathlib import Path

import pytest

from annealco.experiments import reproduce as module
from tests.cli.program import Output, assert_one_line, call, run


def test_the_result_is_printed_and_its_place_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("reproduce", "toy") == 0
    out, err = capsys.readouterr()
    result = tmp_path / "reproduced" / "toy-smoke" / "result.md"
    assert out == result.read_text(encoding="utf-8")
    assert "Of 4 starts" in out
    lines = err.splitlines()
    assert lines[0] == "annealco: 1/4 start 0, about 14 s left"
    assert lines[-1] == "annealco: the result is in reproduced/toy-smoke/result.md"
    assert (result.parent / "toy.png").exists()


def test_bad_input_ends_with_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    def says(rule: str, *arguments: str | Path) -> None:
        assert call("reproduce", *arguments) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert_one_line(err)
        assert rule in err

    monkeypatch.chdir(tmp_path)
    says("unknown experiment 'all'; choose one of mis", "all")
    says("unknown scale 'huge'; choose one of smoke", "toy", "--scale", "huge")
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    says("file", "toy", "--out", tmp_path / "file")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    says("there are files in it", "toy", "--out", tmp_path / "full")
    # Twitter is not there, and cannot be downloaded from nowhere.
    monkeypatch.setattr("annealco.datasets.cache.open_url", None)
    says("SF-295-subset.npz", "cut", "--scale", "laptop", "--out", tmp_path / "cut")


def test_sets_that_are_not_there_are_left_out_of_a_smoke_run(tmp_path: Path, capsys: Output) -> None:
    assert call("reproduce", "distance", "--out", tmp_path / "run") == 0
    out, _ = capsys.readouterr()
    assert "* twitter is left out: there is no TWITTER.npz" in out


def test_an_interrupt_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    def interrupted(_steps: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "run_steps", interrupted)
    assert call("reproduce", "toy", "--out", tmp_path / "run") == 130
    assert f"what is done is in {tmp_path / 'run'}; the same command goes on" in capsys.readouterr().err


def test_a_plan_alone_brings_no_training_engine(tmp_path: Path) -> None:
    program = (
        "import sys; from annealco.cli import main; status = main(sys.argv[1:]); "
        "print({'torch', 'lightning', 'matplotlib'} & set(sys.modules)); sys.exit(status)"
    )
    done = run("reproduce", "distance", "--out", tmp_path / "run", program=program, ANNEALCO_DATA="")
    assert done.returncode == 0
    assert done.stdout.endswith("set()\n")
