"""Lists by node against SciPy's conversions and sums of Python's."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

from annealco import _core
from annealco.graph.rows import closed_rows, occurrences, sets_of_nodes, sums, symmetric_rows


def random_pairs(rng, size, count):
    low, high = rng.integers(0, size, (2, count))
    return np.stack([low, high])[:, low != high]


@pytest.mark.parametrize("order", ["sorted", "shuffled", "repeated"])
@pytest.mark.parametrize("size", [2, 7, 300])
def test_rows_of_pairs_are_those_of_the_symmetric_matrix(order, size):
    rng = np.random.default_rng(size)
    pairs = random_pairs(rng, size, 5 * size)
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
