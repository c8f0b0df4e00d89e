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

def lower_sum(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """
    The largest double that is not above the exact sum, −∞ where that is not finite.
    """

def grid_step(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """
    The largest step of which all values are multiples, or 0 where sums would not be exact.
    """

class Neighbours:
    """A symmetric relation between nodes: the neighbours of each, ascending."""

    @property
    def num_nodes(self) -> int: ...

    @property
    def num_entries(self) -> int:
        """Twice the number of pairs."""

    @property
    def start(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """[num_nodes + 1] offsets into ``node``."""

    @property
    def node(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """[num_entries] the neighbours of one node after the other."""

    def induced(self, kept: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], clock: Clock) -> Neighbours | None:
        """
        The relation among kept nodes, numbered anew in their order; None where the clock was over first.
        """

    def complement(self, clock: Clock) -> Neighbours | None:
        """The pairs that are not listed; None where the clock was over first."""

def neighbours_of(one: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], two: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], num_nodes: int, clock: Clock) -> Neighbours | None:
    """
    The relation of pairs of different nodes, in any order; None where the clock was over first.
    """

def greedy_colouring(graph: Neighbours, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], clock: Clock) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')] | None:
    """
    A colour for each node, heavier and denser ones first; None where the clock was over first.
    """

def within_reach(graph: Neighbours, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: float, clock: Clock) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
    """
    1 for each node that can be in a clique heavier than the limit, as far as was found.
    """

def greedy_clique_cover(graph: Neighbours, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], clock: Clock) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], bool]:
    """
    Offsets, members and prices of cliques, and whether they cover all weights: there may have been no time.
    """

def cover_pairs(graph: Neighbours, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], member: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], most: int, clock: Clock) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]] | None:
    """
    Cliques that hold, with the given ones, every pair of neighbours; None where that takes too many members in all, or where the clock was over first.
    """

def overfilled_cliques(graph: Neighbours, value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, most: int, clock: Clock) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
    """
    Maximal cliques whose nodes have values above 1 in all; not many more members than `most`.
    """

def certified_price(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], member: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], price: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """
    The most that a set with at most one node of each clique can weigh, as its prices prove.
    """

class IteratedGreedy:
    """Passes over a partition that never make it larger."""

    def __init__(self, graph: Neighbours, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, colours: bool, seed: int) -> None: ...

    def run(self, aim: float, clock: Clock) -> None:
        """Make passes until the price is no higher than the aim."""

    @property
    def price(self) -> float: ...

    @property
    def cheapest(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """
        The partition of the lowest price: every class costs as much as its heaviest node.
        """

class PartitionSearch:
    """A tabu search for partitions into few classes."""

    def __init__(self, graph: Neighbours, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, colours: bool, seed: int) -> None: ...

    def run(self, aim: float, patience: int | None, clock: Clock) -> None:
        """
        Search until the price is no higher than the aim, or some classes were emptied so many times in vain.
        """

    @property
    def num_classes(self) -> int: ...

    @property
    def price(self) -> float: ...

    @property
    def label(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """The partition with the fewest classes."""

    @property
    def cheapest(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """
        The partition of the lowest price: every class costs as much as its heaviest node.
        """

def certified_cost(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], member: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], price: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], constant: float) -> float:
    """
    The least that nodes which hit all sets can cost, as prices of the sets prove.
    """

def greedy_prices(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], member: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], clock: Clock) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    Prices of sets that exceed no node's weight, small sets first; 0 for those that there was no time for.
    """

class PriceAscent:
    """Prices of sets on their way up, by subgradient steps."""

    def __init__(self, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], member: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], price: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], goal: float) -> None: ...

    def run(self, aim: float, clock: Clock) -> None:
        """Make steps until the bound is above the aim or more are of no use."""

    @property
    def best_price(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Prices of the best bound so far."""

class BranchAndBound:
    """A search through all choices that have enough members of every row."""

    def __init__(self, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], member: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], demand: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], price: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def search(self, limit: float, gain: float, clock: Clock) -> tuple[bool, float, float]:
        """
        Search choices that cost no more than the limit, and having found one, those cheaper by `gain`. Returns whether all were searched, so that all others cost more than a limit; that limit; and the cost of the cheapest choice found, or infinity.
        """
