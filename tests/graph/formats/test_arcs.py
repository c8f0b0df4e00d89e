from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.graph.errors import GraphFileError
from annealco.graph.formats.arcs import find_unmatched, fold
from annealco.graph.formats.text import Text

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
