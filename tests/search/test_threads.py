"""All graphs of all rows are run once, whatever the threads."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.graph.errors import InputError
from annealco.search.threads import LEAST_CHUNK, count_threads, cut_evenly, for_each_graph

sizes = st.lists(st.integers(0, 3 * LEAST_CHUNK), max_size=12)


@given(sizes, st.integers(0, 5), st.integers(1, 4))
def test_every_graph_of_every_row_is_run_once(counts, rows, threads):
    node_ptr = np.cumsum([0, *counts])
    seen, lock, prepared = np.zeros((rows, len(counts)), int), threading.Lock(), []

    def prepare(row):
        with lock:
            prepared.append(row)
        return row

    def run(row, first, last):
        with lock:
            seen[row, first:last] += 1

    for_each_graph(node_ptr, rows, prepare, run, num_threads=threads)
    assert np.all(seen == 1)
    assert sorted(prepared) == list(range(rows))


@given(sizes, st.integers(1, 20))
def test_chunks_are_in_order_and_about_even(counts, asked):
    node_ptr = np.cumsum([0, *counts])
    chunks = cut_evenly(node_ptr, asked)
    assert [graph for first, last in chunks for graph in range(first, last)] == list(range(len(counts)))
    largest = max(counts, default=0)
    parts = max(1, min(asked, int(node_ptr[-1]) // LEAST_CHUNK))
    assert all(node_ptr[last] - node_ptr[first] <= node_ptr[-1] / parts + 2 * largest for first, last in chunks)


def test_an_error_in_a_thread_reaches_the_caller():
    def run(row, first, last):
        raise InputError(f"row {row}")

    with pytest.raises(InputError, match="row"):
        for_each_graph(np.array([0, 5]), 4, lambda row: row, run, num_threads=2)


def test_the_number_of_threads_is_checked():
    assert count_threads(3) == 3
    assert count_threads(None) >= 1
    with pytest.raises(InputError, match="at least 1, it is 0"):
        count_threads(0)
