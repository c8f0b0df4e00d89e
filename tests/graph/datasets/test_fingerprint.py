from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annealco.graph.datasets.fingerprint import MOST_BYTES, file_digest, fingerprint
from annealco.graph.errors import GraphFileError
from annealco.graph.generators import generate
from annealco.graph.graph import Graph


def test_everything_counts_but_the_type_that_holds_it() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2]], graph_data={"name": ["a"], "y": np.array([1], np.uint8)})
    first = fingerprint(graph)
    assert fingerprint(replace(graph, graph_data={"name": np.array(["a"]), "y": np.array([1])})) == first
    others = [
        graph.with_weights(node_weight=[1, 2, 1]),
        graph.with_weights(edge_weight=[1, 2]),
        Graph.from_edges([[0, 1], [1, 2]], 4, graph_data=graph.graph_data),
        Graph.from_edges([[0, 0], [1, 2]], graph_data=graph.graph_data),
        replace(graph, graph_data={"name": np.array(["b"]), "y": np.array([1])}),
        replace(graph, graph_data={"name": np.array(["a"]), "z": np.array([1])}),
        replace(graph, node_data={"y": np.zeros(3)}),
    ]
    assert len({first, *map(fingerprint, others)}) == 1 + len(others)


def test_it_is_what_the_arrays_written_out_give() -> None:
    graph = generate("rb-small", count=2, seed=1)
    text = hashlib.sha256()
    arrays = {
        "edge_weight": (graph.edge_weight, "<f8"),
        "edges": (graph.edges, "<i8"),
        "graph.num_groups": (graph.graph_data["num_groups"], "<i8"),
        "graph.planted_size": (graph.graph_data["planted_size"], "<i8"),
        "node.group": (graph.node_data["group"], "<i8"),
        "node.planted": (graph.node_data["planted"], "<i8"),
        "node_ptr": (graph.node_ptr, "<i8"),
        "node_weight": (graph.node_weight, "<f8"),
    }
    for name, (array, kind) in arrays.items():
        text.update(f"{name} {list(array.shape)} ".encode() + array.astype(kind).tobytes())
    assert fingerprint(graph) == text.hexdigest()


def test_files_are_hashed_whole(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    assert file_digest(tmp_path / "file") == hashlib.sha256(b"abc").hexdigest()
    assert file_digest(tmp_path / "file", place="x/") == hashlib.sha256(b"x/abc").hexdigest()


def test_files_that_are_too_large_are_not_read(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(GraphFileError, match=r"it has 4,294,967,297 bytes, the most are 4,294,967,296"):
        file_digest(tmp_path / "file")
