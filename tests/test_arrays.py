from __future__ import annotations

import gc
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

from annealco import _core
from annealco.arrays import (
    cached_by_array,
    closed_rows,
    exclusive_prefix,
    has_sum_within,
    occurrences,
    scatter_sum,
    segment_max,
    segment_of,
    segment_sum,
    sets_of_nodes,
    sums,
    symmetric_rows,
)

lengths = st.lists(st.integers(0, 4), max_size=6)


@given(lengths, st.integers(0, 2**32 - 1))
def test_segments_against_slices(sizes, seed):
    offsets = np.cumsum([0, *sizes])
    values = np.random.default_rng(seed).normal(size=(2, offsets[-1]))
    parts = [values[:, a:b] for a, b in pairwise(offsets)]
    for row in range(2):
        assert np.allclose(segment_sum(values, offsets)[row], [part[row].sum() for part in parts])
        assert segment_max(values, offsets)[row].tolist() == [max(part[row], default=0.0) for part in parts]
        before = [part[row][:k].sum() for part in parts for k in range(part.shape[1])]
        assert np.allclose(exclusive_prefix(values, offsets)[row], before)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    assert segment_of(offsets, np.arange(offsets[-1])).tolist() == owner.tolist()
    assert np.allclose(scatter_sum(values, owner, len(sizes)), segment_sum(values, offsets))


def random_pairs(rng, size, count):
    low, high = rng.integers(0, size, (2, count))
    return np.stack([low, high])[:, low != high]


@pytest.mark.parametrize("order", ["sorted", "shuffled", "repeated"])
# Of 600 rows with 100 entries each, every sixth pair is there: a dense table, of three groups of rows.
@pytest.mark.parametrize(("size", "each"), [(2, 5), (7, 5), (300, 5), (600, 50), (600, 1)])
def test_rows_of_pairs_are_those_of_the_symmetric_matrix(order, size, each):
    rng = np.random.default_rng(size)
    pairs = random_pairs(rng, size, each * size)
    if order == "sorted":
        pairs = np.unique(np.sort(pairs, axis=0), axis=1)
    elif order == "repeated":
        pairs = np.concatenate([pairs, pairs[::-1]], axis=1)
    value = rng.integers(1, 9, pairs.shape[1]).astype(float)
    ptr, index, each = symmetric_rows(pairs, value, size)
    each = np.resize(each, len(index))
    both = (np.append(value, value), (np.append(*pairs), np.append(*pairs[::-1])))
    wanted = coo_array(both, shape=(size, size)).toarray()
    assert np.array_equal(csr_array((each, index, ptr), shape=(size, size)).toarray(), wanted)
    assert len(index) == np.count_nonzero(wanted)
    for node in range(size):
        assert np.all(np.diff(index[ptr[node] : ptr[node + 1]]) > 0)


@pytest.mark.parametrize("size", [1, 7, 400])
def test_sets_of_nodes_transpose_the_lists_of_members(size):
    rng = np.random.default_rng(size)
    lists = [np.flatnonzero(rng.random(size) < 0.2) for _ in range(size)] + [np.arange(size)]
    set_ptr = np.cumsum([0, *map(len, lists)])
    ptr, sets = sets_of_nodes(set_ptr, np.concatenate(lists).astype(np.int32), size)
    for node in range(size):
        own = [number for number, members in enumerate(lists) if node in members]
        assert sets[ptr[node] : ptr[node + 1]].tolist() == own


def test_nothing_gives_empty_rows():
    ptr, index, each = symmetric_rows(np.zeros((2, 0), dtype=np.int32), np.zeros(0), 3)
    assert (ptr.tolist(), len(index), len(each)) == ([0, 0, 0, 0], 0, 0)
    ptr, sets = sets_of_nodes(np.array([0]), np.zeros(0, dtype=np.int32), 0)
    assert (ptr.tolist(), len(sets)) == ([0], 0)


def test_values_of_a_pair_add_up_in_the_order_of_the_list():
    pairs = np.array([[1, 0, 0, 1, 2], [0, 1, 2, 0, 0]])
    value = np.array([1.0, 1e16, 7.0, -1e16, 0.5])
    ptr, index, each = symmetric_rows(pairs, value, 3)
    assert (ptr.tolist(), index.tolist()) == ([0, 2, 3, 4], [1, 2, 0, 0])
    assert each.tolist() == [(1.0 + 1e16) - 1e16, 7.5, (1.0 + 1e16) - 1e16, 7.5]


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
def test_equal_values_are_kept_once_in_any_order(order):
    pairs = np.array([[0, 0, 1], [1, 2, 2]])[:, order]
    for value in (np.full(3, 4.0), np.array([4.0])):
        ptr, index, each = symmetric_rows(pairs, value, 3)
        assert (ptr.tolist(), index.tolist(), each.tolist()) == ([0, 2, 4, 6], [1, 2, 0, 2, 0, 1], [4.0])
    assert len(symmetric_rows(pairs, np.zeros(0), 3)[2]) == 0
    twice = symmetric_rows(np.concatenate([pairs, pairs[:, :1]], axis=1), np.array([4.0]), 3)[2]
    assert sorted(twice.tolist()) == [4.0, 4.0, 4.0, 4.0, 8.0, 8.0]


