from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.labelled import from_labelled, user_names

EDGE = np.array([[0], [1]])


def build(labels: Any, node_weight: Any = (1, 1), edge_weight: Any = (1,)) -> Graph:
    return from_labelled(EDGE, labels, node_weight=node_weight, edge_weight=edge_weight, origin="example")


def test_labels_are_kept_unless_they_are_the_numbers() -> None:
    assert build(["a", 0]).labels.tolist() == ["a", 0]
    assert build([0, 1]).node_labels is None
    assert build(range(2)).node_labels is None
    assert build([0, True]).labels.tolist() == [0, True]
    assert build([1, 0]).labels.tolist() == [1, 0]


def test_real_numbers_of_any_type_are_weights() -> None:
    graph = build(["a", "b"], node_weight=[Fraction(1, 2), np.float32(2)], edge_weight=[np.bool_(True)])
    assert graph.node_weight.tolist() == [0.5, 2]
    assert graph.edge_weight.tolist() == [1]


@pytest.mark.parametrize("weight", ["3", None, [1], 1j, {"x": 1}])
def test_what_is_no_number_is_told_with_its_name(weight: Any) -> None:
    with pytest.raises(InputError) as caught:
        build(["a", "b"], node_weight=[1, weight])
    assert str(caught.value) == f"example: node weights must be numbers, node 1 has {weight!r}; node 1 is 'b'"
    assert (caught.value.node, caught.value.edge) == (1, None)
    with pytest.raises(InputError) as caught:
        build(["a", "b"], edge_weight=[weight])
    assert str(caught.value) == f"example: edge weights must be numbers, edge 0 has {weight!r}; edge 0 is 'a'-'b'"
    assert (caught.value.node, caught.value.edge) == (None, 0)


def test_a_number_too_large_for_a_float_is_not_finite() -> None:
    with pytest.raises(InputError, match="example: node weights must be finite, one is too large for a float"):
        build(["a", "b"], node_weight=[1, 10**400])


def test_names_are_added_only_where_they_say_more() -> None:
    with pytest.raises(InputError) as caught, user_names(None, EDGE, "example"):
        raise InputError("node 1 is bad", node=1)
    assert str(caught.value) == "example: node 1 is bad"
    with pytest.raises(InputError) as caught, user_names(["a", "b"], EDGE, "example"):
        raise InputError("something is bad")
    assert str(caught.value) == "example: something is bad"
    with pytest.raises(KeyError), user_names(["a", "b"], EDGE, "example"):
        raise KeyError("another error passes")
