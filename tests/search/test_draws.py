"""Random numbers are uniform, repeatable and depend on the whole seed."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annealco.search.draws import draw_below, draw_uniform, new_draws, shuffle


def test_uniform_numbers_fill_the_interval():
    draws = new_draws(0)
    found = np.array([draw_uniform(draws) for _ in range(20_000)])
    assert found.min() >= 0
    assert found.max() < 1
    counts = np.histogram(found, 20, (0, 1))[0]
    # Chi-square with 19 degrees of freedom is above 45 once in a thousand.
    assert ((counts - 1000) ** 2 / 1000).sum() < 45
    assert abs(np.corrcoef(found[1:], found[:-1])[0, 1]) < 0.03


@given(st.integers(0, 2**32 - 1), st.integers(1, 2**31))
def test_numbers_below_a_count_are_below_it(seed, count):
    draws = new_draws(seed)
    assert all(0 <= draw_below(draws, count) < count for _ in range(20))


def test_every_number_below_a_count_is_drawn():
    draws = new_draws(1)
    counts = np.bincount([draw_below(draws, 7) for _ in range(14_000)], minlength=7)
    assert ((counts - 2000) ** 2 / 2000).sum() < 22.5  # 6 degrees of freedom


def test_the_same_seed_draws_the_same_and_every_part_of_it_counts():
    first = [draw_uniform(draws) for draws in (new_draws(1, 2), new_draws(1, 2), new_draws(2, 1), new_draws(1, 2, 3))]
    assert first[0] == first[1]
    assert len(set(first)) == 3


def test_shuffles_are_permutations_and_all_of_them_occur():
    draws, seen = new_draws(3), set()
    for _ in range(300):
        items = np.arange(4)
        shuffle(draws, items)
        assert sorted(items) == [0, 1, 2, 3]
        seen.add(tuple(items.tolist()))
    assert len(seen) == 24
