"""Check that sets are what they were when their checksums were pinned in the package, in ``pins.json``.

Pinned are the first graphs of each split of each synthetic set at seed 0, the file and the split of each real set, and
the stored cut instances. ``python -m annealco.datasets.checksums`` computes the pins anew; a change of the graphs must
do so deliberately, together with the version of the set.
"""

from __future__ import annotations

import hashlib
import json
import sys
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from annealco.datasets.cache import (
    all_chunks,
    check_chunk,
    check_digest,
    file_digest,
    find_file,
    fingerprint,
    is_cached,
    present_chunks,
    read_chunk,
    read_file,
    split_folder,
)
from annealco.datasets.cut_instances import STORED_SETS, draw_instances, dump_instances
from annealco.datasets.load import load_dataset
from annealco.datasets.registry import DATASETS, Dataset, draw
from annealco.datasets.splits import DEFAULT_COUNTS, shuffled
from annealco.errors import GraphFileError, InputError
from annealco.files import file_errors

PINNED = 20
"""Graphs of a split that are pinned."""

FILE = "pins.json"
Pins = dict[str, dict[str, Any]]


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
    stored = (files("annealco.datasets") / "cuts" / f"{dataset.name}.npz").read_bytes()
    if hashlib.sha256(stored).hexdigest() != pinned:
        raise InputError(f"{dataset.name}: the stored cut instances are not the pinned ones")


def load_pins() -> Pins:
    """Return the pinned checksums, by kind and name."""
    pins: Pins = json.loads((files("annealco.datasets") / FILE).read_text(encoding="utf-8"))
    return pins


def drawn_pins(dataset: Dataset) -> dict[str, str]:
    """Draw the first graphs of each split at seed 0, and return their checksums."""
    return {split: fingerprint(draw(dataset.drawn, split, seed=0, start=0, count=PINNED)) for split in DEFAULT_COUNTS}


def split_pin(dataset: Dataset) -> str:
    """Return the checksum of the order in which a real set is split at seed 0."""
    return hashlib.sha256(shuffled(dataset.name, dataset.graphs, 0).astype("<i8").tobytes()).hexdigest()


def make_cuts(name: str) -> bytes:
    """Draw the cut instances of a test split anew, and return their file."""
    seeds = DATASETS[name].cut_seeds or 0
    return dump_instances(draw_instances(load_dataset(name, "test"), seeds, name=name, seed=0))


def make_pins(folder: Path) -> None:
    """Compute all checksums and cut instances from the data folder, and write them into a folder."""
    real = [dataset for dataset in DATASETS.values() if dataset.kind == "real"]
    found = {dataset.name: path for dataset in real if (path := find_file(dataset))}
    for name, path in found.items():
        read_file(DATASETS[name], path)
    cuts = {name: make_cuts(name) for name in STORED_SETS}
    pins = {
        "drawn": {name: drawn_pins(each) for name, each in DATASETS.items() if each.kind == "synthetic"},
        "files": {name: file_digest(path) for name, path in found.items()},
        "splits": {dataset.name: split_pin(dataset) for dataset in real},
        "cuts": {name: hashlib.sha256(content).hexdigest() for name, content in cuts.items()},
    }
    (folder / "cuts").mkdir(exist_ok=True)
    for name, content in cuts.items():
        (folder / "cuts" / f"{name}.npz").write_bytes(content)
    (folder / FILE).write_text(json.dumps(pins, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    make_pins(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
