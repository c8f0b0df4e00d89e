from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from annealco.graph.datasets.chunks import CHUNK, make_chunk, present_chunks, read_chunk, split_folder
from annealco.graph.datasets.making import STALE_SECONDS, make_chunks
from annealco.graph.datasets.registry import DATASETS
from annealco.graph.errors import InputError
from annealco.graph.generators import generate

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
    begun = time.perf_counter()
    with pytest.raises(InputError, match="ask for a smaller count"):
        list(make_chunks(ER, "train", seed=0, count=10**9))
    assert time.perf_counter() - begun < 5
    assert list(cache.iterdir()) == []


def test_old_unfinished_files_are_removed() -> None:
    folder = split_folder(ER, "train", 0)
    folder.mkdir(parents=True)
    for name in (".old.tmp", ".new.tmp"):
        (folder / name).touch()
    os.utime(folder / ".old.tmp", (0, time.time() - 2 * STALE_SECONDS))
    list(make_chunks(ER, "train", seed=0, count=1))
    assert not (folder / ".old.tmp").exists()
    assert (folder / ".new.tmp").exists()


@pytest.mark.parametrize("chunks", [1, 3])
def test_a_killed_program_leaves_nothing_corrupt_and_goes_on(chunks: int) -> None:
    count = 30 * CHUNK
    command = [sys.executable, "-m", "annealco", "data", "make", "er-small", "--split", "train", "--count", str(count)]
    folder = split_folder(ER, "train", 0)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        deadline = time.monotonic() + 60
        while len(present_chunks(folder)) < chunks and time.monotonic() < deadline:
            time.sleep(0.002)
        # The group has the program and the processes that draw for it.
        os.killpg(process.pid, signal.SIGKILL)
    left = present_chunks(folder)
    assert chunks <= len(left) < 30
    for start, path in left.items():
        assert read_chunk(path).equals(generate("er-small", count=CHUNK, seed=0, start=start))
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=120)
    whole = present_chunks(folder)
    assert sorted(whole) == list(range(0, count, CHUNK))
    assert whole.items() >= left.items()
    assert read_chunk(whole[29 * CHUNK]).equals(generate("er-small", count=CHUNK, seed=0, start=29 * CHUNK))


def test_processes_end_with_the_program_that_started_them() -> None:
    program = (
        "from annealco.graph.datasets.making import make_chunks; from annealco.graph.datasets import DATASETS\n"
        "for _ in make_chunks(DATASETS['er-large'], 'train', seed=0, count=20000, processes=2): print(flush=True)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    folder = split_folder(DATASETS["er-large"], "train", 0)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        before = len(present_chunks(folder))
        time.sleep(4)
        if len(present_chunks(folder)) == before:
            break
    assert len(present_chunks(folder)) < 100
