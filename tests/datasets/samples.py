"""Small sets and archives of the layouts that are published."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annealco.datasets.registry import DATASETS, Dataset, StoredOrigin
from annealco.graph.graph import Graph

# A triangle with a loop and a tail of one node, and a path of three: 7 nodes and 6 edges.
TU_FILES = {
    "TINY/TINY_A.txt": b"1, 2\n2, 1\n2, 3\n3, 2\n1, 3\n3, 1\n1, 1\n3, 4\n4, 3\n5, 6\n6, 5\n6, 7\n7, 6\n",
    "TINY/TINY_graph_indicator.txt": b"1\n1\n1\n1\n2\n2\n2\n",
    "TINY/TINY_graph_labels.txt": b"1\n-1\n",
    "TINY/README.txt": b"nothing",
}

needs_data = pytest.mark.skipif("ANNEALCO_DATA" not in os.environ, reason="the real sets are not here")


def write_zip(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def write_tar(path: Path, files: Mapping[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def small_set(url: str | None = None, convert: Callable[[Path], Graph] | None = None, **changes: object) -> Dataset:
    """Return a real set of ten paths with 2 to 11 nodes: 6.5 nodes and 5.5 edges on average."""
    facts = {"name": "paths", "graphs": 10, "mean_nodes": 6.5, "mean_edges": 5.5, "published": None, "cut_seeds": 2}
    return replace(DATASETS["imdb"], origin=StoredOrigin("PATHS.npz", url, convert), **{**facts, **changes})


def paths() -> Graph:
    parts = [
        Graph.from_edges(np.array([np.arange(size - 1), np.arange(1, size)]), size, graph_data={"y": [size % 2]})
        for size in range(2, 12)
    ]
    return Graph.batch(parts)


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """Put the set of ten paths among the named ones."""
    monkeypatch.setitem(DATASETS, "paths", small_set())
    return DATASETS["paths"]
