from __future__ import annotations

import os
import subprocess
import sys

import pytest

from annealco.datasets.cache import CHUNK, present_chunks, split_folder
from annealco.datasets.registry import DATASETS
from annealco.datasets.worker import main

Output = pytest.CaptureFixture[str]


def test_it_takes_its_turns(capsys: Output) -> None:
    assert main(["er-small", "train", "0", str(5 * CHUNK), "1", "2"]) == 0
    assert capsys.readouterr().out == f"done {CHUNK}\ndone {3 * CHUNK}\n"
    assert sorted(present_chunks(split_folder(DATASETS["er-small"], "train", 0))) == [CHUNK, 3 * CHUNK]


def test_it_says_what_is_wrong(capsys: Output) -> None:
    assert main(["nothing", "train", "0", "5", "0", "1"]) == 1
    assert capsys.readouterr().out.startswith("error unknown data set 'nothing'; choose one of ")


@pytest.mark.processes
def test_it_leaves_quietly_when_nobody_listens() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "annealco.datasets.worker", "er-small", "train", "0", "2000", "0", "1"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")
    assert len(present_chunks(split_folder(DATASETS["er-small"], "train", 0))) == 1
