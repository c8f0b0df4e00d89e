"""Lists by node against SciPy's conversions."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

from annealco.graph.rows import sets_of_nodes, symmetric_rows


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
