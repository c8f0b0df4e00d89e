from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.errors import InputError, NormalisationWarning
from annealco.graph.graph import Graph

NAN, INFINITY = float("nan"), float("inf")

# What is given, the rule that answers, and the edge and node it blames.
BROKEN: dict[str, tuple[dict[str, Any], str, int | None, int | None]] = {
    "one row": ({"edges": [[0, 1, 2]]}, r"edges must have shape \[2, num_edges\], these have \[1, 3\]", None, None),
    "pairs": ({"edges": [[0, 1]] * 3}, r"edges must have shape \[2, num_edges\], these have \[3, 2\]", None, None),
    "flat": ({"edges": [0, 1]}, r"these have \[2\]", None, None),
    "three axes": ({"edges": np.zeros((2, 2, 2), int)}, r"these have \[2, 2, 2\]", None, None),
    "fractions": ({"edges": [[0.0], [1.0]]}, "edges must be integer node ids, these are float64", None, None),
    "letters": ({"edges": [["a"], ["b"]]}, "edges must be integer node ids, these are <U1", None, None),
    "booleans": ({"edges": [[True], [False]]}, "edges must be integer node ids, these are bool", None, None),
    "ragged": ({"edges": [[0, 1], [1]]}, "edges must", None, None),
    "id too large": ({"edges": [[0, 0], [1, 5]], "num_nodes": 3}, r"edge 1 has node 5, outside 0\.\.2", 1, None),
    "negative id": ({"edges": [[1, -2], [0, 1]], "num_nodes": 3}, r"edge 1 has node -2, outside 0\.\.2", 1, None),
    "only negative ids": ({"edges": [[-5], [-3]]}, "edge 0 has node -5, outside an empty graph", 0, None),
    "no nodes": ({"edges": [[0], [1]], "num_nodes": 0}, "edge 0 has node 0, outside an empty graph", 0, None),
    "negative count": ({"edges": [], "num_nodes": -1}, "num_nodes must be a whole number .*not -1", None, None),
    "half a node": ({"edges": [], "num_nodes": 2.5}, r"num_nodes must be a whole number .*not 2\.5", None, None),
    "count in letters": ({"edges": [], "num_nodes": "5"}, "num_nodes must be a whole number .*not '5'", None, None),
    "too many": ({"edges": [], "num_nodes": 2**31}, "at most 2,147,483,647 nodes .* 2,147,483,648", None, None),
    "id far too large": ({"edges": [[0], [2**40]]}, "at most 2,147,483,647 nodes .* 1,099,511,627,777", None, None),
    "far too many": ({"edges": [], "num_nodes": 10**30}, "at most 2,147,483,647 nodes are possible", None, None),
    "both sizes": ({"edges": [], "num_nodes": 1, "node_ptr": [0, 1]}, "num_nodes or node_ptr, not both", None, None),
    "late start": ({"edges": [], "node_ptr": [1, 2]}, r"must start at 0 and never fall, .* \[1, 2\]", None, None),
    "falling": ({"edges": [], "node_ptr": [0, 3, 2]}, r"must start at 0 and never fall, .* \[0, 3, 2\]", None, None),
    "no offsets": ({"edges": [], "node_ptr": []}, "node offsets must", None, None),
    "nested offsets": ({"edges": [], "node_ptr": [[0, 1]]}, "node offsets must", None, None),
    "fraction offsets": ({"edges": [], "node_ptr": [0, 2.5]}, "node offsets must", None, None),
    "nan offsets": ({"edges": [], "node_ptr": [0, NAN]}, "node offsets must", None, None),
    "letter offsets": ({"edges": [], "node_ptr": ["a"]}, "node offsets must", None, None),
    "across": ({"edges": [[0, 0], [1, 3]], "node_ptr": [0, 2, 2, 4]}, "edge 1 joins the graphs 0 and 2", 1, None),
    "nan": ({"edges": [[0, 1], [1, 2]], "edge_weight": [1, NAN]}, "must be finite, edge 1 has nan", 1, None),
    "infinite": ({"edges": [[0], [1]], "edge_weight": [-INFINITY]}, "must be finite, edge 0 has -inf", 0, None),
    "huge": ({"edges": [[0], [1]], "edge_weight": [10**400]}, "edge weights must be", None, None),
    "sum": (
        {"edges": [[0], [1]], "node_weight": [1e307, 1e308]},
        r"node weights must add up to less than 1e\+301 in size, node 1 has 1e\+308, too large",
        None,
        1,
    ),
    "large": ({"edges": [[0, 1], [1, 2]], "edge_weight": [1, -1e302]}, r"edge 1 has -1e\+302, too large", 1, None),
    "nan node": ({"edges": [[0], [1]], "node_weight": [1, NAN]}, "finite and not negative, node 1 has nan", None, 1),
    "negative": ({"edges": [[0], [1]], "node_weight": [-0.5, 1]}, r"not negative, node 0 has -0\.5", None, 0),
    "short": ({"edges": [[0], [1]], "node_weight": [1]}, r"node weights .* shape \[2\], these have \[1\]", None, None),
    "long": ({"edges": [[0], [1]], "edge_weight": [1, 2]}, r"edge weights .* \[1\], these have \[2\]", None, None),
    "scalar": ({"edges": [[0], [1]], "edge_weight": 5}, r"edge weights .* \[1\], these have \[\]", None, None),
    "word": ({"edges": [[0], [1]], "edge_weight": ["heavy"]}, "edge weights must be", None, None),
    "digits": ({"edges": [[0], [1]], "edge_weight": ["3"]}, "edge weights must be", None, None),
    "complex": ({"edges": [[0], [1]], "edge_weight": np.array([1 + 2j])}, "edge weights must be", None, None),
    "date": ({"edges": [[0], [1]], "edge_weight": np.array(["2020"], "M8[D]")}, "edge weights must be", None, None),
    "ragged weight": ({"edges": [[0], [1]], "node_weight": [[1], [2, 3]]}, "node weights must be", None, None),
    "few labels": ({"edges": [[0], [1]], "node_labels": ["a"]}, r"labels .* shape \[2\], these have \[1\]", None, None),
    "twins": ({"edges": [[0], [1]], "node_labels": ["a", "a"]}, "unique in a graph, 'a' occurs twice", None, 1),
    "equal labels": ({"edges": [[0], [1]], "node_labels": [1, True]}, "node labels must be unique", None, 1),
    "list labels": ({"edges": [[0], [1]], "node_labels": [[1], [2]]}, "node labels must be hashable", None, None),
    "node data": ({"edges": [[0], [1]], "node_data": {"x": [1]}}, r"node data 'x' must have 2 .* \[1\]", None, None),
    "no node data": ({"edges": [[0], [1]], "node_data": {"x": 1}}, r"node data 'x' must have 2 .* \[\]", None, None),
    "graph data": ({"edges": [], "graph_data": {"n": [1, 2]}}, r"graph data 'n' must have 1 .* \[2\]", None, None),
    "ragged data": ({"edges": [[0], [1]], "node_data": {"x": [[1], [2, 3]]}}, "node data 'x' must", None, None),
    "two weights": (
        {"edges": [[0, 2, 1], [1, 1, 2]], "edge_weight": [5, 1, 2.5]},
        r"edge 1-2 occurs with two weights, 1 and 2\.5",
        2,
        None,
    ),
    "third weight": (
        {"edges": [[0, 0, 1, 1], [1, 2, 0, 0]], "edge_weight": [1, 9, 1, 2]},
        "edge 0-1 occurs with two weights, 1 and 2",
        3,
        None,
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_rule_is_named_with_its_place(case: str) -> None:
    arguments, rule, edge, node = BROKEN[case]
    with pytest.raises(InputError, match=rule) as caught:
        Graph.from_edges(**arguments, origin="letters.txt")
    assert str(caught.value) == f"letters.txt: {caught.value.rule}"
    assert "\n" not in str(caught.value)
    assert (caught.value.edge, caught.value.node) == (edge, node)


# Edges, what the warning says of them, and what is left.
UNTIDY = [
    ([[0, 1], [0, 2]], "1 self-loop dropped", [[1], [2]]),
    ([[0, 1, 1, 1], [0, 2, 1, 1]], "3 self-loops dropped", [[1], [2]]),
    ([[0, 1], [1, 0]], "1 duplicate edge merged", [[0], [1]]),
    ([[0, 1, 0, 2], [1, 0, 1, 1]], "2 duplicate edges merged", [[0, 1], [1, 2]]),
    ([[0, 1, 2], [1, 0, 2]], "1 self-loop dropped, 1 duplicate edge merged", [[0], [1]]),
    ([[0, 0], [0, 0]], "2 self-loops dropped", [[], []]),
]


@pytest.mark.parametrize(("edges", "said", "left"), UNTIDY)
def test_loops_are_dropped_and_duplicates_merged_with_a_count(
    edges: list[list[int]], said: str, left: list[list[int]]
) -> None:
    with pytest.warns(NormalisationWarning) as caught:
        graph = Graph.from_edges(edges, 3, origin="untidy.txt")
    assert [str(warning.message) for warning in caught] == [f"untidy.txt: {said}"]
    assert caught[0].filename == __file__
    assert graph.edges.tolist() == left
    assert graph.num_nodes == 3


def test_tidy_input_says_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Graph.from_edges([[2, 0], [1, 2]], node_weight=[0, 1, 2], edge_weight=[-1, 0])
        Graph.from_edges([[1], [0]], node_ptr=[0, 0, 2, 2, 3])


def test_loops_may_weigh_anything_finite() -> None:
    with pytest.warns(NormalisationWarning, match="2 self-loops dropped"):
        graph = Graph.from_edges([[0, 0, 0], [0, 1, 0]], edge_weight=[3, 7, 4])
    assert graph.edge_weight.tolist() == [7]
    with pytest.raises(InputError, match="must be finite, edge 0 has nan"):
        Graph.from_edges([[0], [0]], edge_weight=[NAN])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12))
