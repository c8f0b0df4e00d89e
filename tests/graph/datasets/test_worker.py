from __future__ import annotations

import subprocess
import sys

import pytest

from annealco.graph.datasets.chunks import CHUNK, present_chunks, split_folder
from annealco.graph.datasets.registry import DATASETS
from annealco.graph.datasets.worker import main

Output = pytest.CaptureFixture[str]


def test_it_takes_its_turns(capsys: Output) -> None:
    assert main(["er-small", "train", "0", str(5 * CHUNK), "1", "2"]) == 0
    assert capsys.readouterr().out == f"done {CHUNK}\ndone {3 * CHUNK}\n"
    assert sorted(present_chunks(split_folder(DATASETS["er-small"], "train", 0))) == [CHUNK, 3 * CHUNK]


def test_it_says_what_is_wrong(capsys: Output) -> None:
    assert main(["nothing", "train", "0", "5", "0", "1"]) == 1
    assert capsys.readouterr().out.startswith("error unknown data set 'nothing'; choose one of ")


def test_it_leaves_quietly_when_nobody_listens() -> None:
    command = [sys.executable, "-m", "annealco.graph.datasets.worker", "er-small", "train", "0", "2000", "0", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
    assert len(present_chunks(split_folder(DATASETS["er-small"], "train", 0))) < 100
