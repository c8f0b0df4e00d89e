from __future__ import annotations

from pathlib import Path

import pytest

from annealco.errors import GraphFileError, NormalisationWarning
from annealco.graph.formats.metis import read_metis, write_metis
from annealco.graph.graph import Graph


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.graph"


def read(path: Path, content: str) -> Graph:
    path.write_text(content, encoding="utf-8")
    return read_metis(path)


MANUAL = [(1, 2), (1, 3), (1, 5), (2, 3), (2, 4), (3, 4), (3, 5), (4, 6), (4, 7), (5, 6), (6, 7)]
"""The example graph of METIS's manual: 7 nodes, 11 edges."""


def adjacency() -> list[list[int]]:
    return [[v if u == node else u for u, v in MANUAL if node in (u, v)] for node in range(1, 8)]


def test_the_manual_s_graph(path: Path) -> None:
    graph = read(path, "7 11\n" + "".join(" ".join(map(str, row)) + "\n" for row in adjacency()))
    assert [(u + 1, v + 1) for u, v in graph.edges.T.tolist()] == MANUAL
    assert graph.labels.tolist() == list(range(1, 8))


def test_the_manual_s_graph_with_all_weights(path: Path) -> None:
    weight = {frozenset(edge): number for number, edge in enumerate(MANUAL, 1)}
    rows = [" ".join(f"{v} {weight[frozenset((u, v))]}" for v in row) for u, row in enumerate(adjacency(), 1)]
    text = "% comment\n7 11 011 1\n" + "".join(f"% of {u}\n  {u * 10} {row}\n" for u, row in enumerate(rows, 1))
    graph = read(path, text)
    assert graph.node_weight.tolist() == [10, 20, 30, 40, 50, 60, 70]
    assert graph.edge_weight.tolist() == list(range(1, 12))
    assert read(path, write_metis(graph).decode()).equals(graph)


def test_blank_lines_are_nodes_and_comments_are_not(path: Path) -> None:
    graph = read(path, "\n4 1\n\n% comment\n4\n\n2")
    assert graph.edges.tolist() == [[1], [3]]
    assert read(path, "2 0\n\n\n\n \n").num_nodes == 2
    with pytest.raises(GraphFileError, match=r":2: 4 nodes are declared, but 3 lines follow$"):
        read(path, "\n4 0\n\n% comment\n\n\n")


def test_weights_may_be_decimal(path: Path) -> None:
    graph = read(path, "2 1 11\n0.5 2 -1.25\n0 1 -1.25\n")
    assert graph.node_weight.tolist() == [0.5, 0]
    assert graph.edge_weight.tolist() == [-1.25]
    assert write_metis(graph) == b"2 1 11\n0.5 2 -1.25\n0 1 -1.25\n"


def test_writing_leaves_lines_of_isolated_nodes_empty() -> None:
    assert write_metis(Graph.from_edges([[0], [2]], 4)) == b"4 1\n3\n\n1\n\n"
    assert write_metis(Graph.from_edges([[0], [1]], edge_weight=[3])) == b"2 1 1\n2 3\n1 3\n"
    assert write_metis(Graph.from_edges([], 2, node_weight=[2, 1])) == b"2 0 10\n2\n1\n"
    assert write_metis(Graph.from_edges([], 0)) == b"0 0\n"


@pytest.mark.parametrize("declared", [1, 2, 3])
def test_self_loops_and_duplicates_may_be_counted_or_not(declared: int, path: Path) -> None:
    with pytest.warns(NormalisationWarning, match="1 self-loop dropped, 1 duplicate edge merged"):
        graph = read(path, f"2 {declared}\n2 1 2\n1 1\n")
    assert graph.edges.tolist() == [[0], [1]]


def test_each_entry_must_be_listed_back(path: Path) -> None:
    with pytest.raises(GraphFileError, match=r":3: directed: node 2 lists 3, but is not listed back$"):
        read(path, "3 2\n2\n1 3\n\n")
    with pytest.raises(
        GraphFileError, match=r":2: directed: node 1 lists 2, but is not listed back with the same weight$"
    ):
        read(path, "2 1 1\n2 5\n1 6\n")
    with pytest.raises(GraphFileError, match="directed: node 1 lists 2"):
        read(path, "2 1\n2 2\n1\n")
