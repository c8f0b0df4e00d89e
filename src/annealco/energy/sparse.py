"""Multiply by a fixed sparse matrix, with a backward pass that multiplies by its transpose.

Autograd's own backward of a CSR product builds the transpose at every call; here both are made once. On a symmetric
matrix they are the same object, and the product is the sum over neighbours.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, csr_array
from torch import Tensor

from annealco.arrays import cached_by_array, rows_of_pairs


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


def multiply(matrix: Tensor, dense: Tensor) -> Tensor:
    """Multiply a CSR tensor by [num_columns, k], to [num_rows, k], outside of autograd."""
    if dense.shape[1] == 1:
        # The matrix-vector product is twice as fast.
        return (matrix @ dense[:, 0]).unsqueeze(1)
    if dense.device.type != "cpu":
        return matrix @ dense
    if dense.dtype == torch.float32:
        # The sums of an embedding bag are these products, row by row, and four times as fast as those of MKL.
        bags, columns = matrix.crow_indices(), matrix.col_indices()
        entries = matrix.values()
        return torch.embedding_bag(dense, columns, bags, False, 0, False, entries, True)[0]
    # The operator fills a result with zeros and copies it to another first: up to half of the time.
    result = dense.new_empty(matrix.shape[0], dense.shape[1])
    return torch.addmm(result, matrix, dense, beta=0, out=result)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: Tensor, transpose: Tensor, dense: Tensor) -> Tensor:
        ctx.matrix, ctx.transpose = matrix, transpose
        return multiply(matrix, dense)

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
    values: ArrayLike,
    size: int,
    *,
    device: torch.device,
    dtype: torch.dtype,
) -> SparseMatrix:
    """Build the symmetric matrix [size, size] whose entries (u, v) and (v, u) are given once.

    Args:
        pairs: [2, num_pairs]. Where it is read-only, matrices on the same pairs share their index arrays.
        values: [num_pairs], or one number for all.
        size: number of rows.
        device: where the matrix lives.
        dtype: of its values.
    """
    if pairs.shape[1] == 0:
        return SparseMatrix((size, size), None, None)
    number = np.asarray(values, dtype=np.float64)
    if number.ndim and number.min() == number.max():
        number = number[0]
    rows = None if number.ndim else _plain_pattern(pairs, (size, device))
    if rows is not None:
        indptr, indices = rows
        entries = torch.full((len(indices),), float(number), dtype=dtype, device=device)
    else:
        indptr, indices, source = _pattern(pairs, (size, device))
        entries = torch.tensor(number, dtype=dtype, device=device)
        entries = entries[source] if number.ndim else entries.repeat(len(indices))
    matrix = _csr_tensor(indptr, indices, entries, (size, size))
    return SparseMatrix((size, size), matrix, matrix)


@cached_by_array
def _plain_pattern(pairs: NDArray[Any], place: Hashable) -> tuple[Tensor, Tensor] | None:
    """Return row offsets and columns of a symmetric matrix; None where a pair is listed several times."""
    size, device = cast("tuple[int, torch.device]", place)
    start, index = rows_of_pairs(pairs, size)
    if len(index) != 2 * pairs.shape[1]:
        return None
    kind = torch.int64 if len(index) > np.iinfo(np.int32).max else torch.int32
    return torch.tensor(start, dtype=kind, device=device), torch.tensor(index, dtype=kind, device=device)


@cached_by_array
def _pattern(pairs: NDArray[Any], place: Hashable) -> tuple[Tensor, Tensor, Tensor]:
    """Return row offsets, columns and the number of the pair behind every entry of a symmetric matrix."""
    size, device = cast("tuple[int, torch.device]", place)
    count = pairs.shape[1]
    # Of sorted pairs u < v, smaller neighbours first leaves sorted rows.
    rows, columns = np.concatenate([pairs[::-1], pairs], axis=1)
    # A counting sort by rows: as columns of a matrix with one entry each, entries at the same place stay apart.
    slots = csc_array((np.ones(2 * count, np.int8), rows, np.arange(2 * count + 1)), shape=(size, 2 * count)).tocsr()
    order = slots.indices
    index = torch.int64 if 2 * count > np.iinfo(np.int32).max else torch.int32
    return (
        torch.tensor(slots.indptr, dtype=index, device=device),
        torch.tensor(columns[order], dtype=index, device=device),
        torch.tensor(order % count, dtype=torch.int64, device=device),
    )


def _to_torch(matrix: csr_array, device: torch.device, dtype: torch.dtype) -> Tensor:
    # Products with 32-bit indices read less memory; both index arrays must have the same type.
    index = torch.int64 if matrix.nnz > np.iinfo(np.int32).max else torch.int32
    return _csr_tensor(
        torch.tensor(matrix.indptr, dtype=index, device=device),
        torch.tensor(matrix.indices, dtype=index, device=device),
        torch.tensor(matrix.data, dtype=dtype, device=device),
        matrix.shape,
    )


def _csr_tensor(indptr: Tensor, indices: Tensor, entries: Tensor, shape: tuple[int, int]) -> Tensor:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(indptr, indices, entries, size=shape, check_invariants=False)
