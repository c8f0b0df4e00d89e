"""
The compiled core: searches, bounds, baselines and rows of graphs. Python decides, this repeats.
"""

from collections.abc import Sequence
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

class Patience:
    """
    Seconds and moves without a better assignment after which a search ends; clocks that are given the same one go on counting.
    """

    def __init__(self, *, seconds: float | None = None, moves: int | None = None) -> None: ...

    @property
    def is_over(self) -> bool:
        """Whether so much has passed in vain by the end of the last clock."""

    @property
    def seconds_left(self) -> float:
        """Seconds that may still pass in vain, inf without a limit."""

    @property
    def moves_left(self) -> int:
        """Moves that may still be made in vain."""

    def improve(self, cost: float) -> bool:
        """
        Tell whether a cost is lower than all before; if so, nothing has passed in vain since.
        """

    def wait(self, seconds: float, moves: int) -> None:
        """Count what has passed in vain without a clock."""

class Clock:
    """
    Seconds, moves and a stop flag that bound work in the core; the time begins now.
    """

    def __init__(self, *, seconds: float | None = None, moves: int | None = None, stop: StopFlag | None = None, patience: Patience | None = None) -> None: ...

    @property
    def moves(self) -> int:
        """Moves made."""

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""

    @property
    def is_over(self) -> bool:
        """Whether the time is over or an end was asked for."""

    def record(self, cost: float) -> None:
        """Put down that a cost was reached now, which renews the patience."""

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

def decode(terms: EnergyTerms, probability: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], assignment: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu')], *, order: str, num_threads: int) -> None:
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

