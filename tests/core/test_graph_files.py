"""What the core reads of graph files, and what it leaves to Python."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco import _core
from annealco.graph.formats import FORMATS
from annealco.graph.formats.text import NUMBER
from tests.graph.formats.strategies import holdable

CLOCK = _core.Clock()


def edges_of(found):
    weights = found.weights.tolist() or [1.0] * len(found.one)
    return sorted(zip(found.one.tolist(), found.two.tolist(), weights, strict=True))


def given_edges(graph):
    return list(zip(*graph.edges.tolist(), graph.edge_weight.tolist(), strict=True))


def begin_of(content, num_lines):
    """Return where the text after some lines begins."""
    return len(b"".join(content.splitlines(keepends=True)[:num_lines]))


@given(holdable(FORMATS["dimacs"].holds))
def test_what_is_written_as_dimacs_is_in_plain_form(graph):
    found = _core.read_dimacs(FORMATS["dimacs"].write(graph), CLOCK)
    assert (found.word, found.num_nodes, found.num_edges) == ("edge", graph.num_nodes, graph.num_edges)
    assert edges_of(found.edges) == given_edges(graph)
    weight = np.ones(graph.num_nodes)
    weight[found.weighted_nodes] = found.node_weights
    assert np.array_equal(weight, graph.node_weight)


@given(holdable(FORMATS["pace"].holds))
def test_what_is_written_as_pace_is_in_plain_form(graph):
    found = _core.read_dimacs(FORMATS["pace"].write(graph), CLOCK)
    assert (found.word, edges_of(found.edges)) == ("ds", given_edges(graph))


@given(holdable(FORMATS["metis"].holds))
def test_what_is_written_as_metis_is_in_plain_form(graph):
    content = FORMATS["metis"].write(graph)
    node_weighted, edge_weighted = bool(np.any(graph.node_weight != 1)), bool(np.any(graph.edge_weight != 1))
    found = _core.read_metis(content, begin_of(content, 1), graph.num_nodes, node_weighted, edge_weighted, CLOCK)
    assert edges_of(found.edges) == given_edges(graph)
    assert found.edges.num_listed == 2 * graph.num_edges
    assert found.node_weights.tolist() == (graph.node_weight.tolist() if node_weighted else [])


@given(holdable(FORMATS["matrixmarket"].holds))
def test_what_is_written_as_a_matrix_is_in_plain_form(graph):
    content = FORMATS["matrixmarket"].write(graph)
    weighted = bool(np.any(graph.edge_weight != 1))
    found = _core.read_entries(content, begin_of(content, 2), graph.num_nodes, weighted, False, CLOCK)
    assert sorted((v, u, weight) for u, v, weight in edges_of(found)) == given_edges(graph)


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), min_size=1), st.lists(st.integers(0, 300)))
def test_ids_of_an_edge_list_are_places_among_those_that_occur(pairs, alone):
    lines = [f"# isolated: {' '.join(map(str, alone))}", *(f"{u}\t{v} " for u, v in pairs)]
    found = _core.read_edge_list("\n".join(lines).encode(), CLOCK)
    assert found.names.tolist() == sorted({*alone, *(each for pair in pairs for each in pair)})
    names = found.names
    assert list(zip(names[found.edges.one].tolist(), names[found.edges.two].tolist(), strict=True)) == pairs


@given(
    st.one_of(
        st.floats(allow_nan=False, allow_infinity=False).map(repr),
        st.integers(-(10**25), 10**25).map(str),
        st.from_regex(NUMBER, fullmatch=True).filter(str.isascii),
        st.text("0123456789+-.eE", min_size=1, max_size=8),
    )
)
def test_numbers_are_those_of_python(word):
    found = _core.read_edge_list(f"0 1 {word}".encode(), CLOCK)
    plain = re.fullmatch(NUMBER, word) is not None and math.isfinite(float(word))
    if found is None:
        # What is too small for a normal number may be left to Python too.
        assert not plain or abs(float(word)) < 1e-300
    else:
        assert plain
        assert math.copysign(1, found.edges.weights[0]) == math.copysign(1, float(word))
        assert found.edges.weights.tolist() == [float(word)]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n\n",
        "e 1 2\n",
        "p edge 2 1\np edge 2 1\n",
        "p edge 2\n",
        "p edge 2 1 1\n",
        "p edge 2 1\ne 1 3\n",
        "p edge 2 1\ne 0 1\n",
        "p edge 2 1\ne 1 2 3 4\n",
        "p edge 2 1\ne 1\n",
        "p edge 2 1\ne1 2\n",
        "p edge 2 2\ne 1 2\ne 1 2 3\n",
        "p edge 2 1\nn 3 1\n",
        "p edge 2 1\nn 1\n",
        "p edge 2 1\nn 1 2 3\n",
        "p edge 2 1\nx 1 2\n",
        "p edge 2 1\ne 1 2x\n",
        "p edge 2 1\ne 1 +2\n",
        "p edge 2 1\ne 1 2147483648\n",
        "p edge 2 1\ne 1 00000000000000000002\n",
        "p edge 2147483648 1\ne 1 2\n",
        "p edge 2 1\ne 1 2 nan\n",
        "p edge 2 1\ne 1 2 1e999\n",
        "p sp 2 2\na 1 2 1\na 2 1 2\n",
        "p sp 2 2\na 1 2\na 2 1\n",
        "p sp 2 1\na 1 2 1\n",
        "p sp 2 1\ne 1 2 1\n",
    ],
)
def test_anything_else_is_left_to_python(content):
    assert _core.read_dimacs(content.encode(), CLOCK) is None


def test_lines_of_dimacs_may_be_indented_and_have_comments_between_them():
    found = _core.read_dimacs(b"\nc a\n \tc b\n p  col 3\t2 \n\n e 1 2\nc c\n3 2\n  n 2 1e1 ", CLOCK)
    assert (found.word, found.header_line, found.comment_bytes) == ("col", 4, 3 + 5 + 3)
    assert edges_of(found.edges) == [(0, 1, 1.0), (2, 1, 1.0)]
    assert (found.weighted_nodes.tolist(), found.node_weights.tolist()) == ([1], [10.0])


def test_arcs_and_general_matrices_keep_one_direction():
    found = _core.read_dimacs(b"p sp 3 5\na 2 1 5\na 1 2 5\na 3 2 7\na 2 3 7\na 1 1 9\n", CLOCK)
    assert edges_of(found.edges) == [(0, 0, 9.0), (0, 1, 5.0), (1, 2, 7.0)]
    assert found.edges.num_listed == 5
    both = _core.read_entries(b"1 2\n2 1\n", 0, 2, False, True, CLOCK)
    assert (edges_of(both), both.num_listed) == ([(0, 1, 1.0)], 2)
    assert _core.read_entries(b"1 2\n", 0, 2, False, True, CLOCK) is None
    assert _core.read_entries(b"2 1\n1 2\n2 1\n", 0, 2, False, True, CLOCK) is None


@pytest.mark.parametrize("content", ["1 2 3\n", "1\n", "1 2\n1 2 3\n", "1 3\n", "% 1\n1 2\n"])
def test_other_entries_are_left_to_python(content):
    assert _core.read_entries(content.encode(), 0, 2, False, False, CLOCK) is None


@pytest.mark.parametrize("content", ["2\n", "2\n1\n3\n", "2 2\n1\n", "3\n1\n", "2\n2\n", "2\n1 x\n", "2\n1\n\n\n1\n"])
def test_other_lines_of_nodes_are_left_to_python(content):
    assert _core.read_metis(content.encode(), 0, 2, False, False, CLOCK) is None


@pytest.mark.parametrize("content", ["0 1 # x\n", "0 1{}\n", "#isolated: x\n", "# nothing\n", "0,1\n", "0 999999\n"])
def test_other_edge_lists_are_left_to_python(content):
    assert _core.read_edge_list(content.encode(), CLOCK) is None


def test_a_begin_outside_of_the_text_is_refused():
    for begin in (-1, 4):
        with pytest.raises(ValueError, match="begin"):
            _core.read_entries(b"1 2", begin, 2, False, False, CLOCK)
        with pytest.raises(ValueError, match="begin"):
            _core.read_metis(b"1 2", begin, 2, False, False, CLOCK)
    with pytest.raises(ValueError, match="sizes"):
        _core.read_entries(b"1 2", 0, -1, False, False, CLOCK)


def test_a_stop_ends_the_reading():
    stop = _core.StopFlag()
    stop.set()
    assert _core.read_dimacs(b"p edge 2 1\ne 1 2\n", _core.Clock(stop=stop)) is None
