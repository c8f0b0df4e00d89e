"""Solve one or many graphs: `solve` for one call, `solve_each` for what other parts of the package make of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from annealco.bounds import find_bounds
from annealco.bounds.ledger import BoundKind
from annealco.errors import InputError
from annealco.graph.formats import read_graph
from annealco.graph.generators.presets import ring_with_chords
from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph, holds_graphs
from annealco.optional import require
from annealco.problems import Problem, find_problem
from annealco.search.protocol import SearchKind, count_threads, result_of
from annealco.search.searches import SEARCHES
from annealco.solving.pipeline import attempt, check_options
from annealco.solving.solution import Solution
from annealco.solving.solver import TIME_LIMIT, Proposer, Solver

_PREPARED: set[str] = set()
"""Problems of which a network has proposed something in this process."""


def solve(
    source: Any,
    problem: str | Problem,
    *,
    time_limit: float = TIME_LIMIT,
    moves: int | None = None,
    restarts: int = 1,
    polish: bool = True,
    search: str | SearchKind | None = None,
    bound: bool = True,
    bounds: str | BoundKind | Iterable[str | BoundKind] = "all",
    model: str | PathLike[str] | Proposer = "none",
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
        search: a name in `annealco.SEARCHES`, the place of one (``package.module:NAME``, ``file.py:NAME``), or one of
            your own; by default the structure of the instance chooses.
        bound: whether to prove a bound.
        bounds: names in `annealco.BOUNDS`, places of bounds, or ones of your own; ``all`` of the package by default,
            ``none`` is as good as ``bound=False``. A bound is believed: one that is wrong makes a wrong proof.
        model: ``none``; ``auto``, the network that comes with the package; a network that `train` returned, or the
            folder of one, of your own class as ``my_package.nets:Net=FOLDER``; or a function from graph and instance to
            logits, [num_nodes] or [num_restarts, num_nodes]. A network proposes as many restarts as are asked for.
        penalty_scale: multiple of the critical penalty that decoding uses.
        seed: for all random choices.
        num_threads: how many graphs or restarts run at once, all processors by default.
        **options: of the problem, such as ``volume`` and ``seed_node`` of ``cut``, the same for all graphs; nodes by
            the user's labels.

    Returns:
        A `Solution` for one graph; a list of them for a list, and for a file or container of several.

    Raises:
        InputError: for bad arguments and graphs, for a search or bounds that do not take an instance, and where no
            feasible set was found.

    Example:
        >>> solve([[0, 1, 2, 3], [1, 2, 3, 4]], "mis", time_limit=0.1).nodes
        [0, 2, 4]
    """
    chosen = choose_bounds(bounds)
    solver = Solver(
        problem=find_problem(problem),
        time_limit=time_limit,
        moves=moves,
        restarts=restarts,
        polish=polish,
        search=find_search(search),
        bound=bound if chosen != () else False,
        bounds=chosen,
        model=find_model(model, problem),
        penalty_scale=penalty_scale,
        seed=seed,
        num_threads=num_threads,
        options=options,
    )
    graphs = _read(source)
    solutions = [replace(each, source=(graphs, number)) for number, each in enumerate(solve_each(solver, graphs))]
    many = isinstance(source, list | tuple) and holds_graphs(source)
    return solutions if many or graphs.num_graphs != 1 else solutions[0]


def solve_each(solver: Solver, graphs: Graph) -> Iterator[Solution]:
    """Solve the graphs of a batch in parallel, and yield the solutions in order, as soon as they are there."""
    # An option that one of many graphs does not allow is told before any of them is solved.
    for number, graph in enumerate(graphs if solver.options and graphs.num_graphs > 1 else ()):
        check_options(solver, graph, number)
    threads = count_threads(solver.num_threads)
    at_once = max(1, min(threads, graphs.num_graphs))

    def unless_stopped(number: int, graph: Graph) -> Solution | None:
        return None if solver.stop.is_set() else attempt(solver, graph, number, threads // at_once)

    run_network_once(solver)
    with ThreadPoolExecutor(at_once) as pool:
        tasks = [pool.submit(unless_stopped, number, each) for number, each in enumerate(graphs)]
        try:
            for task in tasks:
                solution = result_of(task)
                if solution is not None:
                    yield solution
        except BaseException:
            # An error on one graph, or a caller who stops listening, must not wait for all the others.
            solver.stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def run_network_once(solver: Solver) -> None:
    """Let a network propose for a small graph: what PyTorch prepares at its first call is not on the clock."""
    if solver.trained is not None and solver.problem.name not in _PREPARED:
        _PREPARED.add(solver.problem.name)
        plain = replace(solver, polish=False, bound=False, restarts=1, options={})
        # The problem may have no feasible set there, which is nobody's fault.
        with suppress(InputError):
            attempt(plain, ring_with_chords(), 0, 1)


def choose_bounds(bounds: str | BoundKind | Iterable[str | BoundKind]) -> tuple[BoundKind, ...] | None:
    """Return bounds by their names or places, or those that were given; None is for all of the package."""
    return None if isinstance(bounds, str) and bounds == "all" else find_bounds(bounds)


def find_search(search: str | SearchKind | None) -> SearchKind | None:
    """Return a search by its name or place, or the one that was given; None is for the default."""
    return None if search is None else SEARCHES.find(search)


def find_model(model: str | PathLike[str] | Proposer, problem: str | Problem) -> str | Proposer:
    """Return a trained network from its folder, or for ``auto`` the one that comes with the package for a problem.

    A network of a user's own class is named with the place of that class, ``my_package.nets:Net=DIR``.
    """
    if callable(model):
        return model
    if not isinstance(model, str | PathLike):
        raise InputError(f"model must be none, auto, a folder or a function, it is {model!r:.40}")
    if model == "none":
        return "none"
    if model == "auto":
        require("a network", "torch")
        from annealco.models.pretrained import shipped_folder

        model = shipped_folder(find_problem(problem, unmistakable=True).learned_as)
    place, equals, folder = str(model).rpartition("=")
    named = bool(equals) and ":" in place and not Path(model).exists()
    if not Path(folder if named else model).exists():
        choices = "none, auto, a folder that 'annealco train' wrote, or package.module:Class=FOLDER"
        raise InputError(f"unknown model {str(model)!r}; choose {choices}")
    require("a network", "torch")
    from annealco.training.checkpoint import load

    return load(folder, place) if named else load(model)


def _read(source: Any) -> Graph:
    """Return graphs from a file, a container, or a list of these."""
    if isinstance(source, str | PathLike):
        return read_graph(source)
    if isinstance(source, list | tuple) and any(isinstance(each, str | PathLike) for each in source):
        return Graph.batch([_read(each) for each in source])
    return as_graph(source)
