"""
The compiled core: searches, bounds, baselines and rows of graphs. Python decides, this repeats.
"""

from typing import Annotated, overload

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

def sums(list: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """The sum of the values of all entries with each number."""

def closed_rows(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
    """Rows with the number of each row before its own entries."""

@overload
def first_outside(one: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], two: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], num_nodes: int) -> int: ...

@overload
def first_outside(one: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], two: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], num_nodes: int) -> int:
    """
    The place of the first edge with an end that is no node from 0 to num_nodes - 1, or -1.
    """

@overload
def normalised_edges(one: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], two: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], num_nodes: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], int, int, int, int]: ...

@overload
def normalised_edges(one: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], two: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], num_nodes: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], int, int, int, int]:
    """
    Edges [2, num_edges] in ascending order without self-loops and duplicates, their weights, how many self-loops and duplicates there were, and the places of two equal edges that differ in weight, or -1.
    """

def is_symmetric(tail: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], head: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], num_nodes: int) -> bool:
    """
    Whether every arc but self-loops occurs once, and once in the other direction with the same weight.
    """

class ListedEdges:
    """Edges in the order of a list."""

    @property
    def one(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """[num_edges]"""

    @property
    def two(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """[num_edges]"""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """[num_edges], or [0]"""

    @property
    def num_listed(self) -> int:
        """Edges in the list, both directions where it has them."""

class DimacsFile:
    """What a DIMACS file says."""

    @property
    def word(self) -> str:
        """What follows 'p'."""

    @property
    def num_nodes(self) -> int:
        """Nodes that are declared."""

    @property
    def num_edges(self) -> int:
        """Edges that are declared."""

    @property
    def header_line(self) -> int:
        """Number of the line of the header, from 1."""

    @property
    def comment_bytes(self) -> int:
        """Bytes of comments."""

    @property
    def edges(self) -> ListedEdges: ...

    @property
    def weighted_nodes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    @property
    def node_weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

class EdgeListFile:
    """What an edge list says; edges are between places of names."""

    @property
    def edges(self) -> ListedEdges: ...

    @property
    def names(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

class MetisFile:
    """What the lines of a METIS file say."""

    @property
    def edges(self) -> ListedEdges: ...

    @property
    def node_weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

def read_dimacs(content: bytes, clock: Clock) -> DimacsFile | None:
    """Read a DIMACS file; None where it is not in plain form."""

def read_edge_list(content: bytes, clock: Clock) -> EdgeListFile | None:
    """Read an edge list; None where it is not in plain form."""

def read_entries(content: bytes, begin: int, num_nodes: int, weighted: bool, both_directions: bool, clock: Clock) -> ListedEdges | None:
    """
    Read the entries of a Matrix Market file; None where they are not in plain form.
    """

def read_metis(content: bytes, begin: int, num_nodes: int, node_weighted: bool, edge_weighted: bool, clock: Clock) -> MetisFile | None:
    """
    Read the lines of the nodes of a METIS file; None where they are not in plain form.
    """
