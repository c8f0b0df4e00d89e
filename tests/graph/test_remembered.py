import gc

import numpy as np

from annealco.graph.remembered import remembered


def fixed(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


def counted():
    calls = []

    @remembered
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
