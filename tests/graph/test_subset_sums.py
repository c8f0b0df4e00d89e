from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annealco.graph.subset_sums import has_sum_within


@given(st.lists(st.integers(0, 9), max_size=7), st.integers(0, 5), st.integers(0, 40), st.integers(0, 6))
def test_it_tells_whether_some_subset_adds_up(sizes: list[int], start: int, low: int, width: int) -> None:
    every = {start + sum(part) for length in range(len(sizes) + 1) for part in combinations(sizes, length)}
    expected = any(low <= value <= low + width for value in every)
    assert has_sum_within(np.array(sizes, np.int64), start, low, low + width) == expected


def test_an_empty_range_holds_no_sum() -> None:
    assert not has_sum_within(np.array([1, 2]), 0, 3, 2)
    assert not has_sum_within(np.zeros(0, np.int64), 4, 0, 3)
