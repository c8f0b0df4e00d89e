"""
The compiled core: searches, bounds, baselines and rows of graphs. Python decides, this repeats.
"""

from collections.abc import Sequence
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

class EnergyTerms:
    """f and ψ of an instance as flat arrays; see `core_terms`."""

    def __init__(self, *, node_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], linear: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], pair_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_index: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_energy: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_violation: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_members: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], set_of_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cover: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], set_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], all_pairs: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], place: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], uniform: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], range_weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], range_lower: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], range_upper: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], range: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], constant: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def num_nodes(self) -> int: ...

    @property
    def num_graphs(self) -> int: ...

    @property
    def tolerance(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Changes of f by a flip of each node that count as ties, [num_nodes]."""

    @property
    def unit(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The smallest coefficient of f that is not 0, [num_graphs]."""

class Assignment:
    """Bits with the change that every flip would make."""

    def __init__(self, terms: EnergyTerms, chosen: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def flip(self, graph: int, node: int) -> None:
        """Flip a node."""

    def change(self, graph: int, node: int) -> tuple[float, float]:
        """Return the change of f and of ψ by a flip."""

    def touched(self, graph: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """Return the nodes whose field the last flip changed."""

    @property
    def chosen(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
        """The bits, [num_nodes]."""

    @property
    def fields(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
        """
        The local part of the conditional difference of f and of ψ, [num_nodes, 2].
        """

    @property
    def values(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
        """f and ψ of each graph, [num_graphs, 2]."""

class ProductState:
    """A product distribution with its conditional expectations."""

    def __init__(self, terms: EnergyTerms, probability: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def update(self, graph: int, node: int, value: float) -> None:
        """Set the probability of a node."""

    def delta(self, graph: int, node: int) -> tuple[float, float]:
        """Return E[· | x = 1] − E[· | x = 0] of f and of ψ for a node."""

def decode(terms: EnergyTerms, probability: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], assignment: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu')], *, by_confidence: bool, num_threads: int) -> None:
    """
    Decode rows of probabilities by conditional expectations into rows of bits, [num_rows, num_nodes].
    """

def repair(terms: EnergyTerms, assignment: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu')], *, make_feasible: bool, improve: bool, num_threads: int) -> None:
    """
    Make rows of bits feasible and then as good as single flips can, [num_rows, num_nodes].
    """

def mean_field(terms: EnergyTerms, probability: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], temperatures: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, num_threads: int) -> None:
    """
    Fill in rows of probabilities that were cooled down, [num_rows, num_nodes]; temperatures are [num_graphs, num_sweeps].
    """

def symmetric_rows(one: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], two: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Offsets, columns and values of the symmetric matrix with these values at these pairs.
    """

def transposed(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], num_columns: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
    """Offsets and numbers of the rows that each column occurs in, ascending."""

def occurrences(list: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
    """How often each number below size occurs in a list."""

class FlipSearch:
    """A search of one graph by flips that can be continued."""

    def run(self, clock: Clock, target: float) -> tuple[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')], float]:
        """
        Go on until the clock is spent or the target reached; return the best assignment, [num_nodes], and its cost.
        """

    @property
    def present(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
        """The present assignment, [num_nodes]."""

def annealing(terms: EnergyTerms, start: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], *, seed: int, coolings: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], num_sweeps: int | None = None) -> FlipSearch:
    """
    Simulated annealing from a start, [num_nodes], which is repaired first. The temperatures of the sweeps of each cooling are given, of which the last is repeated; where none are, the default, of so many sweeps each or as many as suit.
    """

def tabu_search(terms: EnergyTerms, start: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], *, seed: int) -> FlipSearch:
    """Tabu search from a start, [num_nodes], which is repaired first."""

def alternating_search(terms: EnergyTerms, start: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], *, seed: int) -> FlipSearch:
    """
    Annealing and tabu search in turns from a start, [num_nodes], which is repaired first.
    """

def default_temperatures(terms: EnergyTerms, chosen: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, float]:
    """
    Return the temperatures between which annealing cools by default, read off the prices of flips of bits.
    """
