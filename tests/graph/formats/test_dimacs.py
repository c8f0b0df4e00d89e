from __future__ import annotations

from pathlib import Path

import igraph
import pytest
from hypothesis import HealthCheck, given, settings

from annealco.errors import GraphFileError, NormalisationWarning
from annealco.graph.formats import FORMATS
from annealco.graph.formats.dimacs import WORDS, read_dimacs, write_dimacs, write_pace
from annealco.graph.graph import Graph
from tests.graph.formats.strategies import holdable

MYCIEL3 = [(1, 2), (1, 4), (1, 7), (1, 9), (2, 3), (2, 6), (2, 8), (3, 5), (3, 7), (3, 10)]
MYCIEL3 += [(4, 5), (4, 6), (4, 10), (5, 8), (5, 9), (6, 11), (7, 11), (8, 11), (9, 11), (10, 11)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.col"


def read(path: Path, content: str) -> Graph:
    path.write_text(content, encoding="utf-8")
    return read_dimacs(path)


def test_a_published_colouring_graph(path: Path) -> None:
    header = "c FILE: myciel3.col\nc\ncno blank after the c\np edge 11 20\n"
    graph = read(path, header + "".join(f"e {u} {v}\n" for u, v in MYCIEL3))
    assert [(u + 1, v + 1) for u, v in graph.edges.T.tolist()] == sorted(MYCIEL3)
    assert graph.labels.tolist() == list(range(1, 12))
    assert igraph.Graph(graph.edges.T.tolist()).girth() == 4


def test_both_directions_may_be_listed_and_either_count_declared(path: Path) -> None:
    lines = "".join(f"e {u} {v}\ne {v} {u}\n" for u, v in MYCIEL3)
    for declared in (20, 40):
        with pytest.warns(NormalisationWarning, match=r"a.col: 20 duplicate edges merged$"):
            assert read(path, f"p col 11 {declared}\n{lines}").num_edges == 20
    for declared in (19, 21, 39, 80):
        with (
            pytest.warns(NormalisationWarning),
            pytest.raises(GraphFileError, match=rf":1: {declared} edges .* lists 40 \(20 distinct\)$"),
        ):
            read(path, f"p col 11 {declared}\n{lines}")


def test_node_and_edge_weights(path: Path) -> None:
    graph = read(path, "p edge 4 2\nn 3 7.5\ne 1 2 -2\nn 1 0\nc between\ne 3 2 0.5\n")
    assert graph.node_weight.tolist() == [0, 1, 7.5, 1]
    assert graph.edge_weight.tolist() == [-2, 0.5]
    assert write_dimacs(graph) == b"p edge 4 2\nn 1 0\nn 3 7.5\ne 1 2 -2\ne 2 3 0.5\n"


@pytest.mark.parametrize("word", [word for word in WORDS.split() if word != "sp"])
def test_every_word_takes_lines_with_and_without_letter(word: str, path: Path) -> None:
    for line in ("1 3", "e 1 3", "\te\t1 3 "):
        graph = read(path, f"c\n\np {word} 3 1\n{line}\n")
        assert graph.edges.tolist() == [[0], [2]]
        assert graph.num_nodes == 3


def test_arcs_of_a_shortest_path_file_are_folded_without_a_word(path: Path) -> None:
    arcs = [(1, 2, 5), (2, 1, 5), (3, 2, 7), (2, 3, 7)]
    graph = read(path, "p sp 3 4\n" + "".join(f"a {u} {v} {w}\n" for u, v, w in arcs))
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.edge_weight.tolist() == [5, 7]
    with pytest.raises(GraphFileError, match=r":4: directed: the arc 3 2 has no reverse 2 3 of the same weight$"):
        read(path, "p sp 3 3\na 1 2 5\na 2 1 5\na 3 2 7\n")


def test_repeated_arcs_are_duplicates(path: Path) -> None:
    with pytest.warns(NormalisationWarning, match="1 self-loop dropped, 1 duplicate edge merged"):
        graph = read(path, "p sp 2 5\na 1 2 5\na 2 1 5\na 2 1 5\na 1 2 5\na 1 1 0\n")
    assert graph.num_edges == 1


def test_a_graph_without_nodes(path: Path) -> None:
    assert read(path, "p edge 0 0").num_nodes == 0
    assert write_dimacs(Graph.from_edges([], 0)) == b"p edge 0 0\n"
    assert write_pace(Graph.from_edges([], 0)) == b"p ds 0 0\n"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(holdable(FORMATS["dimacs"].holds))
def test_reading_line_by_line_gives_the_same(graph: Graph) -> None:
    lines = [line.split() for line in write_dimacs(graph).decode().splitlines()]
    assert lines[0] == ["p", "edge", str(graph.num_nodes), str(graph.num_edges)]
    edges = [[int(u) - 1, int(v) - 1] for kind, u, v, *_ in lines[1:] if kind == "e"]
    assert edges == graph.edges.T.tolist()
    weights = [float(line[3]) if len(line) > 3 else 1 for line in lines[1:] if line[0] == "e"]
    assert weights == graph.edge_weight.tolist()
    node_weights = {int(line[1]): float(line[2]) for line in lines[1:] if line[0] == "n"}
    assert [node_weights.get(node, 1) for node in range(1, graph.num_nodes + 1)] == graph.node_weight.tolist()


def test_pace_files_have_bare_lines() -> None:
    assert write_pace(Graph.from_edges([[0, 1], [1, 2]], 4)) == b"p ds 4 2\n1 2\n2 3\n"
