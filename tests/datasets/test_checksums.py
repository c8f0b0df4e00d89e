from __future__ import annotations

import hashlib
import json
import os
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from annealco.datasets import DATASETS, load_dataset
from annealco.datasets import checksums as module
from annealco.datasets.cache import data_folder, make_chunk, split_folder
from annealco.datasets.checksums import drawn_pins, load_pins, make_pins, split_pin, verify
from annealco.datasets.registry import draw
from annealco.errors import GraphFileError, InputError
from tests.datasets.samples import needs_data

DRAWN = [name for name, dataset in DATASETS.items() if dataset.kind == "synthetic"]
REAL = [name for name, dataset in DATASETS.items() if dataset.kind == "real"]


def test_every_set_is_pinned() -> None:
    pins = load_pins()
    assert list(pins["drawn"]) == DRAWN
    assert list(pins["splits"]) == REAL
    assert list(pins["files"]) == [name for name in REAL if name != "sf295"]
    digests = [digest for splits in pins["drawn"].values() for digest in splits.values()]
    assert len(set(digests)) == 3 * len(DRAWN)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if "large-" in name else name for name in DRAWN]
)
def test_first_graphs_are_the_pinned_ones(name: str) -> None:
    assert drawn_pins(DATASETS[name]) == load_pins()["drawn"][name]


@pytest.mark.parametrize("name", REAL)
def test_splits_are_the_pinned_ones(name: str) -> None:
    assert split_pin(DATASETS[name]) == load_pins()["splits"][name]


def test_stored_cut_instances_are_the_pinned_ones() -> None:
    for name, digest in load_pins()["cuts"].items():
        content = (files("annealco.datasets") / "cuts" / f"{name}.npz").read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest


@needs_data
@pytest.mark.slow
def test_the_command_makes_the_committed_file(tmp_path: Path) -> None:
    make_pins(tmp_path)
    assert json.loads((tmp_path / "pins.json").read_text()) == load_pins()


BA = DATASETS["ba-small"]


def flip(path: Path, position: int) -> None:
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.chmod(0o644)
    path.write_bytes(content)


def test_a_synthetic_set_and_its_cache_are_checked() -> None:
    assert verify(BA) == "first graphs of 3 splits, 0 files in the cache"
    load_dataset("ba-small", count=25)
    load_dataset("ba-small", "test", count=1, seed=7)
    assert verify(BA) == "first graphs of 3 splits, 3 files in the cache"


@pytest.mark.parametrize("position", [0, 100, -1])
def test_a_flipped_byte_in_the_cache_is_found(position: int) -> None:
    make_chunk(BA, "train", seed=3, start=0)
    (path,) = split_folder(BA, "train", 3).iterdir()
    flip(path, position)
    with pytest.raises(GraphFileError, match="it is damaged"):
        verify(BA)


def test_other_graphs_than_the_pinned_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    pinned = module.load_pins()
    pinned["drawn"]["ba-small"]["test"] = "0" * 64
    monkeypatch.setattr(module, "load_pins", lambda: pinned)
    with pytest.raises(InputError, match="ba-small: the first graphs of 'test' are not the pinned ones"):
        verify(BA)


def test_a_chunk_of_other_graphs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "annealco.datasets.cache.draw", lambda drawn, split, *, seed, **rest: draw(drawn, split, seed=seed + 1, **rest)
    )
    make_chunk(BA, "train", seed=0, start=0)
    with pytest.raises(GraphFileError, match="its graphs are not the pinned ones"):
        verify(BA)


def test_a_file_that_was_moved_from_another_seed_is_found() -> None:
    make_chunk(BA, "train", seed=1, start=0)
    (path,) = split_folder(BA, "train", 1).iterdir()
    folder = split_folder(BA, "train", 5)
    folder.mkdir(parents=True)
    path.rename(folder / path.name)
    with pytest.raises(GraphFileError, match="it is damaged"):
        verify(BA)


def test_what_has_no_end_is_not_read(tmp_path: Path) -> None:
    name = "0000000000-" + "0" * 64 + ".npz"
    folder = split_folder(BA, "train", 0)
    folder.mkdir(parents=True)
    (folder / name).symlink_to("/dev/zero")
    with pytest.raises(GraphFileError, match="cannot be read: it is no regular file"):
        verify(BA)
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(GraphFileError, match="cannot be read: it is no regular file"):
        verify(BA)
    os.mkfifo(tmp_path / DATASETS["imdb"].stored.file)
    for read in (verify, lambda dataset, root: load_dataset(dataset.name, data_root=root)):
        with pytest.raises(GraphFileError, match="cannot be read: it is no regular file"):
            read(DATASETS["imdb"], tmp_path)


def test_an_absent_set_is_neither_good_nor_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANNEALCO_DATA", raising=False)
    assert verify(DATASETS["imdb"]) is None


@needs_data
@pytest.mark.parametrize("name", [name for name, each in DATASETS.items() if each.kind == "real" and name != "sf295"])
def test_real_sets_are_good_until_a_byte_is_flipped(name: str, tmp_path: Path) -> None:
    folder = data_folder()
    assert folder is not None
    assert (verify(DATASETS[name]) or "").startswith("bytes, ")
    copy = Path(shutil.copy(folder / DATASETS[name].stored.file, tmp_path))
    for position in (0, copy.stat().st_size // 2, -1):
        flip(copy, position)
        with pytest.raises(GraphFileError, match=r"its SHA-256 is .*, not the pinned "):
            verify(DATASETS[name], tmp_path)
        flip(copy, position)
    assert verify(DATASETS[name], tmp_path)
