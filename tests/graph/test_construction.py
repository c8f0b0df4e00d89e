from __future__ import annotations

import random
import warnings
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.errors import InputError, NormalisationWarning
from annealco.graph.construction import from_adjacency, from_labelled, label_errors
from annealco.graph.graph import Graph
from tests.graph.strategies import graphs

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
    with pytest.raises(InputError) as caught, label_errors(None, EDGE, "example"):
        raise InputError("node 1 is bad", node=1)
    assert str(caught.value) == "example: node 1 is bad"
    with pytest.raises(InputError) as caught, label_errors(["a", "b"], EDGE, "example"):
        raise InputError("something is bad")
    assert str(caught.value) == "example: something is bad"
    with pytest.raises(KeyError), label_errors(["a", "b"], EDGE, "example"):
        raise KeyError("another error passes")


ENTRIES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=10)


@given(graphs(weighted=True, signed=True, many=True), st.randoms(use_true_random=False))
def test_both_directions_in_any_order_are_one_edge(graph: Graph, rng: random.Random) -> None:
    once = [(*pair, weight) for pair, weight in zip(graph.edges.T.tolist(), graph.edge_weight.tolist(), strict=True)]
    entries = once + [(v, u, weight) for u, v, weight in once]
    rng.shuffle(entries)
    again = from_adjacency(
        [[u for u, _, _ in entries], [v for _, v, _ in entries]],
        graph.node_ptr,
        entry_weight=np.array([weight for *_, weight in entries]),
        node_weight=graph.node_weight,
    )
    assert again.equals(graph)


@given(ENTRIES, st.booleans())
def test_symmetry_and_duplicates_are_those_of_a_counter(entries: list[tuple[int, int]], mirror: bool) -> None:
    entries = entries + [(v, u) for u, v in entries if mirror and u != v]
    count = Counter(entries)
    symmetric = all((v, u) in count for u, v in count)
    edges = {(u, v): max(count[u, v], count[v, u]) for u, v in count if u < v}
    repeats, loops = sum(edges.values()) - len(edges), sum(count[u, v] for u, v in count if u == v)
    array = np.array(entries, dtype=np.int64).reshape(-1, 2).T
    if not symmetric:
        with pytest.raises(InputError, match="directed: edge") as caught:
            from_adjacency(array, [0, 4])
        u, v = entries[caught.value.edge or 0]
        assert (v, u) not in count
        return
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        graph = from_adjacency(array, [0, 4])
    assert list(zip(*graph.edges.tolist(), strict=True)) == sorted(edges)
    text = str(said[0].message) if said else ""
    assert (f"{repeats} duplicate" in text) == (repeats > 0)
    assert (f"{loops} self-loop" in text) == (loops > 0)


@pytest.mark.parametrize(
    ("entries", "weight", "rule", "edge"),
    [
        ([[0, 1], [1, 2]], [1, 1], "directed: edge 0 has no way back; symmetrise with .*; edge 0 is 'a'-'b'", 0),
        ([[0, 1, 2], [1, 0, 1]], [1, 1, 1], "directed: edge 2 has no way back; .*; edge 2 is 'c'-'b'", 2),
        ([[0, 1], [1, 0]], [1, 2], "directed: edge 0 and its way back have two weights, 2 and 1", 0),
        ([[0, 0, 1], [1, 1, 0]], [1, 3, 1], "edge 1 occurs with two weights, 1 and 3; edge 1 is 'a'-'b'", 1),
        ([[0, 1, 1], [1, 0, 0]], [1, 1, 3], "edge 2 occurs with two weights, 1 and 3; edge 2 is 'b'-'a'", 2),
        ([[0, 1], [1, 0]], [np.nan, np.nan], "must be finite, edge 0 has nan; edge 0 is 'a'-'b'", 0),
        ([[0, 7], [7, 0]], [1, 1], r"edge 0 has node 7, outside 0\.\.2; edge 0 is 'a'-7", 0),
        ([[0, 1], [1, 0]], [1j, 1j], "edge weights must be real numbers, these are complex128", None),
    ],
)
def test_what_is_not_symmetric_is_told_in_the_users_names(
    entries: list[list[int]], weight: list[float], rule: str, edge: int | None
) -> None:
    with pytest.raises(InputError, match=f"example: .*{rule}") as caught:
        from_adjacency(entries, [0, 3], entry_weight=np.array(weight), node_labels=["a", "b", "c"], origin="example")
    assert caught.value.edge == edge


def test_entries_between_two_graphs_are_refused() -> None:
    with pytest.raises(InputError, match="edge 0 joins the graphs 0 and 1"):
        from_adjacency([[0, 1], [1, 0]], [0, 1, 2])


def test_self_loops_are_dropped_whatever_they_weigh() -> None:
    with pytest.warns(NormalisationWarning, match="2 self-loops dropped"):
        graph = from_adjacency([[0, 0, 0, 1], [0, 0, 1, 0]], [0, 2], entry_weight=np.array([1, 2, 3, 3]))
    assert graph.edge_weight.tolist() == [3]
