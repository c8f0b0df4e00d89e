from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from annealco.cli.named_graphs import read_named, stem
from annealco.graph.errors import GraphFileError
from annealco.graph.formats import write_graph
from annealco.graph.graph import Graph

PAIR = Graph.from_edges([[0], [1]])
PATH = Graph.from_edges([[0, 1], [1, 2]])


def names(graph: Graph) -> list[str]:
    return graph.graph_data["name"].tolist()


def test_graphs_are_named_by_themselves_or_by_their_file(tmp_path: Path) -> None:
    write_graph(Graph.batch([PAIR, PATH]), tmp_path / "both.npz")
    own = Graph.from_edges([[0], [1]], graph_data={"name": ["mine"]})
    blank = Graph.from_edges([[0], [1]], graph_data={"name": [""]})
    write_graph(Graph.batch([own, blank]), tmp_path / "some.npz")
    (tmp_path / "path.v2.COL.gz").write_bytes(gzip.compress(b"p edge 3 2\ne 1 2\ne 2 3\n"))
    graphs = read_named([tmp_path / name for name in ("both.npz", "some.npz", "path.v2.COL.gz")])
    assert names(graphs) == ["both#0", "both#1", "mine", "some#1", "path.v2"]
    assert [graph.num_nodes for graph in graphs] == [2, 3, 2, 2, 3]
    assert graphs[4].labels.tolist() == [1, 2, 3]


def test_a_single_file_is_read_as_it_is(tmp_path: Path) -> None:
    write_graph(PATH.with_weights(node_weight=[1, 2, 3]), tmp_path / "path.npz")
    graph = read_named([tmp_path / "path.npz"])
    assert names(graph) == ["path"]
    assert graph.node_weight.tolist() == [1, 2, 3]
    assert graph.edges.tolist() == PATH.edges.tolist()


def test_a_file_of_no_graphs_gives_none(tmp_path: Path) -> None:
    write_graph(Graph.batch([]), tmp_path / "none.npz")
    assert read_named([tmp_path / "none.npz"]).num_graphs == 0
    assert read_named([tmp_path / "none.npz", tmp_path / "none.npz"]).num_graphs == 0


def test_the_format_can_be_named_and_errors_are_those_of_reading(tmp_path: Path) -> None:
    (tmp_path / "path").write_text("p edge 3 2\ne 1 2\ne 2 3\n")
    assert read_named([tmp_path / "path"], format="dimacs").num_nodes == 3
    with pytest.raises(GraphFileError, match="unknown extension"):
        read_named([tmp_path / "path"])


@pytest.mark.parametrize(
    ("name", "expected"), [("a/b.col", "b"), ("b.npz", "b"), ("b.txt.gz", "b"), ("b", "b"), ("a.b.graph", "a.b")]
)
def test_stems(name: str, expected: str) -> None:
    assert stem(Path(name)) == expected
