from __future__ import annotations

import numpy as np
import pytest

from annealco.graph.errors import GraphFileError, NormalisationWarning
from annealco.graph.formats.assemble import assemble, from_one, single

NAMES = np.array(["x", "y", "z"], dtype=object)
ENDS = np.array([[0, 1, 1, 2], [1, 0, 2, 2]])


def build(**changes):
    given = {"node_ptr": single(3), "names": NAMES, "edge_line": np.array([5, 6, 8, 9])}
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
