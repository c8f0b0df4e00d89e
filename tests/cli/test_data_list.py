from __future__ import annotations

import json
from pathlib import Path

import pytest

from annealco.cli.data_list import on_disk
from annealco.graph.datasets import DATASETS, load_dataset
from tests.cli.program import Output, call


def test_every_set_has_a_line(capsys: Output) -> None:
    assert call("data", "list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == list(DATASETS)
    (collab,) = [line for line in lines if line.startswith("collab ")]
    assert collab.split()[1:7] == ["5000", "74.49", "2457.22", "mis", "clique", "mds"]
    assert "a part only" in next(line for line in lines if line.startswith("sf295-subset "))
    assert "stand-in" in next(line for line in lines if line.startswith("nci60 "))


def test_json_has_the_same(capsys: Output) -> None:
    assert call("data", "list", "--json") == 0
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [entry["name"] for entry in objects] == list(DATASETS)
    (twitter,) = [entry for entry in objects if entry["name"] == "twitter"]
    assert (twitter["graphs"], twitter["kind"], twitter["on_disk"]) == (973, "real", None)


def test_what_is_on_the_disk_is_told(tmp_path: Path) -> None:
    assert on_disk(DATASETS["ba-small"]) is None
    load_dataset("ba-small", count=21)
    assert on_disk(DATASETS["ba-small"]) == "40 graphs"
    assert on_disk(DATASETS["collab"], tmp_path) is None
    (tmp_path / "COLLAB.npz").touch()
    assert on_disk(DATASETS["collab"], tmp_path) == "COLLAB.npz"


def test_a_missing_folder_is_one_line(tmp_path: Path, capsys: Output) -> None:
    assert call("data", "list", "--data-root", tmp_path / "x") == 2
    assert capsys.readouterr() == ("", f"annealco: {tmp_path / 'x'}: the data folder does not exist\n")


@pytest.mark.parametrize("command", ["list", "info", "make", "verify"])
def test_help_is_there(command: str, capsys: Output) -> None:
    assert call("data", command, "--help") == 0
    assert "Usage" in capsys.readouterr().out
