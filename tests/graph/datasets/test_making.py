from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from annealco.graph.datasets.chunks import CHUNK, make_chunk, present_chunks, read_chunk, split_folder
from annealco.graph.datasets.making import make_chunks
from annealco.graph.datasets.registry import DATASETS
from annealco.graph.errors import InputError
from annealco.graph.generators import generate
from tests.waiting import PATIENCE

ER = DATASETS["er-small"]


def contents(split: str = "train") -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in split_folder(ER, split, 0).iterdir()}


def test_processes_make_what_one_makes() -> None:
    done = list(make_chunks(ER, "train", seed=0, count=4 * CHUNK + 1, processes=1))
    assert done == [CHUNK * place for place in range(5)]
    alone = contents()
    for path in split_folder(ER, "train", 0).iterdir():
        path.unlink()
    make_chunk(ER, "train", seed=0, start=CHUNK)
    # Chunks that are there are reported by whoever has their turn.
    assert sorted(make_chunks(ER, "train", seed=0, count=4 * CHUNK + 1, processes=2)) == done
    assert contents() == alone
    assert list(make_chunks(ER, "train", seed=0, count=5 * CHUNK, processes=2)) == []


def test_a_process_that_fails_is_told(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    with pytest.raises(InputError, match="seed must be at most"):
        list(make_chunks(ER, "train", seed=2**64, count=3 * CHUNK, processes=2))


def test_absurd_counts_are_refused_before_anything_is_made(cache: Path) -> None:
    with pytest.raises(InputError, match="ask for a smaller count"):
        list(make_chunks(ER, "train", seed=0, count=10**9))
    assert list(cache.iterdir()) == []


def test_old_unfinished_files_are_removed() -> None:
    folder = split_folder(ER, "train", 0)
    folder.mkdir(parents=True)
    for name in (".old.tmp", ".new.tmp"):
        (folder / name).touch()
    os.utime(folder / ".old.tmp", (0, 0))
    list(make_chunks(ER, "train", seed=0, count=1))
    assert not (folder / ".old.tmp").exists()
    assert (folder / ".new.tmp").exists()


DYING = """
import os, signal, sys
from annealco.graph.datasets import DATASETS
from annealco.graph.datasets.making import make_chunks

dataset, count, chunks = DATASETS["er-small"], int(sys.argv[1]), int(sys.argv[2])
for number, _ in enumerate(make_chunks(dataset, "train", seed=0, count=count, processes=2), 1):
    if number == chunks:
        # The group has the program and the processes that draw for it.
        os.killpg(0, signal.SIGKILL)
"""


@pytest.mark.processes
@pytest.mark.parametrize("chunks", [1, 3])
def test_a_killed_program_leaves_nothing_corrupt_and_goes_on(chunks: int) -> None:
    count, folder = 12 * CHUNK, split_folder(ER, "train", 0)
    command = [sys.executable, "-c", DYING, str(count), str(chunks)]
    killed = subprocess.run(command, start_new_session=True, timeout=PATIENCE, check=False)
    assert killed.returncode == -signal.SIGKILL
    left = present_chunks(folder)
    assert chunks <= len(left)
    for start, path in left.items():
        assert read_chunk(path).equals(generate("er-small", count=CHUNK, seed=0, start=start))
    list(make_chunks(ER, "train", seed=0, count=count))
    whole = present_chunks(folder)
    assert sorted(whole) == list(range(0, count, CHUNK))
    assert whole.items() >= left.items()
    assert read_chunk(whole[11 * CHUNK]).equals(generate("er-small", count=CHUNK, seed=0, start=11 * CHUNK))


@pytest.mark.processes
def test_processes_end_with_the_program_that_started_them() -> None:
    program = (
        "from annealco.graph.datasets.making import make_chunks; from annealco.graph.datasets import DATASETS\n"
        "for _ in make_chunks(DATASETS['er-large'], 'train', seed=0, count=20000, processes=2): print(flush=True)"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.kill()
        # They share the error stream: it ends with the last of them.
        assert process.stderr.read() == b""
    assert len(present_chunks(split_folder(DATASETS["er-large"], "train", 0))) < 20000 / CHUNK