def unlisted_pairs(one: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], two: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], node_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')]:
    """
    The pairs of nodes of each graph that are not listed, [2, num_unlisted], ascending.
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

class FlipSearch:
    """A search of one graph by flips that can be continued."""

    def run(self, clock: Clock, target: float) -> tuple[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')], float]:
        """
        Go on until the clock is spent or the target reached; return the best assignment, [num_nodes], and its cost.
        """

    @property
    def present(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
        """The present assignment, [num_nodes]."""

    @property
    def is_solved(self) -> bool:
        """Whether nothing is left to look at, so that the best is an optimum."""

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

def recombination(terms: EnergyTerms, start: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], *, seed: int, reduction_seconds: float) -> FlipSearch:
    """
    Annealing of spins whose results are recombined, from a start, [num_nodes], which is repaired first. Reductions of all spins stop after so many seconds.
    """

def default_temperatures(terms: EnergyTerms, chosen: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, float]:
    """
    Return the temperatures between which annealing cools by default, read off the prices of flips of bits.
    """

def spin_fields(linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], bool]:
    """
    Return a/2 + Σ b/4 of each node and how far roundings may have moved it, [num_nodes] each, and whether the pairs ascend.
    """

class Couplings:
    """Pairs of spins and the strengths of their couplings, checked once."""

    def __init__(self, num_spins: int, low: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], strength: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class RoofDuality:
    """
    What a flow tells of spins, one of which is 1: how much is not satisfied, and directions.
    """

    def __init__(self, couplings: Couplings, fixed: int, step: float) -> None: ...

    def run(self, clock: Clock) -> None:
        """Raise the flow until it is a maximum or the clock is over."""

    @property
    def unsatisfied(self) -> float:
        """At least so much of all strengths is not satisfied, each counted once."""

    @property
    def direction(self) -> Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C')]:
        """[num_spins] 1 or -1 where every optimum has it, else 0."""

class SpinReduction:
    """Elimination of spins whose best direction follows from a few others."""

    def __init__(self, couplings: Couplings) -> None: ...

    def run(self, clock: Clock) -> bool:
        """
        Eliminate until no rule fits; False where the clock is over before, and what was done holds.
        """

    def lift(self, spins: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C')]:
        """
        Return the best directions of all spins, 1 or -1, where those of the spins that are left are given.
        """

    @property
    def is_exact(self) -> bool:
        """Whether no coupling was rounded."""

    @property
    def kernel(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """
        The spins that are left, [num_left], and both ends, numbered among these, and strengths of their couplings.
        """

class MixingMethod:
    """
    Unit vectors on their way to the optimum of the semidefinite relaxation of spins.
    """

    def __init__(self, couplings: Couplings, load: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], most: float, seed: int) -> None: ...

    def run(self, clock: Clock) -> bool:
        """
        Go on until the vectors have converged; False where the clock is over before.
        """

    def sweep(self, clock: Clock) -> float:
        """Turn each vector once; return by how much that lowered the sum."""

    def change(self, strength: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Go on with other strengths of the same pairs, from the vectors there are.
        """

    @property
    def products(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The product of the two vectors of each pair, [num_pairs]."""

    @property
    def converged(self) -> bool:
        """Whether the vectors have come to rest."""

    @property
    def penalty(self) -> float:
        """The multiplier of the square of the weighted sum."""

    @property
    def pull(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The length of the pull on each vector, [num_spins]."""

    @property
    def vectors(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
        """The vectors, [num_spins, dimension]."""

class RangedCut:
    """
    Least cost of fields of chosen nodes and strengths of separated pairs, all at least 0, where the weight of the chosen nodes lies in a range: minimum cuts, multipliers, branch and bound.
    """

    def __init__(self, pairs: Couplings, field: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: float, upper: float, chosen: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def run(self, enough: float, clock: Clock) -> None:
        """
        Go on until the bound is enough or nothing better can be proven, or the clock is over.
        """

    @property
    def bound(self) -> float:
        """No choice in the range costs less."""

    @property
    def is_solved(self) -> bool:
        """Whether some choice in the range costs just that."""

class SpinBranching:
    """
    A search through all choices of spins, by a convex form that bounds their energy.
    """

    def __init__(self, couplings: Couplings, diagonal: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], load: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalty: float, most: float, fixed: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: float, upper: float) -> None:
        """
        Spins whose weight where they are 1 lies in a range; `fixed` is -1, 1, or 0 for a free spin.
        """

    def run(self, clock: Clock, limit: float, gain: float) -> bool:
        """
        Look for energies below the limit less the gain; true once there are none but the best found.
        """

    @property
    def best(self) -> float:
        """The least energy found, or the limit."""

    @property
    def has_found(self) -> bool: ...

    @property
    def best_spins(self) -> Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C')]:
        """[num_spins] -1 or 1: a choice of the least energy found."""

def is_positive_definite(couplings: Couplings, diagonal: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], load: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalty: float, clock: Clock) -> bool | None:
    """
    Tell whether the symmetric matrix with half of the couplings, plus diag(diagonal) + penalty·load·load', has a Cholesky factor; None where the clock is over before.
    """

def pack_cycles(couplings: Couplings, clock: Clock, reach: int | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Return offsets, couplings and prices of cycles that cannot all be satisfied and share no strength, found by searches that look at ever more couplings, or at so many.
    """

class CycleSeparation:
    """Search for short cycles that cannot all be satisfied."""

    def __init__(self, couplings: Couplings) -> None: ...

    def find(self, length: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], roots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], most: int, clock: Clock) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
        """
        Return offsets and couplings of cycles through some of the roots that are shorter than one.
        """

SHORT_CYCLE: float = 0.999

def component_roots(couplings: Couplings, clock: Clock) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')] | None:
    """
    Return the least spin of each spin's connected component; None where the clock is over before.
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
    def is_pairs(self) -> bool:
        """Whether all sets have two members."""

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
    def offset(self) -> float:
        """
        What a lifted solution costs at most beside that of the kernel; an optimum costs just this.
        """

    @property
    def left(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """
        [num_kernel_variables] the variables of the kernel; where several became one, the one that stayed.
        """

    def lift(self, kernel_chosen: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
        """
        Return the solution [num_variables] that a solution of the kernel stands for.
        """

    def restrict(self, chosen: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
        """
        Return the solution [num_kernel_variables] of the kernel that is closest to one of the whole.
        """

def reduce_sets(problem: HittingSet, clock: Clock) -> Reduction:
    """Shrink a problem until no rule applies or the time is over."""

def join_hitting_sets(problem: HittingSet, one: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], two: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
    """
    Return a hitting set [num_variables] that is the cheaper of two in each part in which they differ.
    """

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

class PackingSearch:
    """
    Local search in regions, and with weights, for a cheap hitting set of sparse pairs.
    """

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

class CliqueSearch:
    """Search for a heavy clique by later neighbours in degeneracy order."""

    def __init__(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, limit: float = 0.0) -> None:
        """
        Begin with a clique of a graph, given by the sorted neighbours of every node; only cliques heavier than it and than the limit are wanted.
        """

    def run(self, clock: Clock, target: float, most_work: int | None = None) -> bool:
        """
        Continue until the clock ends, the weight is at minus the target, or all calls have done so much work; tell whether there is more to do.
        """

    def raise_limit(self, weight: float) -> None:
        """Want only cliques that are heavier from now on."""

    @property
    def best(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
        """[num_nodes] the heaviest clique so far."""

    @property
    def best_weight(self) -> float: ...

    @property
    def moves(self) -> int: ...

    @property
    def work(self) -> int:
        """Of all calls, in words of bit sets that were gone through."""

    @property
    def bound(self) -> float:
        """A weight that no clique exceeds, infinite before one is known."""

    @property
    def is_solved(self) -> bool:
        """Whether it is known that no clique is heavier."""

def pack_in_order(problem: HittingSet, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], clock: Clock) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
    """Add nodes in an order while no partner is chosen, [num_nodes]."""

def pack_updated(problem: HittingSet, clock: Clock) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
    """
    Choose the node of largest weight / (1 + remaining partners), drop its partners, and repeat, [num_nodes].
    """

def cover_in_order(problem: HittingSet, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], clock: Clock) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
    """
    Add nodes in an order where one of their sets is not hit yet, [num_nodes].
    """

def cover_updated(problem: HittingSet, clock: Clock) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
    """
    Choose the node that hits most new sets for its cost, and repeat until all are hit, [num_nodes].
    """

def drop_in_order(problem: HittingSet, chosen: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], clock: Clock) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
    """
    Drop chosen nodes in an order while every set that is hit stays hit, [num_nodes].
    """

def clique_in_order(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], partners: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], clock: Clock) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
    """Add nodes in an order while all pairs are partners, [num_nodes]."""

def clique_updated(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], partners: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], clock: Clock) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
    """
    Choose the candidate of largest weight / (1 + candidates it excludes), keep its partners, and repeat, [num_nodes].
    """

