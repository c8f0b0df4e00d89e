"""What every method is asked, and what it answers: one signature for greedy rules, searches and exact solvers.

A method's module is imported when it first runs, so that the registry costs nothing and lists what is not installed.

Make a method of a function that reads everything it needs off the instance.

Tell which problems a method takes, by asking it on a small graph.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from annealco.energy import Instance
from annealco.energy.structure import Kind, structure_of
from annealco.errors import InputError
from annealco.graph.generators.presets import ring_with_chords
from annealco.graph.graph import Graph
from annealco.optional import is_installed, missing
from annealco.problems import PROBLEMS, Problem


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

    assignment: NDArray[np.bool_] | None
    bound: float | None = None
    proven: bool = False
    note: str = ""
    seconds: float = 0.0
    trace: tuple[tuple[float, float], ...] = ()


class Run(Protocol):
    """Solve one graph.

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
        start: NDArray[np.bool_] | None = None,
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
        place: ``module:function`` of a `Run`.
        needs: the extra that installs what it needs, or None.
        package: the module that must be there, or None.
        refuses: tells why it cannot take a problem on a graph; `refusal` is what to ask.
        takes_quotients: whether it may be asked for a problem whose score is a quotient; most see the numerator alone.
        counts_moves: whether it can be given moves (a sampler: steps) instead of seconds, and is repeatable then.
    """

    name: str
    summary: str
    place: str
    needs: str | None = None
    package: str | None = None
    refuses: Refusal = takes_all
    takes_quotients: bool = False
    counts_moves: bool = False

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
        return self.refuses(problem, graph)

    def run(
        self,
        problem: Problem,
        graph: Graph,
        *,
        budget: float,
        seed: int = 0,
        threads: int = 1,
        start: NDArray[np.bool_] | None = None,
        moves: int | None = None,
    ) -> Outcome:
        """Solve one graph; `Run` tells what is given. Moves are for methods that count them, others have none.

        Raises:
            InputError: where its package is missing, or it cannot take the problem on this graph.
        """
        self.check_installed()
        refusal = self.refusal(problem, graph)
        if refusal is not None:
            raise InputError(f"{self.name} cannot solve {problem.name} here: {refusal}")
        module, _, function = self.place.partition(":")
        solve: Run = getattr(import_module(module), function)
        counted = {"moves": moves} if self.counts_moves else {}
        return solve(problem, graph, budget=budget, seed=seed, threads=threads, start=start, **counted)


class Find(Protocol):
    """Return an assignment, [num_nodes] bits, of an instance of one graph.

    `Run` tells what else is given; where moves are, they count instead of seconds for whoever counts moves.
    """

    def __call__(
        self, instance: Instance, *, budget: float, seed: int, threads: int, moves: int | None
    ) -> NDArray[np.bool_]: ...


class CountedRun(Protocol):
    """A `Run` that can be given moves instead of seconds: such runs are repeatable."""

    def __call__(
        self,
        problem: Problem,
        graph: Graph,
        *,
        budget: float,
        seed: int,
        threads: int = 1,
        start: NDArray[np.bool_] | None = None,
        moves: int | None = None,
    ) -> Outcome: ...


def on_instance(find: Find) -> CountedRun:
    """Return a `Run`, by moves too, that declares the instance and times what is done with it.

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
        start: NDArray[np.bool_] | None = None,  # noqa: ARG001 (what builds a set of its own begins with none)
        moves: int | None = None,
    ) -> Outcome:
        instance = problem.declare(graph)
        begun = time.perf_counter()
        assignment = find(instance, budget=budget, seed=seed, threads=threads, moves=moves)
        return Outcome(assignment, seconds=time.perf_counter() - begun)

    return run


def problems_of(method: Method) -> list[str]:
    """Return the problems that a method takes on a graph without weights.

    Example:
        >>> from annealco.baselines import METHODS
        >>> problems_of(METHODS["networkx"])
        ['mis', 'clique', 'mds']
    """
    graph = ring_with_chords()
    return [name for name, problem in PROBLEMS.items() if method.refusal(problem, graph) is None]
