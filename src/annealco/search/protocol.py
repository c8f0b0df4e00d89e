"""What a search is: a `SearchKind` says by the structure of an instance what it takes, and begins searches that go on.

A `Search` is under way on one graph, keeps its state, and goes on where it stopped. Costs are what is minimised,
whatever the sense of an instance. The rest is what the searches of the package share: results, starts, seeds of any
size for the core, which takes 64 bits, and the number of threads, on which no result depends.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYetError
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco import _core
from annealco.clock import LOOK_SECONDS, Budget, Trace
from annealco.energy import Instance
from annealco.energy.structure import Structure
from annealco.errors import InputError
from annealco.registry import check_declared

Bits = NDArray[np.bool_]
Result = TypeVar("Result")


class Found(NamedTuple):
    """What a search has found so far.

    Attributes:
        moves: how many were made in this call; at most what its budget has.
        assignment: [num_nodes] the best of all calls, and of the start.
        cost: of the assignment, inf where it is not feasible.
    """

    moves: int
    assignment: Bits
    cost: float


class Search(Protocol):
    """A search under way on one graph, with a state of its own."""

    @property
    def solved(self) -> bool:
        """Whether nothing is left to look at, so that the best is an optimum; it counts as a proof."""

    def run(self, budget: Budget, target: float, trace: Trace) -> Found:
        """Go on where the last call stopped, and return the best so far.

        Args:
            budget: ends the call when its seconds or moves are used up or its stop flag is set; ``budget.clock()``
                keeps count for compiled work. A search that is given moves alone does the same every time.
            target: ends the call as soon as the cost is at most this.
            trace: takes (``trace.record(cost)``) what was found when.
        """


class Begin(Protocol):
    """Begin a search on an instance of one graph."""

    def __call__(
        self, instance: Instance, start: Bits, *, seed: int, seconds: float | None, stop: _core.StopFlag | None
    ) -> Search:
        """Return the search; nothing is searched yet.

        Args:
            instance: of one graph, and of a kind that the search takes.
            start: [num_nodes] the assignment to begin with, mostly a feasible one; not to be changed.
            seed: of all random choices.
            seconds: that all calls of `Search.run` will have together, so that preparation can take its share; None
                where nothing may depend on the clock.
            stop: once it is set, preparation ends with what it has.
        """


def usual_setup_seconds(structure: Structure) -> float:  # noqa: ARG001 (whatever it is)
    """Return what most searches take to be set up, per node and edge of a graph."""
    return 1e-7


def takes_none(structure: Structure) -> bool:  # noqa: ARG001 (whatever it is)
    """Take no instance."""
    return False


@dataclass(frozen=True)
class SearchKind:
    """A way to search.

    Attributes:
        name: what users type.
        title: what it is, in a few words; solutions name it as their method.
        takes: whether it can search an instance of one graph, by the structure of its terms.
        begin: ``begin(instance, start, *, seed, seconds, stop)`` returns a `Search`.
        proof: what shows that the best is an optimum where the search says that it is solved; solutions name it.
        setup_seconds: what ``begin`` and the first moves take per node and edge of a graph, about. Where less time is
            left, the first set is the answer.
        starts_itself: whether ``begin`` makes a start of its own out of the trivial one, in less time than decoding
            takes. Where decoding would take much of the time, the trivial start is what it is given.
    """

    name: str
    title: str
    takes: Callable[[Structure], bool]
    begin: Begin
    proof: str = "reductions"
    setup_seconds: Callable[[Structure], float] = usual_setup_seconds
    starts_itself: Callable[[Structure], bool] = takes_none

    def __post_init__(self) -> None:
        check_declared(
            "search",
            self.name,
            title=self.title,
            takes=self.takes,
            begin=self.begin,
            setup_seconds=self.setup_seconds,
            starts_itself=self.starts_itself,
        )


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The best assignment that a search found on one graph.

    Attributes:
        assignment: [num_nodes].
        cost: its objective as a cost, whatever the sense of the instance.
        feasible: whether it violates nothing. A search that found nothing feasible returns what it has.
        moves: how many were made.
        seconds: wall-clock time, preparation included.
        trace: (seconds, cost) whenever something better had been found.
    """

    assignment: Bits
    cost: float
    feasible: bool
    moves: int
    seconds: float
    trace: tuple[tuple[float, float], ...]