def clique_rows(num_nodes: int, low: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], clock: Clock) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
    """Return offsets and members of cliques that cover all pairs."""

def most_decided_first(linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], clock: Clock) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
    """
    Set the node whose conditional expectation is most decided, the others being even, and repeat, [num_nodes].
    """

def grow_set(linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limits: tuple[float, float], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], clock: Clock) -> tuple[float, int, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    Grow a set by the node of least cost for its weight; return the least cost within the limits of weight, infinite for none, how many nodes that set has, and the order of all.
    """

def approximate_pagerank(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbours: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, alpha: float, epsilon: float, clock: Clock) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """Return approximate PageRank and residual, [num_nodes] each."""

def sweep_sums(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbours: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], clock: Clock) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    Return cut and volume of the first 1, 2, ... nodes of an order, [num_swept] each.
    """

def capacity_releasing_diffusion(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbours: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, capacity: int, height: int, rounds: int, most: float, clock: Clock) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    Return mass and labels, [num_nodes] each, when too much mass is lost or the total has come to `most`.
    """

def unit_flow(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbours: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], capacity: int, height: int, clock: Clock) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
    """
    Push and relabel until no node below the height has more than its degree; return mass and labels, [num_nodes], and the flow over each entry of the rows.
    """

def preferential_attachment(generator: object, num_nodes: int, attachment: int, clock: Clock) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')]:
    """
    Return the edges, [num_edges, 2], of a star that grew by preferential attachment. The numbers come from a NumPy bit generator, whose lock the caller holds.
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

    def __init__(self, one: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], two: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], num_nodes: int) -> None:
        """
        The relation of pairs of different nodes, in any order and some perhaps twice.
        """

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

def price_pairs(one: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], two: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Offsets, members and prices of pairs, each priced by the lighter of what its two nodes have left.
    """

def cover_pairs(graph: Neighbours, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], member: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], most: int, clock: Clock) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]] | None:
    """
    Cliques that hold, with the given ones, every pair of neighbours; None where that takes too many members in all, or where the clock was over first.
    """

def overfilled_cliques(graph: Neighbours, value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, most: int, clock: Clock) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
    """
    Maximal cliques whose nodes have values above 1 in all; not many more members than `most`.
    """

def certified_price(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], member: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], price: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], most: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> float:
    """
    The most that a choice with at most `most` nodes of each set, or one, can weigh, as prices of the sets prove.
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

