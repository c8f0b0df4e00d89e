"""A mixed-integer linear program, as every exact solver takes it: the one form between terms and solvers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.bounds.rounding import grid_step
from annealco.graph.segments import FloatArray, IntArray


class Rows(NamedTuple):
    """Linear rows: lower ≤ Σ value·y ≤ upper.

    Attributes:
        start: [num_rows + 1] offsets into ``column`` and ``value``.
        column: [num_entries] variables.
        value: [num_entries] their coefficients.
        lower: [num_rows], −inf for none.
        upper: [num_rows], inf for none.
    """

    start: IntArray
    column: IntArray
    value: FloatArray
    lower: FloatArray
    upper: FloatArray

    @property
    def num_rows(self) -> int:
        return len(self.lower)


class Columns(NamedTuple):
    """Further variables, from 0 to infinity or 1, that follow from the nodes' at every optimum.

    Attributes:
        cost: [num_columns].
        most: [num_columns] upper bounds.
        values: gives them, [num_columns], for the bits of the nodes.
    """

    cost: FloatArray
    most: FloatArray
    values: Callable[[NDArray[Any]], FloatArray]


@dataclass(frozen=True, eq=False)
class Program:
    """Minimise cost·y within rows, where the first variables are the nodes' bits.

    Attributes:
        num_nodes: how many of the variables are bits.
        cost: [num_variables].
        most: [num_variables] upper bounds; the lower ones are 0.
        rows: what must hold.
        blocks: the variables behind the nodes'.
    """

    num_nodes: int
    cost: FloatArray
    most: FloatArray
    rows: Rows
    blocks: tuple[Columns, ...] = ()

    @property
    def num_variables(self) -> int:
        return len(self.cost)

    @cached_property
    def step(self) -> float:
        """A step of which the cost of every assignment is a multiple, or 0 where none is known."""
        return grid_step(self.cost) if np.all(self.most <= 1) else 0.0

    def complete(self, assignment: NDArray[Any]) -> FloatArray:
        """Return all variables [num_variables] for the bits of the nodes [num_nodes]."""
        bits = np.asarray(assignment, dtype=np.float64)
        return np.concatenate([bits, *(block.values(bits) for block in self.blocks)])


def no_rows() -> Rows:
    """Return no rows at all."""
    return Rows(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0))


def equal_rows(column: NDArray[Any], value: Sequence[float], *, lower: float, upper: float) -> Rows:
    """Return rows of equal length and equal coefficients.

    Args:
        column: [num_rows, length] variables.
        value: [length] coefficients.
        lower: of every row.
        upper: of every row.
    """
    count, length = column.shape
    return Rows(
        np.arange(count + 1, dtype=np.int64) * length,
        column.reshape(-1).astype(np.int64),
        np.tile(np.asarray(value, dtype=np.float64), count),
        np.full(count, lower),
        np.full(count, upper),
    )


def join_rows(parts: Sequence[Rows]) -> Rows:
    """Return the rows of all parts, one part after the other."""
    parts = parts or [no_rows()]
    lengths = np.concatenate([np.diff(part.start) for part in parts])
    rest = (np.concatenate(each) for each in list(zip(*parts, strict=True))[1:])
    return Rows(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), *rest)


def some_rows(rows: Rows, kept: NDArray[np.bool_]) -> Rows:
    """Return the rows that are kept, [num_rows]."""
    sizes = np.diff(rows.start)
    entry = np.repeat(kept, sizes)
    start = np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.int64)
    return Rows(start, rows.column[entry], rows.value[entry], rows.lower[kept], rows.upper[kept])
