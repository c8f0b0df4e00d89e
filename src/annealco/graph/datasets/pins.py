"""Hold the checksums that pin the sets, in the package as ``pins.json``.

They are those of the first graphs of each split of each synthetic set at seed 0, of the file and of the split of each
real set, and of the stored cut instances. ``python -m annealco.graph.datasets.pins`` makes them anew, which a change of
the graphs must do deliberately, together with the version of the set.
"""

from __future__ import annotations

import hashlib
import json
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from annealco.graph.datasets.cut_instances import STORED_SETS, draw_instances, dump_instances
from annealco.graph.datasets.dataset import Dataset
from annealco.graph.datasets.drawing import draw
from annealco.graph.datasets.files import find_file, read_file
from annealco.graph.datasets.fingerprint import file_digest, fingerprint
from annealco.graph.datasets.loading import load_dataset
from annealco.graph.datasets.registry import DATASETS
from annealco.graph.datasets.splits import DEFAULT_COUNTS, shuffled

PINNED = 20
"""Graphs of a split that are pinned."""

FILE = "pins.json"
Pins = dict[str, dict[str, Any]]


def load_pins() -> Pins:
    """Return the pinned checksums, by kind and name."""
    pins: Pins = json.loads((files("annealco.graph.datasets") / FILE).read_text(encoding="utf-8"))
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
