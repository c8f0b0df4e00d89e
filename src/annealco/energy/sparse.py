"""Multiply by a fixed sparse matrix, with a backward pass that multiplies by its transpose.

Autograd's own backward of a CSR product builds the transpose at every call; here both are made once. On a symmetric
matrix they are the same object, and the product is the sum over neighbours.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from torch import Tensor


@dataclass(frozen=True, eq=False)
class SparseMatrix:
    """A sparse matrix [num_rows, num_columns] with its transpose [num_columns, num_rows]; None is the zero matrix."""

    shape: tuple[int, int]
    forward: Tensor | None
    transpose: Tensor | None

    def __matmul__(self, dense: Tensor) -> Tensor:
        """Multiply by [num_columns, k], to [num_rows, k]; differentiable in ``dense`` any number of times."""
        if self.forward is None or dense.shape[1] == 0:
            return dense.new_zeros(self.shape[0], dense.shape[1])
        return _Product.apply(self.forward, self.transpose, dense)  # type: ignore[no-any-return, no-untyped-call]


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: Tensor, transpose: Tensor, dense: Tensor) -> Tensor:
        ctx.matrix, ctx.transpose = matrix, transpose
        # A single column goes through the matrix-vector product, which is twice as fast.
        return (matrix @ dense[:, 0]).unsqueeze(1) if dense.shape[1] == 1 else matrix @ dense

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, None, Tensor]:
        return None, None, _Product.apply(ctx.transpose, ctx.matrix, gradient)  # type: ignore[no-untyped-call]


def sparse_matrix(
    rows: NDArray[np.integer[Any]],
    columns: NDArray[np.integer[Any]],
    values: ArrayLike,
    shape: tuple[int, int],
    *,
    device: torch.device,
    dtype: torch.dtype,
) -> SparseMatrix:
    """Build a matrix and its transpose from entries; entries at the same place add up."""
    if len(rows) == 0:
        return SparseMatrix(shape, None, None)
    matrix = csr_array((np.asarray(values, dtype=np.float64), (rows, columns)), shape=shape)
    return SparseMatrix(shape, _to_torch(matrix, device, dtype), _to_torch(csr_array(matrix.T), device, dtype))


def symmetric_matrix(
    pairs: NDArray[np.integer[Any]],
    values: NDArray[np.float64],
    size: int,
    *,
    device: torch.device,
    dtype: torch.dtype,
) -> SparseMatrix:
    """Build the symmetric matrix [size, size] whose entries (u, v) and (v, u) are given once, as [2, num_pairs]."""
    if pairs.shape[1] == 0:
        return SparseMatrix((size, size), None, None)
    rows, columns = np.concatenate([pairs, pairs[::-1]], axis=1)
    matrix = _to_torch(
        csr_array((np.concatenate([values, values]), (rows, columns)), shape=(size, size)), device, dtype
    )
    return SparseMatrix((size, size), matrix, matrix)


def _to_torch(matrix: csr_array, device: torch.device, dtype: torch.dtype) -> Tensor:
    # Products with 32-bit indices read less memory; both index arrays must have the same type.
    wide = matrix.nnz > np.iinfo(np.int32).max
    index = torch.int64 if wide else torch.int32
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(
            torch.tensor(matrix.indptr, dtype=index),
            torch.tensor(matrix.indices, dtype=index),
            torch.tensor(matrix.data, dtype=dtype),
            size=matrix.shape,
            device=device,
            check_invariants=False,
        )
