"""Keep drawn graphs in the cache, in files of a few graphs each that are named by their checksum.

A file is written under another name and renamed when it is complete, and its name tells the SHA-256 of its place (set,
version, seed, split and first graph) and its bytes. So whoever is killed leaves no file that could be mistaken for a
good one, two processes that draw the same graphs put the same file in the same place without asking each other, and a
byte that changes later is noticed, as is a file that was moved to where other graphs belong.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from annealco.graph.datasets.dataset import Dataset
from annealco.graph.datasets.drawing import draw
from annealco.graph.datasets.fingerprint import file_digest
from annealco.graph.datasets.folders import cache_folder
from annealco.graph.errors import GraphFileError
from annealco.graph.formats.npz import read_npz, write_npz
from annealco.graph.formats.storage import file_errors, store
from annealco.graph.graph import Graph

CHUNK = 20
"""Graphs a file."""

_NAME = re.compile(r"(\d{10})-([0-9a-f]{64})\.npz")


def set_folder(dataset: Dataset) -> Path:
    """Return the folder of all chunks of a drawn set."""
    return cache_folder() / "sets" / f"{dataset.name}-v{dataset.drawn.version}"


def split_folder(dataset: Dataset, split: str, seed: int) -> Path:
    """Return the folder with the chunks of one split and seed."""
    return set_folder(dataset) / f"seed{seed}" / split


def present_chunks(folder: Path) -> dict[int, Path]:
    """Return the chunks that are there, by the number of their first graph."""
    return {_first(path): path for path in reversed(chunk_files(folder))}


def chunk_files(folder: Path) -> list[Path]:
    """Return all files of a split and seed, in the order of their names."""
    with file_errors(folder, "read"):
        return sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name)) if folder.is_dir() else []


def all_chunks(dataset: Dataset) -> Iterator[Path]:
    """Go through the chunks of all splits and seeds that are in the cache."""
    for folder in sorted(set_folder(dataset).glob("seed*/*")):
        yield from chunk_files(folder)


def make_chunk(dataset: Dataset, split: str, *, seed: int, start: int) -> None:
    """Draw a chunk and put it into the cache, unless it is there."""
    folder = split_folder(dataset, split, seed)
    if any(_NAME.fullmatch(path.name) for path in folder.glob(f"{start:010d}-*")):
        return
    content = write_npz(draw(dataset.drawn, split, seed=seed, start=start, count=CHUNK))
    digest = hashlib.sha256(_place(folder, start).encode() + content).hexdigest()
    path = folder / f"{start:010d}-{digest}.npz"
    with file_errors(path, "written"):
        folder.mkdir(parents=True, exist_ok=True)
        store(path, content)


def read_chunk(path: Path) -> Graph:
    """Read the graphs of a chunk.

    Raises:
        GraphFileError: where its place and bytes are not those that its name promises.
    """
    check_chunk(path)
    with file_errors(path, "read"):
        return read_npz(path)


def check_chunk(path: Path) -> None:
    """Raise GraphFileError unless the name of a chunk tells the SHA-256 of its place and bytes."""
    check_digest(path, place=_place(path.parent, _first(path)))


def remove_damaged(folder: Path) -> int:
    """Remove the chunks of a split and seed whose name does not tell their SHA-256, and return how many they were."""
    removed = 0
    for path in chunk_files(folder):
        try:
            check_chunk(path)
        except GraphFileError:
            with file_errors(path, "removed"):
                path.unlink(missing_ok=True)
            removed += 1
    return removed


def check_digest(path: Path, *, place: str = "") -> None:
    """Raise GraphFileError unless the name of a file in the cache tells the SHA-256 of its place and bytes."""
    with file_errors(path, "read"):
        if file_digest(path, place=place) not in path.name:
            raise GraphFileError(path, "it is damaged: its SHA-256 is not that of its name; delete it to make it anew")


def _first(path: Path) -> int:
    return int(path.name[:10])


def _place(folder: Path, start: int) -> str:
    """Return what the graphs of a chunk are, as ``NAME-vVERSION/seedS/SPLIT/START``."""
    return "/".join([*folder.parts[-3:], str(start)])
