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

class HittingSet:
    """
    Choose variables of least total cost such that every set has a chosen member.
    """

    def __init__(self, cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Build a problem from costs [num_variables], lengths [num_sets] of sets, and their members one after the other.
        """

    @staticmethod
    def of_pairs(cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> HittingSet:
        """Build a problem whose sets are pairs, [2, num_pairs]."""

    @property
    def num_variables(self) -> int: ...

    @property
    def num_sets(self) -> int: ...

    @property
    def cost(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)]:
        """[num_variables]"""

    @property
    def members(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """[num_members] variables of all sets."""

    @property
    def set_ptr(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """[num_sets + 1] offsets into members."""

    @property
    def variable_ptr(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """[num_variables + 1] offsets into sets."""

    @property
    def sets(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """[num_members] sets of each variable, ascending."""

    @property
    def partner(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """
        [num_members] the other member of each pair, beside sets; empty unless all sets are pairs.
        """

class Reduction:
    """What reductions leave of a hitting set problem, and how to go back."""

    @property
    def kernel(self) -> HittingSet:
        """The smaller problem; the same object where no rule applied."""

    @property
    def chosen(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
        """[num_variables] what every lifted solution chooses."""

    @property
    def left(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """[num_kernel_variables] the variables of the kernel."""

    def lift(self, kernel_chosen: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
        """
        Return the solution [num_variables] that a solution of the kernel stands for.
        """

def reduce_sets(problem: HittingSet, clock: Clock) -> Reduction:
    """Shrink a problem until no rule applies or the time is over."""

class CoveringSearch:
    """Local search with weights and scouts for a cheap hitting set."""

    def __init__(self, problem: HittingSet, start: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, offset: float = 0.0) -> None:
        """
        Begin with any choice of variables; the offset is added to all costs that a clock records.
        """

    def run(self, clock: Clock, target: float) -> bool:
        """
        Continue until the clock ends or cost plus offset is at the target; tell whether there is more to do.
        """

    @property
    def best(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
        """[num_variables] the cheapest hitting set so far."""

    @property
    def best_cost(self) -> float: ...

    @property
    def moves(self) -> int: ...

    @property
    def num_scouts(self) -> int: ...

class CliqueSearch:
    """Search for a heavy clique by later neighbours in degeneracy order."""

    def __init__(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int) -> None:
        """
        Begin with a clique of a graph, given by the sorted neighbours of every node.
        """

    def run(self, clock: Clock, target: float) -> bool:
        """
        Continue until the clock ends or the weight is at minus the target; tell whether there is more to do.
        """

    @property
    def best(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
        """[num_nodes] the heaviest clique so far."""

    @property
    def best_weight(self) -> float: ...

    @property
    def moves(self) -> int: ...

    @property
    def is_solved(self) -> bool:
        """Whether it is known that no clique is heavier."""
