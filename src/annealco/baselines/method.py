"""The protocol of methods: what a method is asked, what it answers, and how it says what it can take.

A `Method` has a name, a `SolveGraph` function, and a rule of what it refuses. Greedy rules, searches and exact solvers
share this one signature. The function may be given as a place, ``module:function``: it is then imported when the method
first runs, so that the registry costs nothing and lists what is not installed. `on_instance` makes a `SolveGraph` of a
function that reads everything it needs off the instance.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from annealco.energy import Instance
from annealco.energy.structure import Kind, structure_of
from annealco.errors import InputError, UserCodeError, user_errors
from annealco.graph.graph import Graph
from annealco.optional import is_installed, missing
from annealco.problems import PROBLEMS, Problem
from annealco.registry import check_declared, is_of_package, load_place

Assignment = NDArray[np.bool_]
"""Which nodes are chosen, [num_nodes]."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method found on one graph.

    Attributes:
        assignment: [num_nodes] bits, or None where nothing was found. Whoever uses them scores them anew.
        bound: proven bound on the optimum in the user's sense, or None.
        proven: whether the method claims that nothing is better.
        note: what a reader of the result should know, such as a licence that was too small; empty mostly.
        seconds: wall-clock time of solving, without that of writing the problem down for a solver.
        trace: (seconds, value) of each improvement, of methods that tell.
    """

    assignment: Assignment | None
    bound: float | None = None
    proven: bool = False
    note: str = ""
    seconds: float = 0.0
    trace: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        # Rows are JSON, which has neither infinite numbers nor those of NumPy.
        if self.bound is not None and not _is_finite(self.bound):
            raise InputError(f"the bound of a method must be a finite number, or None, it is {self.bound!r:.40}")
        if not _is_finite(self.seconds) or self.seconds < 0:
            raise InputError(f"the seconds of a method must not be negative and finite, they are {self.seconds!r:.40}")
        if not isinstance(self.proven, bool | np.bool_):
            raise InputError(f"whether a method has proven something must be True or False, it is {self.proven!r:.40}")
        if not isinstance(self.note, str):
            raise InputError(f"the note of a method must be text, it is {self.note!r:.40}")
        if not isinstance(self.trace, tuple | list) or not all(map(_is_point, self.trace)):
            raise InputError(f"the trace of a method must be pairs of seconds and value, it is {self.trace!r:.60}")
        plain = {
            "bound": None if self.bound is None else float(self.bound),
            "seconds": float(self.seconds),
            "proven": bool(self.proven),
            "trace": tuple((float(seconds), float(value)) for seconds, value in self.trace),
        }
        for name, value in plain.items():
            object.__setattr__(self, name, value)


def _is_finite(value: object) -> bool:
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return is_number and math.isfinite(cast("float", value))


def _is_point(point: object) -> bool:
    return isinstance(point, tuple | list) and len(point) == 2 and all(map(_is_finite, point)) and point[0] >= 0


class SolveGraph(Protocol):
    """Solve one graph and return an `Outcome`.

    Args:
        problem: with its options set.
        graph: one graph.
        budget: seconds; a method without a clock may ignore it.
        seed: of all random choices.
        threads: most that may run at once.
        start: [num_nodes] bits of a feasible assignment to begin with, for methods that can.
    """

    def __call__(
        self,
        problem: Problem,
        graph: Graph,
        *,
        budget: float,
        seed: int,
        threads: int = 1,
        start: Assignment | None = None,
    ) -> Outcome: ...


Refusal = Callable[[Problem, Graph], str | None]
"""Return why a method cannot take a problem on a graph, or None where it can."""


def takes_all(problem: Problem, graph: Graph) -> str | None:  # noqa: ARG001 (others look at both)
    """Refuse nothing."""
    return None


def takes_kinds(*kinds: Kind) -> Refusal:
    """Return what refuses every problem whose instance is of another kind than these (`annealco.energy.structure`)."""

    def refuse(problem: Problem, graph: Graph) -> str | None:
        kind = structure_of(problem.declare(graph)).kind
        return None if kind in kinds else f"it takes {' and '.join(kinds)} problems, this one is {kind}"

    return refuse


def only_for(*names: str) -> Refusal:
    """Return what refuses every problem but the named ones: for methods that are about these by their nature.

    Example:
        >>> from annealco.problems import PROBLEMS
        >>> only_for("mis")(PROBLEMS["mds"], Graph.from_edges([[0], [1]]))
        'it is for mis only'
    """

    def refuse(problem: Problem, graph: Graph) -> str | None:  # noqa: ARG001 (the graph does not matter)
        return None if problem.name in names else f"it is for {', '.join(names)} only"

    return refuse


@dataclass(frozen=True)
class Method:
    """A method by name.

    Attributes:
        name: what users type.
        summary: what it is, in a few words.
        solve: the function, or its place ``module:function``, which is imported when the method first runs.
        needs: the extra that installs what it needs, or None.
        package: the module that must be installed, or None. In comparisons such a method runs in a process of its own.
        refuses: tells why it cannot take a problem on a graph; `refusal` is what to ask.
        takes_quotients: whether it may be asked for a problem whose score is a quotient; most see the numerator alone.
        counts_moves: whether it can be given moves (a sampler: steps) instead of seconds, and is repeatable then.
        repeatable: whether the same seed gives the same set, whatever the budget.
    """

    name: str
    summary: str
    solve: SolveGraph | str
    needs: str | None = None
    package: str | None = None
    refuses: Refusal = takes_all
    takes_quotients: bool = False
    counts_moves: bool = False
    repeatable: bool = False

    def __post_init__(self) -> None:
        check_declared("method", self.name, title=self.summary, refuses=self.refuses)
        if not isinstance(self.solve, str):
            check_declared("method", self.name, title=self.summary, solve=self.solve)

    @property
    def is_installed(self) -> bool:
        """Whether what it needs can be found; nothing is imported."""
        return self.package is None or is_installed(self.package)

    def check_installed(self) -> None:
        """Raise an InputError that says how to install what is missing."""
        if self.package is not None and not self.is_installed:
            raise InputError(missing(self.name, self.package, self.needs))

    def refusal(self, problem: Problem, graph: Graph) -> str | None:
        """Return why it cannot take a problem on a graph, or None where it can."""
        if problem.at_price is not None and not self.takes_quotients:
            return "it minimises sums, not quotients"
        with user_errors(f"the method {self.name} failed", is_own=is_of_package(self.refuses)):
            return self.refuses(problem, graph)

    def run(
        self,
        problem: Problem,
        graph: Graph,
        *,
        budget: float,
        seed: int = 0,
        threads: int = 1,
        start: Assignment | None = None,
        moves: int | None = None,
    ) -> Outcome:
        """Solve one graph; `SolveGraph` tells what is given. Moves are for methods that count them, others have none.

        Raises:
            InputError: where its package is missing, where it cannot take the problem on this graph, and where it
                returns what is no outcome on it.
        """
        self.check_installed()
        refusal = self.refusal(problem, graph)
        if refusal is not None:
            raise InputError(f"{self.name} cannot solve {problem.name} here: {refusal}")
        solve: SolveGraph = load_place(self.solve, "method") if isinstance(self.solve, str) else self.solve
        counted = {"moves": moves} if self.counts_moves else {}
        with user_errors(f"the method {self.name} failed", is_own=is_of_package(solve)):
            found = solve(problem, graph, budget=budget, seed=seed, threads=threads, start=start, **counted)
        if not isinstance(found, Outcome):
            raise UserCodeError(f"the method {self.name} must return an Outcome, it returned a {type(found).__name__}")
        bits = found.assignment
        is_set = isinstance(bits, np.ndarray) and bits.shape == (graph.num_nodes,) and bits.dtype == np.bool_
        if bits is not None and not is_set:
            seen = f"{list(bits.shape)} of {bits.dtype}" if isinstance(bits, np.ndarray) else type(bits).__name__
            raise UserCodeError(
                f"the method {self.name}: the assignment must be [{graph.num_nodes}] bools, it is {seen}"
            )
        return found


class Find(Protocol):
    """Return an assignment, [num_nodes] bits, of an instance of one graph.

    `SolveGraph` tells what else is given; where moves are, they count instead of seconds for whoever counts moves.
    """

    def __call__(
        self, instance: Instance, *, budget: float, seed: int, threads: int, moves: int | None
    ) -> Assignment: ...


class CountedSolve(Protocol):
    """A `SolveGraph` that can be given moves instead of seconds: such runs are repeatable."""

    def __call__(
        self,
        problem: Problem,
        graph: Graph,
        *,
        budget: float,
        seed: int,
        threads: int = 1,
        start: Assignment | None = None,
        moves: int | None = None,
    ) -> Outcome: ...


def on_instance(find: Find) -> CountedSolve:
    """Return a `SolveGraph`, by moves too, that declares the instance and times what is done with it.

    Example:
        >>> from annealco.problems import PROBLEMS
        >>> nothing = on_instance(lambda instance, **_: np.zeros(instance.num_nodes, bool))
        >>> nothing(PROBLEMS["mis"], Graph.from_edges([[0], [1]]), budget=1, seed=0).assignment.tolist()
        [False, False]
    """

    def run(
        problem: Problem,
        graph: Graph,
        *,
        budget: float,
        seed: int,
        threads: int = 1,
        start: Assignment | None = None,  # noqa: ARG001 (what builds a set of its own begins with none)
        moves: int | None = None,
    ) -> Outcome:
        instance = problem.declare(graph)
        begun = time.perf_counter()
        assignment = find(instance, budget=budget, seed=seed, threads=threads, moves=moves)
        return Outcome(assignment, seconds=time.perf_counter() - begun)

    return run


def problems_of(method: Method, problems: Iterable[Problem] | None = None) -> list[str]:
    """Return the names of the problems that a method takes on one of some small graphs.

    Args:
        method: any.
        problems: those to ask about; by default those of the package. One that needs an option is left out.

    Example:
        >>> from annealco.baselines import METHODS
        >>> problems_of(METHODS["networkx"])
        ['mis', 'clique', 'mds']
    """
    asked = [PROBLEMS[name] for name in PROBLEMS.own] if problems is None else problems
    ready = [problem for problem in asked if not any(option.required for option in problem.options)]
    return [
        problem.name
        for problem in ready
        if any(method.refusal(problem, graph) is None for graph in problem.some_graphs())
    ]
