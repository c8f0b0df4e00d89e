"""
The compiled core: searches, bounds, baselines and rows of graphs. Python decides, this repeats.
"""

from typing import Annotated

import numpy
from numpy.typing import NDArray


class StopFlag:
    """A flag that any thread may set, and that work in the core reads."""

    def __init__(self) -> None: ...

    def set(self) -> None:
        """Ask all work that reads this flag to end."""

    def is_set(self) -> bool:
        """Tell whether an end was asked for."""

class Clock:
    """
    Seconds, moves and a stop flag that bound work in the core; the time begins now.
    """

    def __init__(self, *, seconds: float | None = None, moves: int | None = None, stop: StopFlag | None = None) -> None: ...

    @property
    def moves(self) -> int:
        """Moves made."""

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""

    @property
    def is_over(self) -> bool:
        """Whether the time is over or an end was asked for."""

    @property
    def trace(self) -> list[tuple[float, float]]:
        """(seconds since the start, cost) of every improvement."""

def random_numbers(seed: int, count: int, below: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """Numbers from 0 to below − 1, as searches draw them."""

def portable_values(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """
    exp, log1p and erfc of each value, [num_values, 3], as the core computes them.
    """

def symmetric_rows(one: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], two: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Offsets, columns and values of the symmetric matrix with these values at these pairs.
    """

def transposed(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], num_columns: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
    """Offsets and numbers of the rows that each column occurs in, ascending."""

def occurrences(list: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
    """How often each number below size occurs in a list."""
