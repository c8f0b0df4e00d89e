"""A million edges load in seconds."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from annealco.graph.formats import read_graph

NUM_NODES, NUM_EDGES = 100_000, 1_000_000


@pytest.fixture(scope="module")
def edges() -> list[tuple[int, int]]:
    """Draw distinct edges from a circle and its chords."""
    tail = np.arange(NUM_EDGES) % NUM_NODES
    head = (tail + 1 + np.arange(NUM_EDGES) // NUM_NODES) % NUM_NODES
    return list(zip(tail.tolist(), head.tolist(), strict=True))


@pytest.mark.parametrize(
    ("name", "header", "line", "first"),
    [("a.edges", "", "%d %d\n", 0), ("a.col", f"p edge {NUM_NODES} {NUM_EDGES}\n", "e %d %d\n", 1)],
)
def test_a_million_edges_load_in_seconds(
    name: str, header: str, line: str, first: int, edges: list[tuple[int, int]], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(header + "".join(line % (u + first, v + first) for u, v in edges))
    start = time.process_time()
    graph = read_graph(path)
    assert time.process_time() - start < 5
    assert (graph.num_nodes, graph.num_edges) == (NUM_NODES, NUM_EDGES)
    assert graph.degree.tolist() == [20] * NUM_NODES
