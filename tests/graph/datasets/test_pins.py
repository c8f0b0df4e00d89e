from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from pathlib import Path

import pytest

from annealco.graph.datasets import DATASETS
from annealco.graph.datasets.pins import drawn_pins, load_pins, make_pins, split_pin
from tests.graph.datasets.samples import needs_data

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
        content = (files("annealco.graph.datasets") / "cuts" / f"{name}.npz").read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest


@needs_data
@pytest.mark.slow
def test_the_command_makes_the_committed_file(tmp_path: Path) -> None:
    make_pins(tmp_path)
    assert json.loads((tmp_path / "pins.json").read_text()) == load_pins()
