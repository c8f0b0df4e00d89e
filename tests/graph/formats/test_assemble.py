from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.errors import GraphFileError, NormalisationWarning
from annealco.graph.formats.assemble import (
    assemble,
    find_unmatched,
    fold,
    from_one,
    single_offsets,
)
from annealco.graph.formats.text import Text

NAMES = np.array(["x", "y", "z"], dtype=object)
ENDS = np.array([[0, 1, 1, 2], [1, 0, 2, 2]])


def build(**changes):
    given = {"node_ptr": single_offsets(3), "names": NAMES, "edge_line": np.array([5, 6, 8, 9])}
    return assemble("a.col", ENDS, **given | changes)


def test_edges_are_normalised_with_a_warning_that_names_the_file() -> None:
    with pytest.warns(NormalisationWarning, match=r"^a.col: 1 self-loop dropped, 1 duplicate edge merged$"):
        graph = build(node_weight=np.array([1.0, 0, 2]))
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.labels.tolist() == ["x", "y", "z"]
    with pytest.warns(NormalisationWarning):
        assert build(keep_names=False).node_labels is None


def test_contradicting_weights_are_named_as_in_the_file() -> None:
    with pytest.raises(GraphFileError, match=r"^a.col:6: edge y-x occurs more than once with different weights$"):
        build(edge_weight=np.array([1.0, 2, 3, 4]))


def test_negative_node_weights_are_named_as_in_the_file() -> None:
    lines = np.array([2, 3, 4])
    with pytest.raises(GraphFileError, match=r"^a.col:4: node weights must not be negative, node z has -0.5$"):
        build(node_weight=np.array([1, 0, -0.5]), node_line=lines)


def test_weights_that_are_too_large_are_named_as_in_the_file() -> None:
    with pytest.raises(
        GraphFileError, match=r"^a.col:8: edge weights must add up to less than 1e\+301 .* edge y-z has"
    ):
        build(edge_weight=np.array([1.0, 1, -1e308, 1e307]))
    rule = r"^a.col:3: node weights must add up to less than 1e\+301 in size, node y has 1e\+302, too large$"
    with pytest.raises(GraphFileError, match=rule):
        build(node_weight=np.array([1, 1e302, 0]), node_line=np.array([2, 3, 4]))
    with pytest.raises(GraphFileError, match=r"^a.col: node weights must add up"):
        build(node_weight=np.array([1, 1e302, 0]))


def test_what_has_no_line_is_still_an_error_of_the_file() -> None:
    with (
        pytest.warns(NormalisationWarning),
        pytest.raises(GraphFileError, match=r"^a.col: node labels must be unique in a graph, 1 occurs twice$"),
    ):
        build(names=np.array([1, 1, 2]))


def test_names_from_one() -> None:
    assert from_one(3).tolist() == [1, 2, 3]
    assert from_one(0).tolist() == []


ARCS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 1)), max_size=8)


@given(ARCS, st.booleans(), st.booleans())
def test_an_arc_is_unmatched_if_its_reverse_occurs_less_often(arcs: list, weighted: bool, both: bool) -> None:
    if both:
        arcs = arcs + [(head, tail, weight) for tail, head, weight in arcs]
    ends = np.array([arc[:2] for arc in arcs], dtype=np.int64).reshape(-1, 2).T
    weight = np.array([arc[2] for arc in arcs], dtype=float) if weighted else None
    counts = Counter((tail, head, weight * weighted) for tail, head, weight in arcs)
    unmatched = {arc for arc in counts if counts[arc] > counts[arc[1], arc[0], arc[2]]}
    found = find_unmatched(ends, weight, 4)
    if found is None:
        assert not unmatched
    else:
        tail, head, value = arcs[found]
        assert (tail, head, value * weighted) in unmatched
    assert not both or found is None


def test_fold_keeps_one_arc_of_each_edge_and_self_loops() -> None:
    ends = np.array([[0, 1, 2, 1, 2], [1, 0, 2, 2, 1]])
    folded = fold(Text("a", b""), ends, np.array([5.0, 5, 1, 2, 2]), np.arange(1, 6), 3, rule="")
    assert [part.tolist() for part in folded] == [[[0, 2, 1], [1, 2, 2]], [5, 1, 2], [1, 3, 4]]
    assert fold(Text("a", b""), ends, None, np.arange(1, 6), 3, rule="")[1] is None


def test_fold_names_the_arc_by_numbers_from_one() -> None:
    with pytest.raises(GraphFileError, match=r"^a:8: arc 1 3$"):
        fold(Text("a", b""), np.array([[0, 1, 0], [1, 0, 2]]), None, np.array([6, 7, 8]), 3, rule="arc {tail} {head}")
