from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from annealco.graph.datasets.chunks import (
    CHUNK,
    all_chunks,
    make_chunk,
    present_chunks,
    read_chunk,
    remove_damaged,
    set_folder,
    split_folder,
)
from annealco.graph.datasets.fingerprint import fingerprint
from annealco.graph.datasets.registry import DATASETS
from annealco.graph.errors import GraphFileError
from annealco.graph.generators import generate

BA = DATASETS["ba-small"]


def test_a_chunk_holds_the_drawn_graphs_and_tells_its_checksum(cache: Path) -> None:
    make_chunk(BA, "train", seed=1, start=CHUNK)
    folder = split_folder(BA, "train", 1)
    assert cache in folder.parents
    (path,) = folder.iterdir()
    digest = hashlib.sha256(b"ba-small-v1/seed1/train/20" + path.read_bytes()).hexdigest()
    assert path.name == f"{CHUNK:010d}-{digest}.npz"
    assert present_chunks(folder) == {CHUNK: path}
    expected = generate("ba-small", count=CHUNK, seed=1, start=CHUNK)
    assert fingerprint(read_chunk(path)) == fingerprint(expected)


def test_what_is_there_is_not_made_again() -> None:
    make_chunk(BA, "test", seed=0, start=0)
    (path,) = split_folder(BA, "test", 0).iterdir()
    before = path.stat().st_mtime_ns
    make_chunk(BA, "test", seed=0, start=0)
    assert path.stat().st_mtime_ns == before
    make_chunk(BA, "validation", seed=0, start=0)
    make_chunk(BA, "test", seed=5, start=0)
    assert len(list(all_chunks(BA))) == 3


def test_unfinished_and_foreign_files_do_not_count() -> None:
    folder = split_folder(BA, "train", 0)
    folder.mkdir(parents=True)
    for name in (".0123.tmp", "0000000000.npz", "0000000000-abc.npz", "notes.txt"):
        (folder / name).touch()
    assert present_chunks(folder) == {}


def test_every_flipped_byte_is_noticed() -> None:
    make_chunk(BA, "train", seed=0, start=0)
    (path,) = split_folder(BA, "train", 0).iterdir()
    good = path.read_bytes()
    for position in range(0, len(good), 997):
        path.write_bytes(good[:position] + bytes([good[position] ^ 1]) + good[position + 1 :])
        with pytest.raises(GraphFileError, match="it is damaged: its SHA-256"):
            read_chunk(path)
    path.write_bytes(good)
    assert read_chunk(path).num_graphs == CHUNK


@pytest.mark.parametrize("place", ["ba-large-v1/seed0/train", "ba-small-v1/seed0/test", "ba-small-v1/seed1/train"])
def test_a_file_of_another_set_split_or_seed_is_noticed(place: str) -> None:
    make_chunk(BA, "train", seed=0, start=0)
    (path,) = split_folder(BA, "train", 0).iterdir()
    folder = set_folder(BA).parent / place
    folder.mkdir(parents=True)
    moved = path.rename(folder / path.name)
    with pytest.raises(GraphFileError, match="it is damaged: its SHA-256"):
        read_chunk(moved)
    with pytest.raises(GraphFileError, match="it is damaged: its SHA-256"):
        read_chunk(moved.rename(path.with_name(f"{CHUNK:010d}{path.name[10:]}")))
    assert read_chunk(path.with_name(f"{CHUNK:010d}{path.name[10:]}").rename(path)).num_graphs == CHUNK


def test_damaged_files_are_removed_and_others_kept() -> None:
    for start in (0, CHUNK, 2 * CHUNK):
        make_chunk(BA, "train", seed=0, start=start)
    folder = split_folder(BA, "train", 0)
    assert remove_damaged(folder) == 0
    chunks = present_chunks(folder)
    chunks[0].write_bytes(b"other")
    chunks[CHUNK].unlink()
    os.mkfifo(chunks[CHUNK])
    assert remove_damaged(folder) == 2
    assert present_chunks(folder) == {2 * CHUNK: chunks[2 * CHUNK]}
    assert remove_damaged(folder / "none") == 0


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "file"))
    with pytest.raises(GraphFileError, match="cannot be written"):
        make_chunk(BA, "train", seed=0, start=0)
