"""Keep drawn graphs in the cache, in files of a few graphs each that are named by their checksum.

A file is written under another name and renamed when it is complete, and its name tells the SHA-256 of its bytes. So
whoever is killed leaves no file that could be mistaken for a good one, two processes that draw the same graphs put the
same file in the same place without asking each other, and a byte that changes later is noticed.
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
    return cache_folder() / "drawn" / f"{dataset.name}-v{dataset.drawn.version}"


def split_folder(dataset: Dataset, split: str, seed: int) -> Path:
    """Return the folder with the chunks of one split and seed."""
    return set_folder(dataset) / f"seed{seed}" / split


def present_chunks(folder: Path) -> dict[int, Path]:
    """Return the chunks that are there, by the number of their first graph."""
    with file_errors(folder, "read"):
        paths = sorted(folder.iterdir(), reverse=True) if folder.is_dir() else []
    found = ((_NAME.fullmatch(path.name), path) for path in paths)
    return {int(match[1]): path for match, path in found if match}


def all_chunks(dataset: Dataset) -> Iterator[Path]:
    """Go through the chunks of all splits and seeds that are in the cache."""
    for folder in sorted(set_folder(dataset).glob("seed*/*")):
        yield from present_chunks(folder).values()


def make_chunk(dataset: Dataset, split: str, *, seed: int, start: int) -> None:
    """Draw a chunk and put it into the cache, unless it is there."""
    folder = split_folder(dataset, split, seed)
    if any(_NAME.fullmatch(path.name) for path in folder.glob(f"{start:010d}-*")):
        return
    content = write_npz(draw(dataset.drawn, split, seed=seed, start=start, count=CHUNK))
    path = folder / f"{start:010d}-{hashlib.sha256(content).hexdigest()}.npz"
    with file_errors(path, "written"):
        folder.mkdir(parents=True, exist_ok=True)
        store(path, content)


def read_chunk(path: Path) -> Graph:
    """Read the graphs of a chunk.

    Raises:
        GraphFileError: where its bytes are not those that its name promises.
    """
    check_digest(path)
    with file_errors(path, "read"):
        return read_npz(path)


def check_digest(path: Path) -> None:
    """Raise GraphFileError unless the name of a file in the cache tells its SHA-256."""
    with file_errors(path, "read"):
        if file_digest(path) not in path.name:
            raise GraphFileError(path, "it is damaged: its SHA-256 is not that of its name; delete it to make it anew")
