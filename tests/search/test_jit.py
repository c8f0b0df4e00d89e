"""Kernels are compiled without reference counts and cannot allocate."""

from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import NumbaError

from annealco.search.jit import inlined, kernel


class Arrays(NamedTuple):
    one: np.ndarray
    other: np.ndarray


@inlined
def read(arrays, k):
    return arrays.one[k] + arrays.other[k]


@kernel
def total(arrays):
    found = 0.0
    for k in range(len(arrays.one)):
        for _ in range(2):
            found += read(arrays, k)
    return found


def test_kernels_compute_and_count_no_references():
    assert total(Arrays(np.arange(3.0), np.ones(3))) == 12.0
    assert "NRT_incref" not in total.inspect_llvm(total.signatures[0])


def test_a_kernel_that_allocates_does_not_compile():
    @kernel
    def allocate(size):
        return np.zeros(size)

    with pytest.raises((NumbaError, NotImplementedError, RuntimeError)):
        allocate(3)
