import numpy as np
import pytest

from annealco.bounds.positive_definite import certified_shift
from tests.bounds.references import ledger


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [1, 5, 40, 300])
def test_a_shift_makes_up_for_the_least_eigenvalue_and_little_more(seed, size):
    matrix = np.random.default_rng(seed).normal(size=(size, size))
    matrix = matrix + matrix.T
    shift = certified_shift(matrix, 0.0, ledger(), first=1e-9)
    least = float(np.linalg.eigvalsh(matrix)[0])
    assert shift >= -least - 1e-12
    assert shift <= 12 * max(-least, 1e-9)


def test_a_definite_matrix_needs_next_to_nothing():
    matrix = np.diag(np.arange(1.0, 6.0))
    assert certified_shift(matrix, 0.0, ledger(), first=1e-8) < 2e-8
    assert certified_shift(matrix, 0.25, ledger(), first=1e-8) > 0.25


def test_out_of_time_nothing_is_proven():
    assert certified_shift(np.eye(3), 0.0, ledger(-1), first=1e-8) is None
    assert certified_shift(-np.eye(600), 0.0, ledger(0.0), first=1e-8) is None


@pytest.mark.parametrize("size", [63, 64, 65, 200])
def test_panels_join_to_what_numpy_says(size):
    basis = np.linalg.qr(np.random.default_rng(size).normal(size=(size, size)))[0]
    spectrum = np.linspace(-0.5, 1.0, size)
    matrix = (basis * spectrum) @ basis.T
    matrix = (matrix + matrix.T) / 2
    assert certified_shift(matrix, 0.0, ledger(), first=0.5001) < 0.51
    assert certified_shift(matrix, 0.0, ledger(), first=0.4999) > 0.51
