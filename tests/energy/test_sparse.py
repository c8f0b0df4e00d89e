import numpy as np
import pytest
import torch

from annealco.energy.sparse import multiply, sparse_matrix, symmetric_matrix

CPU = {"device": torch.device("cpu"), "dtype": torch.float64}


@pytest.mark.parametrize("columns", [1, 3])
def test_product_and_gradients_equal_the_dense_ones(columns):
    rng = np.random.default_rng(0)
    rows, cols, values = rng.integers(0, 5, 12), rng.integers(0, 4, 12), rng.normal(size=12)
    matrix = sparse_matrix(rows, cols, values, (5, 4), **CPU)
    dense = torch.zeros(5, 4, dtype=torch.float64)
    dense.index_put_((torch.tensor(rows), torch.tensor(cols)), torch.tensor(values), accumulate=True)
    x = torch.randn(4, columns, dtype=torch.float64, requires_grad=True)
    assert torch.allclose(matrix @ x, dense @ x)
    assert torch.autograd.gradcheck(lambda x: matrix @ x, x)
    assert torch.autograd.gradgradcheck(lambda x: (matrix @ x).square(), x)


def test_symmetric_matrix_sums_over_neighbours():
    path = symmetric_matrix(np.array([[0, 1], [1, 2]]), np.array([2.0, 3.0]), 3, **CPU)
    x = torch.tensor([[1.0], [10.0], [100.0]], dtype=torch.float64)
    assert (path @ x).ravel().tolist() == [20.0, 302.0, 30.0]
    assert path.forward is path.transpose


def test_a_matrix_without_entries_gives_zeros():
    nothing = symmetric_matrix(np.zeros((2, 0), int), np.zeros(0), 3, **CPU)
    assert (nothing @ torch.ones(3, 2, dtype=torch.float64)).tolist() == [[0.0, 0.0]] * 3
    empty = sparse_matrix(np.zeros(0, int), np.zeros(0, int), np.zeros(0), (2, 0), **CPU)
    assert (empty @ torch.ones(0, 1, dtype=torch.float64)).shape == (2, 1)
    path = symmetric_matrix(np.array([[0], [1]]), np.ones(1), 2, **CPU)
    assert (path @ torch.ones(2, 0, dtype=torch.float64)).shape == (2, 0)


def test_matrices_on_the_same_read_only_pairs_share_their_indices():
    pairs = np.array([[0, 1], [1, 2]])
    changing = [symmetric_matrix(pairs, np.ones(2), 3, **CPU).forward for _ in range(2)]
    assert changing[0].col_indices().data_ptr() != changing[1].col_indices().data_ptr()
    pairs.flags.writeable = False
    first, second = (symmetric_matrix(pairs, np.array(values), 3, **CPU) for values in ([1.0, 2.0], [3.0, 4.0]))
    assert first.forward.col_indices().data_ptr() == second.forward.col_indices().data_ptr()
    assert first.forward.to_dense().tolist() == [[0, 1, 0], [1, 0, 2], [0, 2, 0]]
    assert second.forward.to_dense().tolist() == [[0, 3, 0], [3, 0, 4], [0, 4, 0]]


def test_one_value_for_all_and_pairs_in_any_order():
    rng = np.random.default_rng(0)
    low, high = np.triu_indices(6, 1)
    pairs = np.stack([high, low])[:, rng.permutation(15)[:9]]
    dense = np.zeros((6, 6))
    dense[pairs[0], pairs[1]] = dense[pairs[1], pairs[0]] = 2.5
    assert symmetric_matrix(pairs, 2.5, 6, **CPU).forward.to_dense().tolist() == dense.tolist()


def test_pairs_listed_twice_add_up():
    twice = symmetric_matrix(np.array([[0, 1, 0], [1, 0, 2]]), np.array([1.0, 2.0, 5.0]), 3, **CPU)
    assert (twice @ torch.eye(3, dtype=torch.float64)).tolist() == [[0, 3, 5], [3, 0, 0], [5, 0, 0]]
    for value in (2.0, np.full(2, 2.0)):
        alike = symmetric_matrix(np.array([[0, 1], [1, 0]]), value, 2, **CPU)
        assert (alike @ torch.ones(2, 1, dtype=torch.float64)).ravel().tolist() == [4.0, 4.0]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("columns", [1, 2, 33])
def test_products_do_not_depend_on_what_was_in_memory(dtype, columns, monkeypatch):
    def spoiled(self, *shape):
        return torch.full(shape, float("nan"), dtype=self.dtype)

    monkeypatch.setattr(torch.Tensor, "new_empty", spoiled)
    matrix = symmetric_matrix(np.array([[0, 1], [1, 3]]), 1.0, 50, device=CPU["device"], dtype=dtype).forward
    dense = torch.randn(50, columns, dtype=dtype, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(multiply(matrix, dense), matrix.to_dense() @ dense)
    wide = dense.repeat(1, 2)[:, ::2]
    assert torch.allclose(multiply(matrix, wide), matrix.to_dense() @ wide)
