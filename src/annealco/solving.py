"""The pipeline: graph → energy → probabilities → set → search → plain score → bound → Solution."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from numpy.typing import ArrayLike

from annealco._core import StopFlag
from annealco.arguments import as_plain, plain_hints
from annealco.energy import Instance
from annealco.graph.errors import InputError
from annealco.graph.formats import read_graph
from annealco.graph.generators.ring import ring_with_chords
from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph, holds_graphs
from annealco.optional import require
from annealco.problems import PROBLEMS, Problem
from annealco.solution import Solution

Model = Callable[[Graph, Instance], ArrayLike]

MAX_RESTARTS = 10_000
"""Every restart keeps a state of its own."""

MAX_MOVES = 10**15
"""More than a year of moves."""

_PREPARED: set[str] = set()
"""Problems of which a network has proposed something in this process."""

TIME_LIMIT = 0.3
"""Seconds a graph, unless told otherwise: short beside the start of a process, which takes about a second."""


@runtime_checkable
class Trained(Protocol):
    """A model that learned one problem, and gives as many restarts as it is asked for."""

    @property
    def name(self) -> str: ...

    @property
    def problem(self) -> str: ...

    def with_settings(self, *, num_restarts: int, seed: int, seconds: float, stop: StopFlag) -> Model: ...

    def __call__(self, graph: Graph, instance: Instance, /) -> ArrayLike: ...


@dataclass(frozen=True)
class Solver:
    """How to solve a problem; `solve` tells what each setting means."""

    problem: Problem
    time_limit: float = TIME_LIMIT
    moves: int | None = None
    restarts: int = 1
    polish: bool = True
    bound: bool = True
    model: str | Model = "none"
    penalty_scale: float = 1.0
    seed: int = 0
    num_threads: int | None = None
    stop: StopFlag = field(default_factory=StopFlag)
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, hint in _plain_settings().items():
            as_plain(name, getattr(self, name), hint)
        if not 0 < self.time_limit < math.inf:
            raise InputError(f"the time limit must be more than 0 seconds and finite, it is {self.time_limit}")
        if self.moves is not None and not 0 <= self.moves <= MAX_MOVES:
            raise InputError(f"moves must not be negative and at most {MAX_MOVES:,}, they are {self.moves}")
        if not 1 <= self.restarts <= MAX_RESTARTS:
            raise InputError(f"restarts must be at least 1 and at most {MAX_RESTARTS:,}, they are {self.restarts}")
        if self.seed < 0:
            raise InputError(f"the seed must not be negative, it is {self.seed}")
        if not callable(self.model) and self.model != "none":
            raise InputError(f"unknown model {self.model!r}; choose none, or give a function")
        if isinstance(self.model, Trained) and self.model.problem != self.problem.learned_as:
            wanted, name = self.problem.learned_as, self.problem.name
            serves = f", whose networks serve {name}" if wanted != name else ""
            raise InputError(f"the model was trained for {self.model.problem}, not for {wanted}{serves}")
        # An option that does not exist is told before any graph is read.
        self.problem.with_options(**self.options)

    def solve_each(self, graphs: Graph) -> Iterator[Solution]:
        """Solve the graphs of a batch in parallel, and yield the solutions in order, as soon as they are there."""
        # What solves takes a while to import: not before something is solved.
        from annealco.attempt import attempt, check_options
        from annealco.search.threads import count_threads, result_of

        def unless_stopped(number: int, graph: Graph) -> Solution | None:
            return None if self.stop.is_set() else attempt(self, graph, number, threads // at_once)

        # An option that one of many graphs does not allow is told before any of them is solved.
        for number, graph in enumerate(graphs if self.options and graphs.num_graphs > 1 else ()):
            check_options(self, graph, number)
        threads = count_threads(self.num_threads)
        at_once = max(1, min(threads, graphs.num_graphs))
        self._run_network_once()
        with ThreadPoolExecutor(at_once) as pool:
            tasks = [pool.submit(unless_stopped, number, each) for number, each in enumerate(graphs)]
            try:
                for task in tasks:
                    solution = result_of(task)
                    if solution is not None:
                        yield solution
            except BaseException:
                # An error on one graph, or a caller who stops listening, must not wait for all the others.
                self.stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _run_network_once(self) -> None:
        """Let a network propose for a small graph: what PyTorch prepares at its first call is not on the clock."""
        if hasattr(self.model, "with_settings") and self.problem.name not in _PREPARED:
            from annealco.attempt import attempt

            _PREPARED.add(self.problem.name)
            plain = replace(self, polish=False, bound=False, restarts=1, options={})
            # The problem may have no feasible set there, which is nobody's fault.
            with suppress(InputError):
                attempt(plain, ring_with_chords(), 0, 1)


@cache
def _plain_settings() -> dict[str, Any]:
    """Return the settings of a solver that are numbers, flags or text, and their annotations."""
    return plain_hints(Solver)


def solve(
    source: Any,
    problem: str | Problem,
    *,
    time_limit: float = TIME_LIMIT,
    moves: int | None = None,
    restarts: int = 1,
    polish: bool = True,
    bound: bool = True,
    model: str | PathLike[str] | Model = "none",
    penalty_scale: float = 1.0,
    seed: int = 0,
    num_threads: int | None = None,
    **options: Any,
) -> Solution | list[Solution]:
    """Find a good feasible set on a graph, and say how far from the optimum it can be.

    Args:
        source: a graph in any container that `as_graph` takes, a file, or a list of these.
        problem: a name in `PROBLEMS`, or a problem of your own.
        time_limit: seconds a graph, the bound's included.
        moves: most moves of each search; where they are used up within the time limit, results are repeatable.
        restarts: how many starts are decoded and searched; the time limit is for all of them.
        polish: whether to search; without, the set is what decoding gives.
        bound: whether to prove a bound.
        model: ``none``; ``auto``, the network that comes with the package; a network that `train` returned, or the
            folder of one; or a function from graph and instance to logits, [num_nodes] or [num_restarts, num_nodes]. A
            network proposes as many restarts as are asked for.
        penalty_scale: multiple of the critical penalty that decoding uses.
        seed: for all random choices.
        num_threads: how many graphs or restarts run at once, all processors by default.
        **options: of the problem, such as ``volume`` and ``seed_node`` of ``cut``, the same for all graphs; nodes by
            the user's labels.

    Returns:
        A `Solution` for one graph; a list of them for a list, and for a file or container of several.

    Raises:
        InputError: for bad arguments and graphs, and where no feasible set was found.

    Example:
        >>> solve([[0, 1, 2, 3], [1, 2, 3, 4]], "mis", time_limit=0.1).nodes
        [0, 2, 4]
    """
    solver = Solver(
        problem=find_problem(problem),
        time_limit=time_limit,
        moves=moves,
        restarts=restarts,
        polish=polish,
        bound=bound,
        model=find_model(model, problem),
        penalty_scale=penalty_scale,
        seed=seed,
        num_threads=num_threads,
        options=options,
    )
    graphs = _read(source)
    solutions = list(solver.solve_each(graphs))
    many = isinstance(source, list | tuple) and holds_graphs(source)
    return solutions if many or graphs.num_graphs != 1 else solutions[0]


def find_problem(problem: str | Problem) -> Problem:
    """Return a problem by its name, or the one that was given."""
    if isinstance(problem, Problem):
        return problem
    if not isinstance(problem, str) or problem not in PROBLEMS:
        raise InputError(f"unknown problem {problem!r}; choose one of {', '.join(PROBLEMS)}")
    return PROBLEMS[problem]


def find_model(model: str | PathLike[str] | Model, problem: str | Problem) -> str | Model:
    """Return a trained network from its folder, or for ``auto`` the one that comes with the package for a problem."""
    if callable(model):
        return model
    if not isinstance(model, str | PathLike):
        raise InputError(f"model must be none, auto, a folder or a function, it is {model!r:.40}")
    if model == "none":
        return "none"
    if model == "auto":
        require("a network", "torch")
        from annealco.models.pretrained import shipped_folder

        model = shipped_folder(find_problem(problem).learned_as)
    if not Path(model).exists():
        raise InputError(f"unknown model {str(model)!r}; choose none, auto, or a folder that 'annealco train' wrote")
    require("a network", "torch")
    from annealco.training.checkpoint import load

    return load(model)


def _read(source: Any) -> Graph:
    """Return graphs from a file, a container, or a list of these."""
    if isinstance(source, str | PathLike):
        return read_graph(source)
    if isinstance(source, list | tuple) and any(isinstance(each, str | PathLike) for each in source):
        return Graph.batch([_read(each) for each in source])
    return as_graph(source)
