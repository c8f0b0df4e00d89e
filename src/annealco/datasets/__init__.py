"""Named sets of graphs, with splits: drawn on demand, read from a folder, or made of public archives."""

from __future__ import annotations

from annealco.datasets.cut_instances import CutInstances, cut_instances
from annealco.datasets.load import load_dataset
from annealco.datasets.registry import DATASETS, Dataset

__all__ = ["DATASETS", "CutInstances", "Dataset", "cut_instances", "load_dataset"]
