"""Check that sets are what they were when their checksums were pinned."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from os import PathLike
from pathlib import Path

from annealco.graph.datasets.chunks import (
    all_chunks,
    check_chunk,
    check_digest,
    present_chunks,
    read_chunk,
    split_folder,
)
from annealco.graph.datasets.cut_instances import STORED_SETS
from annealco.graph.datasets.dataset import Dataset
from annealco.graph.datasets.files import find_file, is_cached, read_file
from annealco.graph.datasets.fingerprint import file_digest, fingerprint
from annealco.graph.datasets.pins import drawn_pins, load_pins, split_pin
from annealco.graph.datasets.splits import DEFAULT_COUNTS
from annealco.graph.errors import GraphFileError, InputError
from annealco.graph.formats.storage import file_errors


def verify(dataset: Dataset, data_root: str | PathLike[str] | None = None) -> str | None:
    """Check a set and return what was checked, or None where a real set is not on the disk.

    A synthetic set is drawn again where it is pinned, and all its chunks in the cache are read. A real set must have
    the bytes that are pinned, or those that its name in the cache tells, and the size that is published; its split and
    its cut instances must be the pinned ones.

    Raises:
        InputError: naming what differs.
    """
    return _verify_drawn(dataset) if dataset.kind == "synthetic" else _verify_stored(dataset, data_root)


def _verify_drawn(dataset: Dataset) -> str:
    pinned = load_pins()["drawn"][dataset.name]
    found = drawn_pins(dataset)
    for split in DEFAULT_COUNTS:
        if found[split] != pinned[split]:
            rule = f"{dataset.name}: the first graphs of {split!r} are not the pinned ones: their SHA-256 is "
            raise InputError(f"{rule}{found[split]}, not {pinned[split]}")
    chunks = 0
    for path in all_chunks(dataset):
        check_chunk(path)
        chunks += 1
    for split in DEFAULT_COUNTS:
        first = present_chunks(split_folder(dataset, split, 0)).get(0)
        if first is not None and fingerprint(read_chunk(first)) != pinned[split]:
            raise GraphFileError(first, "its graphs are not the pinned ones; delete it to make it anew")
    return f"first graphs of {len(pinned)} splits, {chunks} files in the cache"


def _verify_stored(dataset: Dataset, data_root: str | PathLike[str] | None) -> str | None:
    pins = load_pins()
    if split_pin(dataset) != pins["splits"][dataset.name]:
        raise InputError(f"{dataset.name}: the order in which it is split is not the pinned one")
    if dataset.name in STORED_SETS:
        _verify_cuts(dataset, pins["cuts"][dataset.name])
    path = find_file(dataset, data_root)
    if path is None:
        return None
    verify_file(dataset, path)
    graph = read_file(dataset, path)
    cuts = ", cut instances" if dataset.name in STORED_SETS else ""
    return f"bytes, {graph.num_graphs} graphs of the published size, split{cuts}"


def verify_file(dataset: Dataset, path: Path) -> None:
    """Raise a GraphFileError unless the file of a real set has the bytes that are pinned, or that its name tells."""
    if is_cached(path):
        check_digest(path)
        return
    pinned = load_pins()["files"].get(dataset.name)
    with file_errors(path, "read"):
        found = file_digest(path)
    if pinned is not None and found != pinned:
        raise GraphFileError(path, f"its SHA-256 is {found}, not the pinned {pinned}")


def _verify_cuts(dataset: Dataset, pinned: str) -> None:
    stored = (files("annealco.graph.datasets") / "cuts" / f"{dataset.name}.npz").read_bytes()
    if hashlib.sha256(stored).hexdigest() != pinned:
        raise InputError(f"{dataset.name}: the stored cut instances are not the pinned ones")
