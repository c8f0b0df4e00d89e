from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annealco.graph.subset_sums import subset_sums


@given(st.lists(st.integers(0, 9), max_size=7), st.integers(0, 5), st.integers(0, 40))
def test_sums_are_those_of_all_subsets(sizes: list[int], start: int, most: int) -> None:
    found = subset_sums(np.array(sizes, np.int64), start, most)
    every = {start + sum(part) for length in range(len(sizes) + 1) for part in combinations(sizes, length)}
    assert {bit for bit in range(found.bit_length()) if found >> bit & 1} == {value for value in every if value <= most}
