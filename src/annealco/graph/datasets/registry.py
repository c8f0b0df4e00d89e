"""Name the sets of graphs that experiments use."""

from __future__ import annotations

from annealco.graph.datasets.dataset import Dataset
from annealco.graph.datasets.real import REAL
from annealco.graph.datasets.synthetic import SYNTHETIC
from annealco.graph.errors import InputError

DATASETS: dict[str, Dataset] = {dataset.name: dataset for dataset in (*SYNTHETIC, *REAL)}
"""The sets by name."""


def find_dataset(name: str) -> Dataset:
    """Return a set by its name, or raise an error with the names there are."""
    if name not in DATASETS:
        raise InputError(f"unknown data set {name!r}; choose one of {', '.join(DATASETS)}")
    return DATASETS[name]
