"""Named sets of graphs, with splits: drawn on demand, read from a folder, or made of public archives."""

from __future__ import annotations

from annealco.graph.datasets.cut_instances import CutInstances, cut_instances
from annealco.graph.datasets.dataset import Dataset
from annealco.graph.datasets.loading import load_dataset
from annealco.graph.datasets.registry import DATASETS

__all__ = ["DATASETS", "CutInstances", "Dataset", "cut_instances", "load_dataset"]