def test_normalising_is_taking_the_set_of_pairs(pairs: list[tuple[int, int]]) -> None:
    proper = [frozenset(pair) for pair in pairs if pair[0] != pair[1]]
    loops, repeats = len(pairs) - len(proper), len(proper) - len(set(proper))
    # An edge's weight depends on its ends alone, so duplicates agree.
    edges, weight = np.array(pairs, dtype=np.int64).reshape(-1, 2).T, [10 * min(pair) + max(pair) for pair in pairs]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graph = Graph.from_edges(edges, 5, edge_weight=weight)
    expected = sorted((min(pair), max(pair)) for pair in set(proper))
    assert list(zip(*graph.edges.tolist(), strict=True)) == expected
    assert graph.edge_weight.tolist() == [10 * low + high for low, high in expected]
    said = str(caught[0].message) if caught else ""
    assert len(caught) == (loops + repeats > 0)
    assert (f"{loops} self-loop" in said) == (loops > 0)
    assert (f"{repeats} duplicate" in said) == (repeats > 0)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.uint64])
def test_ids_of_any_integer_type_do_not_overflow(dtype: type[np.integer[Any]]) -> None:
    ends = np.array([[100, 3], [120, 101]], dtype=dtype)
    assert Graph.from_edges(ends, 100_000).edges.tolist() == [[3, 100], [101, 120]]


def test_the_largest_ids_keep_their_order() -> None:
    largest = 2_000_000
    graph = Graph.from_edges([[largest, 5, largest - 1], [largest - 1, largest, 0]])
    assert graph.edges.tolist() == [[0, 5, largest - 1], [largest - 1, largest, largest]]


def test_numbers_of_any_real_type_are_weights() -> None:
    for weight in ([True, False], [1, 0], np.array([1, 0], np.int8), np.array([1, 0], np.float32), (1.0, 0)):
        assert Graph.from_edges([[0], [1]], node_weight=weight).node_weight.tolist() == [1, 0]


def test_labels_may_be_any_hashable_objects() -> None:
    labels = [("a", 1), frozenset({2}), None, 3.5, "x"]
    assert Graph.from_edges([], 5, node_labels=labels).labels.tolist() == labels
    assert Graph.from_edges([], 2, node_labels=np.array(["ab", "c"])).labels.tolist() == ["ab", "c"]
    assert Graph.from_edges([], 2, node_labels=[(0, 0), (0, 1)]).labels.tolist() == [(0, 0), (0, 1)]
