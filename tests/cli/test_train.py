from __future__ import annotations

import inspect
import json
import signal
from dataclasses import fields
from pathlib import Path

import pytest

from annealco.cli import main
from annealco.cli.train import parse_setting, parse_temperature, train_network
from annealco.errors import InputError
from annealco.graph.formats import write_graph
from annealco.graph.generators import generate
from annealco.training.settings import DataSettings, TrainSettings
from annealco.training.train import train
from tests.cli.program import Output, assert_one_line, call
from tests.forked import run_forked
from tests.signalling import signal_when_told
from tests.training.small_runs import assert_same_run

SMALL = ["--graphs", 6, "--validation-graphs", 2, "--batch-size", 2]
SMALL += ["--setting", "width=4", "--setting", "num_steps=3"]


def test_train_then_solve(tmp_path: Path, capsys: Output) -> None:
    out = tmp_path / "run"
    assert call("train", "mis", "--data", "regular-small", "--epochs", 2, "--out", out, *SMALL) == 0
    said = capsys.readouterr()
    assert said.out.startswith(f"{out}: decoded ratio 0.")
    assert f"use it: annealco solve mis FILE... --model {out}" in said.out
    assert said.err.count("annealco: epoch ") == 2
    assert {"model.json", "state.json", "log.csv", "run.png"} <= {each.name for each in out.iterdir()}

    graph = tmp_path / "graph.npz"
    write_graph(generate("regular-small", count=1, seed=0), graph)
    fast = ["--no-polish", "--no-bound", "--json"]
    assert call("solve", "mis", graph, "--model", out, "--restarts", 3, "--steps", 5, *fast) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["method"] == "field + decoding"
    assert found["feasible"]
    assert call("solve", "mds", graph, "--model", out, *fast) == 2
    assert "the model was trained for mis, not for mds" in capsys.readouterr().err
    assert call("solve", "mis", graph, "--steps", 5, *fast) == 2
    assert_one_line(capsys.readouterr().err)

    assert call("train", "mis", "--data", "regular-small", "--epochs", 2, "--out", out, *SMALL) == 2
    error = capsys.readouterr().err
    assert_one_line(error)
    assert "there is a run in it; --resume continues it, --force replaces it" in error
    assert (
        call("train", "mis", "--data", "regular-small", "--epochs", 2, "--out", out, *SMALL, "--resume", "--json") == 0
    )
    assert json.loads(capsys.readouterr().out)["problem"] == "mis"


def test_the_folder_has_a_name_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("train", "mds", "--data", "regular-small", "--epochs", 1, *SMALL) == 0
    assert (tmp_path / "runs" / "mds-field-regular-small" / "model.json").exists()
    assert "runs/mds-field-regular-small: decoded ratio" in capsys.readouterr().out


def train_interrupted(arguments: list[str]) -> int:
    signal_when_told("annealco: epoch 1/3", signal.SIGINT)
    return main(arguments)