def rescored(
    instance: Instance,
    assignment: Bits,
    *,
    moves: int,
    seconds: float,
    trace: tuple[tuple[float, float], ...],
) -> SearchResult:
    """Return a result whose cost and feasibility are evaluated by the terms, not carried along by a search.

    Example:
        >>> from annealco.energy import Linear
        >>> ptr = np.array([0, 2])
        >>> rescored(Instance(ptr, (Linear(ptr, np.ones(2)),)), np.ones(2, bool), moves=0, seconds=0.0, trace=()).cost
        2.0
    """
    cost = float(instance.cost.value(assignment)[0])
    feasible = bool(instance.violations(assignment)[0] == 0)
    return SearchResult(assignment, cost, feasible, moves, seconds, trace)


def constant_of(instance: Instance) -> float:
    """Return what every assignment of one graph costs besides the terms."""
    return 0.0 if instance.constant is None else float(instance.constant[0])


def as_start(instance: Instance, start: ArrayLike) -> Bits:
    """Return a start of one graph as the core takes it, [num_nodes]."""
    if instance.num_graphs != 1:
        raise InputError(f"a search is of one graph, this instance has {instance.num_graphs}")
    given = np.asarray(start)
    if given.shape != (instance.num_nodes,) or not np.all((given == 0) | (given == 1)):
        raise InputError(f"a start must be 0 or 1 for each of {instance.num_nodes} nodes, its shape is {given.shape}")
    return np.ascontiguousarray(given, dtype=np.bool_)


class FlipSearch:
    """A search by flips in the compiled core.

    Attributes:
        core: what searches.
    """

    def __init__(self, core: _core.FlipSearch) -> None:
        self.core = core

    @property
    def solved(self) -> bool:
        """Whether reductions left nothing to look at."""
        return self.core.is_solved

    def run(self, budget: Budget, target: float, trace: Trace) -> Found:
        """Go on until the budget is spent or the target reached; see `Search`."""
        clock = budget.clock()
        assignment, cost = self.core.run(clock, target)
        trace.follow(clock)
        return Found(clock.moves, assignment, cost)


def takes_all(structure: Structure) -> bool:  # noqa: ARG001 (whatever it is)
    """Take every instance."""
    return True


def seed_word(*seed: int) -> int:
    """Return 64 bits that depend on all the numbers given, none of which is negative.

    Example:
        >>> seed_word(1, 2) == seed_word(1, 2), seed_word(1, 2) == seed_word(2, 1), seed_word(2**100) < 2**64
        (True, False, True)
    """
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


def count_threads(num_threads: int | None) -> int:
    """Return the number of threads asked for, by default the processors this program may use."""
    if num_threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if num_threads < 1:
        raise InputError(f"num_threads must be at least 1, it is {num_threads}")
    return num_threads


def result_of(task: Future[Result]) -> Result:
    """Return the result of a task in another thread, and answer Ctrl-C meanwhile.

    Python handles signals in its main thread. Where the system delivers a signal to another thread, a main thread that
    waits without a timeout goes on waiting.

    Example:
        >>> from concurrent.futures import ThreadPoolExecutor
        >>> with ThreadPoolExecutor(1) as pool:
        ...     result_of(pool.submit(sum, [1, 2]))
        3
    """
    while True:
        try:
            return task.result(timeout=LOOK_SECONDS)
        except NotYetError:
            # The task itself may have raised this.
            if task.done():
                return task.result()