class Theta:
    """A matrix on its way to the theta number of a graph with node weights."""

    def __init__(self, joined: Neighbours, root: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Roots of the weights of nodes, of which no two that are joined are chosen.
        """

    def run(self, limit: float, clock: Clock) -> bool:
        """
        Go on until the bound is no more than the limit, or at rest; False where the clock is over before.
        """

    @property
    def converged(self) -> bool:
        """Whether the bound has come to rest."""

    @property
    def value(self) -> float:
        """The bound, as it is computed."""

    @property
    def low(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """[num_pairs] one end of each pair."""

    @property
    def high(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """[num_pairs] the other."""

    @property
    def entry(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """[num_pairs] entries of the matrix that has ones on its diagonal."""

class SmallParts:
    """The small connected parts of a hitting set problem, solved."""

    def __init__(self, problem: HittingSet) -> None: ...

    def run(self, most: int, gain: float, clock: Clock) -> None:
        """
        Solve parts of up to so many variables, whose costs are multiples of twice the gain.
        """

    @property
    def cost(self) -> float:
        """What these parts cost."""

    @property
    def chosen(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
        """[num_variables] the best choice in these parts."""

    @property
    def is_left(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
        """[num_variables] 1 for variables of other parts."""

class FieldWeights:
    """The weights of a network `field`, packed for its recurrence."""

    def __init__(self, *, width: int, start: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], start_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], messages: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], signals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], recurrent: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], read: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], read_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], must_be_finite: bool = True) -> None: ...

class FieldEnergy:
    """Terms whose field a network reads, as flat arrays."""

    def __init__(self, *, linear: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_index: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], all_pairs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], descending: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], set_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_members: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], set_of_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cover: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], set_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], range_weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], range_lower: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], range_upper: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], range: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], range_method: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class FieldSetting:
    """What is fixed while networks run on a batch of graphs."""

    def __init__(self, *, node_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbour_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbours: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], surroundings: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], unit: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], objective: FieldEnergy, penalty: FieldEnergy) -> None: ...

class FieldRecurrence:
    """States of all restarts on a batch of graphs."""

    def __init__(self, weights: Sequence[FieldWeights], weights_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], setting: FieldSetting, *, num_restarts: int, most_lanes: int = 16) -> None:
        """
        Graph number i has the weights number weights_of[i]. Vectors have at most so many lanes, which changes no result.
        """

    def begin(self, features: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], fresh: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, *, num_threads: int = 1) -> None:
        """
        Let all restarts of nodes, or those in fresh [num_nodes, num_restarts], start from features [num_nodes, num_restarts, 4].
        """

    def select(self, keeps: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], parent: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, num_threads: int = 1) -> None:
        """
        Keep the states of the restarts in keeps [num_graphs, num_restarts], then let each restart go on from what its parent [num_graphs, num_restarts] has kept of the graph, or where that is -1 from its own state.
        """

    def run(self, num_steps: int, logits: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], clock: Clock, *, num_threads: int = 1) -> None:
        """
        Make steps, at least one and none once the clock is over, and fill in logits [num_restarts, num_nodes].
        """

class FieldTape:
    """A run of a network on a batch of graphs that can be differentiated."""

    def __init__(self, weights: FieldWeights, setting: FieldSetting, features: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], logits: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu')], *, num_steps: int, num_threads: int = 1, most_lanes: int = 16) -> None:
        """
        Make steps from features [num_nodes, num_samples, 4], and fill in the logits after the last of them, [num_kept, num_nodes, num_samples]. Vectors have at most so many lanes, which changes no result.
        """

    def backward(self, features: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], *, start: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], start_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], messages: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], signals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], recurrent: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], read: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], read_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], num_threads: int = 1) -> None:
        """
        Fill in the gradients by the weights, from those by the logits, of a run that began with these features.
        """

def normal_tail(z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Return P(N > z) and the density at z ≥ 0 of a standard normal variable N.
    """