@pytest.mark.processes
def test_an_interrupt_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    options = ["--data", "regular-small", "--epochs", 3, *SMALL]
    cut = run_forked(train_interrupted, ["train", "mis", *map(str, options), "--out", str(tmp_path / "cut")])
    assert (cut.status, cut.out) == (130, "")
    last = cut.err.splitlines()[-1]
    assert (
        last == f"annealco: interrupted: the run is saved in {tmp_path / 'cut'}; the same command with --resume goes on"
    )
    assert call("train", "mis", *options, "--out", tmp_path / "cut", "--resume") == 0
    assert call("train", "mis", *options, "--out", tmp_path / "whole") == 0
    assert_same_run(tmp_path / "whole", tmp_path / "cut")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["tsp", "--data", "rb-small"], "unknown problem 'tsp'; choose one of mis"),
        (["mis"], "Missing option '--data'"),
        (["mis", "--data", "rb-tiny"], "no data 'rb-tiny'"),
        (["mis", "--data", "rb-small", "--model", "gpt"], "unknown model 'gpt'; choose one of field, two_sided, erdos"),
        (["mis", "--data", "rb-small", "--setting", "width"], "a setting must be NAME=VALUE, it is 'width'"),
        (["mis", "--data", "rb-small", "--setting", "depth=2"], "unknown setting 'depth' of model field"),
        (
            ["mis", "--data", "rb-small", "--setting", "width=abc"],
            "setting width of model field must be a whole number",
        ),
        (
            ["mis", "--data", "rb-small", "--setting", "width=1.5"],
            "setting width of model field must be a whole number",
        ),
        (["mis", "--data", "rb-small", "--setting", "width=-1"], "width must be at least 1, it is -1"),
        (["mis", "--data", "rb-small", "--setting", "num_steps=1000000000"], "must be a whole number of at most 65536"),
        (["mis", "--data", "rb-small", "--setting", "width=" + "[" * 100_000], "must be a whole number"),
        (["mis", "--data", "rb-small", "--seed", str(10**30)], "the seed must be 0 to 9223372036854775807"),
        (["mis", "--data", "rb-small", "--seed", "-1"], "the seed must be 0 to 9223372036854775807"),
        (["mis", "--data", "rb-small", "--data-seed", str(10**30)], "the data seed must be 0 to"),
        (["mis", "--data", "rb-small", "--tau0", "hot"], "tau0 must be auto, unit or a number, it is 'hot'"),
        (["mis", "--data", "rb-small", "--tau0", "-1"], "first temperature must not be negative"),
        (["mis", "--data", "rb-small", "--tau0", "1e38"], "the tau0 must be at most 1e+15, it is 1e+38"),
        (
            ["mis", "--data", "rb-small", "--penalty-scale", "1e38"],
            "the penalty scale must not be negative and at most",
        ),
        (
            ["mis", "--data", "rb-small", "--tau0", "1", "--tau-last", "1e-300", "--schedule", "concave"],
            "the first temperature must be at most 1e+100 times the last",
        ),
        (["mis", "--data", ""], "the name of data must not be empty"),
        (["mis", "--data", "rb-small", "--out", ""], "out must be the path of a folder, it is ''"),
        (["mis", "--data", "rb-small", "--epochs", "0"], "the epochs must be at least 1"),
        (["mis", "--data", "rb-small", "--schedule", "cubic"], "unknown schedule 'cubic'"),
        (["mis", "--data", "rb-small", "--num-nodes", "2"], "several nodes need torchrun or SLURM"),
        (["mis", "--data", "rb-small", "--devices", "0"], "devices must be at least 1"),
        (["mis", "--data", "rb-small", "--devices", str(10**21)], "devices must be at least 1 and at most 1024"),
    ],
)
def test_bad_options_are_refused_in_one_line(
    options: list[str], message: str, tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("train", *options) == 2
    error = capsys.readouterr().err
    assert_one_line(error)
    assert message in error
    assert list(tmp_path.iterdir()) == []


def test_settings_and_temperatures_are_parsed() -> None:
    assert parse_setting("a=1.5") == ("a", 1.5)
    assert parse_setting("a=null") == ("a", None)
    assert parse_setting("a=b=c") == ("a", "b=c")
    assert parse_temperature("tau0", "0") == 0.0
    with pytest.raises(InputError):
        parse_temperature("tau0", "")


def test_options_and_defaults_are_those_of_the_settings() -> None:
    options = inspect.signature(train_network).parameters
    python = inspect.signature(train).parameters
    for kind in (TrainSettings, DataSettings):
        for each in fields(kind):
            assert options[each.name].default == each.default == python[each.name].default, each.name
            assert each.metadata["help"]


def test_more_epochs_continue_a_finished_run(tmp_path: Path, capsys: Output) -> None:
    options = ["--data", "regular-small", "--out", tmp_path, *SMALL]
    assert call("train", "mis", *options, "--epochs", 1) == 0
    assert call("train", "mis", *options, "--epochs", 2, "--resume") == 0
    assert "epoch 2/2" in capsys.readouterr().err
    assert json.loads((tmp_path / "state.json").read_text())["recipe"]["legs"] == [1]
