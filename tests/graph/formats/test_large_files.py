"""Files of many chunks are read whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from annealco.graph.formats import read_graph

NUM_NODES, NUM_EDGES = 20_000, 200_000


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
def test_every_edge_is_read(
    name: str, header: str, line: str, first: int, edges: list[tuple[int, int]], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(header + "".join(line % (u + first, v + first) for u, v in edges))
    graph = read_graph(path)
    assert (graph.num_nodes, graph.num_edges) == (NUM_NODES, NUM_EDGES)
    assert graph.degree.tolist() == [20] * NUM_NODES