def test_rows_of_many_blocks_are_those_of_the_symmetric_matrix():
    size = 100_000
    rng = np.random.default_rng(0)
    pairs = random_pairs(rng, size, 3 * size)
    value = rng.integers(1, 9, pairs.shape[1]).astype(float)
    both = (np.append(value, value), (np.append(*pairs), np.append(*pairs[::-1])))
    wanted = coo_array(both, shape=(size, size)).tocsr()
    wanted.sum_duplicates()
    ptr, index, each = symmetric_rows(pairs, value, size)
    assert np.array_equal(ptr, wanted.indptr)
    assert np.array_equal(index, wanted.indices)
    assert np.array_equal(each, wanted.data)
    ptr, sets = sets_of_nodes(ptr, index, size)
    assert np.array_equal(ptr, wanted.indptr)
    assert np.array_equal(sets, wanted.indices)


def test_occurrences_count_every_node():
    nodes = np.random.default_rng(0).integers(0, 50, 1000)
    assert np.array_equal(occurrences(nodes, 60), np.bincount(nodes, minlength=60))


def test_sums_are_those_of_the_entries_of_each_node():
    rng = np.random.default_rng(0)
    nodes, value = rng.integers(0, 50, (3, 200)), rng.integers(-9, 9, 200).astype(float)
    wanted = np.zeros(60)
    np.add.at(wanted, nodes.ravel(), np.tile(value, 3))
    assert sums(nodes, value, 60).tolist() == wanted.tolist()
    assert sums(np.zeros((2, 0), dtype=np.int32), np.zeros(0), 2).tolist() == [0.0, 0.0]
    for wrong in (value[:7], value[:0]):
        with pytest.raises(ValueError, match="as long as the values"):
            sums(nodes, wrong, 60)


def test_closed_rows_hold_every_node_once_more():
    pairs = random_pairs(np.random.default_rng(0), 30, 60)
    ptr, index, _ = symmetric_rows(pairs, np.zeros(0), 30)
    closed_ptr, members = closed_rows(ptr, index)
    for node in range(30):
        own = members[closed_ptr[node] : closed_ptr[node + 1]].tolist()
        assert own == [node, *index[ptr[node] : ptr[node + 1]].tolist()]
    assert [each.tolist() for each in closed_rows(np.array([0]), np.zeros(0, dtype=np.int32))] == [[0], []]


@pytest.mark.parametrize(
    ("pairs", "value", "size", "rule"),
    [
        ([[0], [3]], [1.0], 3, "from 0 to 2"),
        ([[-1], [1]], [1.0], 3, "from 0 to 2"),
        ([[1], [1]], [1.0], 3, "two different nodes"),
        ([[0, 1, 2], [1, 2, 3]], [1.0, 2.0], 4, "one per pair"),
        ([[], []], [], -1, "size"),
    ],
)
def test_pairs_that_make_no_matrix_are_refused(pairs, value, size, rule):
    with pytest.raises(ValueError, match=rule):
        symmetric_rows(np.array(pairs, dtype=np.int64), np.array(value), size)


def test_lists_that_are_no_rows_are_refused():
    one = np.zeros(1, dtype=np.int32)
    for start in ([], [1, 1], [0, 2], [0, 2, 1]):
        with pytest.raises(ValueError, match="offsets"):
            _core.transposed(np.array(start, dtype=np.int64), one, 1)
    with pytest.raises(ValueError, match="from 0 to -1"):
        _core.transposed(np.array([0, 1]), one, 0)
    with pytest.raises(ValueError, match="from 0 to 0"):
        occurrences(np.array([1]), 1)
    with pytest.raises(ValueError, match="both ends"):
        _core.symmetric_rows(one, one[:0], np.zeros(0), 1)


def fixed(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


def counted():
    calls = []

    @cached_by_array
    def total(array, power):
        calls.append(power)
        return (array**power).sum()

    return total, calls


def test_results_are_kept_for_each_array_and_argument():
    total, calls = counted()
    one, two = fixed([1, 2]), fixed([1, 2])
    assert [total(one, 1), total(one, 1), total(one, 2), total(two, 1)] == [3, 3, 5, 3]
    assert calls == [1, 2, 1]


def test_an_array_that_may_change_is_not_remembered():
    total, calls = counted()
    array = np.array([1, 2])
    assert total(array, 1) == 3
    array[0] = 5
    assert total(array, 1) == 7
    assert calls == [1, 1]


def test_results_go_with_their_array():
    total, calls = counted()
    for size in range(200):
        # New arrays get the addresses of dead ones.
        assert total(fixed([size]), 1) == size
    gc.collect()
    assert len(calls) == 200
    store = next(cell.cell_contents for cell in total.__closure__ if hasattr(cell.cell_contents, "entries"))
    assert store.entries == {}


@given(st.lists(st.integers(0, 9), max_size=7), st.integers(0, 5), st.integers(0, 40), st.integers(0, 6))
def test_it_tells_whether_some_subset_adds_up(sizes: list[int], start: int, low: int, width: int) -> None:
    every = {start + sum(part) for length in range(len(sizes) + 1) for part in combinations(sizes, length)}
    expected = any(low <= value <= low + width for value in every)
    assert has_sum_within(np.array(sizes, np.int64), start, low, low + width) == expected


def test_an_empty_range_holds_no_sum() -> None:
    assert not has_sum_within(np.array([1, 2]), 0, 3, 2)
    assert not has_sum_within(np.zeros(0, np.int64), 4, 0, 3)
