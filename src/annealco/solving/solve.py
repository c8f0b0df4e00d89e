"""Solve one or many graphs: `solve` for one call, `solve_each` for what other parts of the package make of it.

Where many graphs share one total time, each has a short turn first. Graphs that are not closed by then have further
turns, each from the best set so far with another seed: those first whose last turn found something better, and of
these the ones that had the least time.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from os import PathLike
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from typing import Any, NamedTuple

from annealco.arguments import as_plain
from annealco.bounds import find_bounds
from annealco.bounds.ledger import BoundKind
from annealco.clock import now
from annealco.errors import InputError, user_errors
from annealco.graph.construction import WEIGHT
from annealco.graph.formats import read_graph
from annealco.graph.formats.edge_tables import read_nodes
from annealco.graph.generators.presets import ring_with_chords
from annealco.graph.graph import Graph
from annealco.graph.interop import holds_graphs, item_errors
from annealco.optional import require
from annealco.problems import Problem, find_problem
from annealco.registry import is_of_package
from annealco.search.decode import DEFAULT_ORDER, Order
from annealco.search.protocol import Bits, SearchKind, count_threads, result_of
from annealco.search.searches import SEARCHES
from annealco.solving.initial_sets import Starts, as_starts
from annealco.solving.pipeline import LEAST_SECONDS, attempt, attempt_from, bound_of, check_options
from annealco.solving.solution import Solution
from annealco.solving.solver import MAX_RESTARTS, Proposer, Solver, limit_per_graph
from annealco.terminal import Progress

_PREPARED: set[str] = set()
"""Problems of which a network has proposed something in this process."""

MOST_WAITING = 1024
"""Graphs of a batch that are solved ahead of the one whose solution is yielded next."""

FIRST_TURN = 0.5
"""Share of the total time that first turns have, and the least that a further turn has of what is left per graph."""


def solve(
    source: Any,
    problem: str | Problem,
    *,
    time_limit: float | None = None,
    total_time: float | None = None,
    moves: int | None = None,
    gap: float = 0.0,
    patience: float | str | None = None,
    start: Any = None,
    restarts: int = 1,
    polish: bool = True,
    search: str | SearchKind | None = None,
    bound: bool = True,
    bounds: str | BoundKind | Iterable[str | BoundKind] = "all",
    model: str | PathLike[str] | Proposer = "none",
    penalty_scale: float = 1.0,
    decode_order: Order = DEFAULT_ORDER,
    seed: int | None = None,
    num_threads: int | None = None,
    progress: bool = False,
    node_weight: Any = WEIGHT,
    edge_weight: Any = WEIGHT,
    ends: tuple[Any, Any] | None = None,
    nodes: Any = None,
    **options: Any,
) -> Solution | list[Solution]:
    """Find a good feasible set on a graph, and prove how far from the optimum it can be.

    Args:
        source: a graph in any container that `as_graph` takes, one that the problem reads (a matrix of coefficients for
            ``qubo``), a file, a folder of files, or a list of these.
        problem: a name in `PROBLEMS`, or a problem of your own.
        time_limit: seconds per graph, the bound's included; 0.3 by default, or with a total time no other limit.
        total_time: seconds for all graphs together. Each has a short turn first; the rest goes to graphs that are not
            proven, those first whose last turn found something better.
        moves: most moves of each search; where they are used up within the time limit, results are repeatable.
        gap: stop where the value is proven to be within this relative gap of the optimum; 0 is proven optimal.
        patience: stop where a search has found nothing better for so many seconds, and prove for no longer than that;
            as text, ``"20%"`` is a share of the time limit, or where moves are limited, of the moves, which is
            repeatable. Of several restarts each has its own, and a share is of what it has.
        start: nodes to begin with by their labels, or a `Solution`; for several graphs a list of these, or None for
            some. The answer is never worse than a feasible start; another is repaired. It is the first of the restarts,
            so that with one restart nothing is decoded.
        restarts: number of starts to decode and search; they share the time limit.
        polish: whether to search; otherwise the decoded set is returned.
        search: a name in `annealco.SEARCHES`, the place of one (``package.module:NAME``, ``file.py:NAME``), or one of
            your own; by default the structure of the instance chooses.
        bound: whether to prove a bound.
        bounds: names in `annealco.BOUNDS`, places of bounds, or ones of your own; ``all`` of the package by default,
            ``none`` is as good as ``bound=False``. A bound is believed: one that is wrong makes a wrong proof.
        model: ``none``; ``auto``, the network that comes with the package; a network that `train` returned, or the
            folder of one, of your own class as ``my_package.nets:Net=FOLDER``; or a function from graph and instance to
            logits, [num_nodes] or [num_restarts, num_nodes]. A network proposes as many restarts as are asked for.
        penalty_scale: multiple of the critical penalty that decoding uses.
        decode_order: of the nodes in decoding: by ``probability``, by ``confidence``, or ``steepest``, next the node
            that lowers the conditional expectation the most, which is slower; see `annealco.search.decode`.
        seed: for all random choices; 0 by default, or where a start is a `Solution`, one more than its seed, so that no
            search is made twice.
        num_threads: how many graphs or restarts run at once, all processors by default.
        progress: whether to show progress on stderr, or in a notebook.
        node_weight: attribute or column that the node weights are read from, as in `as_graph`; None ignores weights.
        edge_weight: the same of the edges.
        ends: the two columns of a DataFrame or a CSV file that hold the ends of edges.
        nodes: a table of the nodes of pairs, of a dict, or of such a table or file: as in `as_graph`, or a CSV file.
        **options: of the problem, such as ``volume`` and ``seed_node`` of ``cut``, the same for all graphs; nodes by
            the user's labels.

    Returns:
        A `Solution` for one graph; a list of them for a list, and for a file or container of several.

    Raises:
        InputError: for bad arguments and graphs, for a search or bounds that do not take an instance, and where no
            feasible set was found.

    Example:
        >>> solve([(0, 1), (1, 2), (2, 3), (3, 4)], "mis", time_limit=0.1).nodes
        [0, 2, 4]
    """
    chosen, progress = choose_bounds(bounds), as_plain("progress", progress, bool)
    total_time = as_plain("total_time", total_time, float | None)
    solver = Solver(
        problem=find_problem(problem),
        time_limit=limit_per_graph(time_limit, total_time),
        total_time=total_time,
        moves=moves,
        gap=gap,
        patience=patience,
        restarts=restarts,
        polish=polish,
        search=find_search(search),
        bound=bound if chosen != () else False,
        bounds=chosen,
        model=find_model(model, problem),
        penalty_scale=penalty_scale,
        decode_order=decode_order,
        seed=0 if seed is None else seed,
        num_threads=num_threads,
        options=options,
    )
    names = {"node_weight": node_weight, "edge_weight": edge_weight, "ends": ends, "nodes": nodes}
    own = solver.problem.read_own(source, **names)
    graphs = read_source(source, solver.problem, **names) if own is None else own.graphs
    is_list = isinstance(source, list | tuple) and holds_graphs(source) if own is None else own.many
    many = is_list or graphs.num_graphs != 1
    starts: Starts = Starts([]) if start is None else as_starts(start, graphs, solver.problem.name, many=many)
    if seed is None and starts.seed is not None:
        solver = replace(solver, seed=starts.seed + 1)
    found = solve_each(solver, graphs, starts.sets)
    shown = show_solving(found, graphs.num_graphs) if progress else found
    solutions = [replace(each, source=(graphs, number)) for number, each in enumerate(shown)]
    return solutions if many else solutions[0]


def solve_each(solver: Solver, graphs: Graph, starts: Sequence[Bits | None] = ()) -> Iterator[Solution]:
    """Solve the graphs of a batch in parallel, and yield the solutions in order, as soon as they are there.

    Where there is a total time, all of them are there at its end.

    Args:
        solver: what to do.
        graphs: a batch.
        starts: [num_graphs] sets to begin with, each [num_nodes] or None; empty where no graph has one.
    """
    # An option that one of many graphs does not allow is told before any of them is solved.
    for number, graph in enumerate(graphs if solver.options and graphs.num_graphs > 1 else ()):
        check_options(solver, graph, number)
    threads = count_threads(solver.num_threads)
    at_once = max(1, min(threads, graphs.num_graphs))
    sets = starts or [None] * graphs.num_graphs
    run_network_once(solver)
    if solver.total_time is not None:
        found = dict(_unless_refused(solve_together(solver, list(graphs), sets.__getitem__, solver.total_time)))
        yield from (found[number] for number in sorted(found))
        return

    def unless_stopped(number: int, graph: Graph) -> Solution | None:
        if solver.stop.is_set():
            return None
        return attempt(solver, graph, number, threads // at_once, start=sets[number])

    with _pool(solver, at_once) as pool:
        waiting: deque[Future[Solution | None]] = deque()
        for number, graph in enumerate(graphs):
            waiting.append(pool.submit(unless_stopped, number, graph))
            # Of many graphs, neither the graphs nor the answers are all held at once.
            if len(waiting) >= MOST_WAITING and (solution := result_of(waiting.popleft())) is not None:
                yield solution
        while waiting:
            if (solution := result_of(waiting.popleft())) is not None:
                yield solution


@contextmanager
def _pool(solver: Solver, at_once: int) -> Iterator[ThreadPoolExecutor]:
    """Run threads; an error on one graph, or a caller who stops listening, does not wait for all the others."""
    with ThreadPoolExecutor(at_once) as pool:
        try:
            yield pool
        except BaseException:
            solver.stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _unless_refused(
    together: Generator[tuple[int, Solution | InputError], None, None],
) -> Iterator[tuple[int, Solution]]:
    """Yield what comes of graphs, up to the first one that breaks a rule, which is raised."""
    with closing(together):
        for number, found in together:
            if isinstance(found, InputError):
                raise found
            yield number, found


def solve_together(
    solver: Solver, graphs: Sequence[Graph], start_of: Callable[[int], Bits | None], total_time: float
) -> Generator[tuple[int, Solution | InputError], None, None]:
    """Solve graphs within one total time, and yield number and solution of each as soon as it has no further turn.

    Args:
        solver: what to do.
        graphs: those that share the time.
        start_of: returns the set to begin with by the number of a graph; what it raises is what comes of this graph.
        total_time: in seconds.
    """
    threads = count_threads(solver.num_threads)
    at_once = max(1, min(threads, len(graphs)))
    turns = _Turns(solver, len(graphs), at_once, total_time)
    ended: SimpleQueue[int | None] = SimpleQueue()

    def take_turns() -> None:
        try:
            while (turn := turns.next()) is not None:
                if not turns.take(turn, graphs[turn.number], start_of, threads // at_once):
                    ended.put(turn.number)
        except BaseException:
            # Nobody waits for the others, who may have long.
            solver.stop.set()
            raise
        finally:
            ended.put(None)

    told: set[int] = set()
    with _pool(solver, at_once) as pool:
        tasks = [pool.submit(take_turns) for _ in range(at_once)]
        for _ in tasks:
            while (number := ended.get()) is not None:
                told.add(number)
                yield number, turns.states[number].outcome
        for task in tasks:
            result_of(task)
    for number, state in enumerate(turns.states):
        if number not in told and state.solution is not None:
            yield number, state.solution


@dataclass
class _State:
    """How far a graph is.

    Attributes:
        solution: the best so far; its trace and seconds are of all turns together.
        chosen: [num_nodes] its set.
        vain: turns since the last one that found something better.
        fault: why there is no solution.
    """

    solution: Solution | None = None
    chosen: Bits | None = None
    num_turns: int = 0
    vain: int = 0
    fault: InputError | None = None

    @property
    def outcome(self) -> Solution | InputError:
        """What came of the graph, after its last turn."""
        found = self.solution if self.fault is None else self.fault
        assert found is not None  # noqa: S101 (a turn has one or the other)
        return found


class _Turn(NamedTuple):
    """Which graph is next, and with which limit and seed."""

    number: int
    solver: Solver


class _Turns:
    """Who has the next turn, where graphs share one total time; asked by several threads."""

    def __init__(self, solver: Solver, num_graphs: int, at_once: int, total_time: float) -> None:
        self.states = [_State() for _ in range(num_graphs)]
        fair = total_time * at_once / max(1, num_graphs)
        waited = solver.patience_of_restart(min(solver.time_limit, fair))
        self._waits = math.inf if waited is None or not solver.polish else waited.seconds_left
        # A share is of what a graph has in all, not of a turn.
        shared = solver.patience if solver.moves is not None or waited is None else self._waits
        self._solver = replace(solver, total_time=None, patience=shared)
        self._at_once = at_once
        begun = now()
        self._deadline = begun + total_time
        # Where none has to wait, a first turn may take all.
        share = FIRST_TURN if num_graphs > at_once else 1.0
        self._first, self._first_end = share * fair, begun + share * total_time
        self._begun = 0
        self._open: list[tuple[int, float, int]] = []
        self._lock = Lock()

    def next(self) -> _Turn | None:
        """Return the next turn, None where the time is over or no graph is open."""
        with self._lock:
            left = max(0.0, self._deadline - now())
            if self._solver.stop.is_set():
                return None
            if self._begun < len(self.states):
                number, waiting = self._begun, len(self.states) - self._begun
                self._begun += 1
                fair = max(0.0, self._first_end - now()) * self._at_once / waiting
                return _Turn(number, self._limited(min(left, fair, self._first), 0))
            if not self._open or left < LEAST_SECONDS:
                return None
            fair = left * self._at_once / len(self._open)
            _, spent, number = heappop(self._open)
            seconds = min(left, max(spent, FIRST_TURN * fair))
            return _Turn(number, self._limited(seconds, self.states[number].num_turns, spent))

    def _limited(self, seconds: float, num_turns: int, spent: float = 0.0) -> Solver:
        """Return how to solve a graph for so many seconds; the decoded set will do where they are too few."""
        limit = max(min(seconds, self._solver.time_limit - spent), math.ulp(1.0))
        if limit < LEAST_SECONDS:
            return replace(self._solver, time_limit=limit, polish=False, bound=False)
        return replace(self._solver, time_limit=limit, seed=self._solver.seed + num_turns * MAX_RESTARTS)

    def take(self, turn: _Turn, graph: Graph, start_of: Callable[[int], Bits | None], threads: int) -> bool:
        """Solve a graph for a turn, from its last set or its start, and return whether it may have another turn."""
        state = self.states[turn.number]
        try:
            start = start_of(turn.number) if state.solution is None else state.chosen
            known = None if state.solution is None else bound_of(state.solution)
            solver = with_labels(turn.solver, graph)
            found = attempt_from(solver, graph, turn.number, threads, start=start, known=known)
        except InputError as error:
            state.fault = error
            return False
        return self.put_back(turn, *found)

    def put_back(self, turn: _Turn, solution: Solution, chosen: Bits) -> bool:
        """Take what a turn has found, line the graph up again where more can be found, and return whether it can."""
        state, last = self.states[turn.number], self.states[turn.number].solution
        before = 0.0 if last is None else last.seconds
        trace = [(before + seconds, value) for seconds, value in solution.trace]
        found = replace(solution, seconds=before + solution.seconds, seed=self._solver.seed, trace=trace)
        if last is not None:
            state.vain = 0 if (found.value, found.bound) != (last.value, last.bound) else state.vain + 1
            # The start of a turn is its first value, and no news.
            found = replace(found, trace=last.trace + [point for point in trace if point[1] != last.value])
        state.solution, state.chosen, state.num_turns = found, chosen, state.num_turns + 1
        improved = found.trace[-1][0] if found.trace else 0.0
        is_closed = found.gap is not None and found.gap <= self._solver.gap
        is_over = found.seconds > self._solver.time_limit - LEAST_SECONDS or found.seconds - improved >= self._waits
        can_improve = self._solver.polish and self._solver.moves is None
        is_open = can_improve and not is_closed and (not is_over or not turn.solver.polish)
        with self._lock:
            if is_open:
                heappush(self._open, (state.vain, found.seconds, turn.number))
        return is_open


def show_solving(solutions: Iterable[Solution], total: int) -> Iterator[Solution]:
    """Go through solutions, and show on stderr or in a notebook how many there are, and how good they are."""
    values, proven = 0.0, 0
    with Progress("solving", total) as shown:
        for done, solution in enumerate(solutions, 1):
            values, proven = values + solution.value, proven + solution.optimal
            shown.advance(f"mean value {values / done:.6g}, {proven} proven")
            yield solution


def with_labels(solver: Solver, graph: Graph) -> Solver:
    """Return a solver whose options name nodes of a graph as the graph does."""
    if not solver.options:
        return solver
    options = solver.problem.with_labels(solver.options, graph)
    return solver if options == solver.options else replace(solver, options=options)


def run_network_once(solver: Solver) -> None:
    """Let a network propose for a small graph: what PyTorch prepares at its first call is not on the clock."""
    if solver.trained is not None and solver.problem.name not in _PREPARED:
        _PREPARED.add(solver.problem.name)
        # One step, however many it is to make. The problem may not be posed there, which is nobody's fault.
        model = solver.trained.with_settings(num_restarts=1, seed=solver.seed, seconds=0.0, stop=solver.stop)
        graph = ring_with_chords()
        with suppress(InputError), user_errors("the model failed", is_own=is_of_package(model)):
            model(graph, solver.problem.posed({}, graph).declare(graph))


def choose_bounds(bounds: str | BoundKind | Iterable[str | BoundKind]) -> tuple[BoundKind, ...] | None:
    """Return bounds by their names or places, or those that were given; None is for all of the package."""
    return None if isinstance(bounds, str) and bounds == "all" else find_bounds(bounds)


def find_search(search: str | SearchKind | None) -> SearchKind | None:
    """Return a search by its name or place, or the one that was given; None is for the default."""
    return None if search is None else SEARCHES.find(search)


def find_model(model: str | PathLike[str] | Proposer, problem: str | Problem) -> str | Proposer:
    """Return a trained network from its folder, or for ``auto`` the one that comes with the package for a problem.

    Those that the compiled core runs need no PyTorch. A network of a user's own class is named with the place of that
    class, ``my_package.nets:Net=DIR``.
    """
    if callable(model):
        return model
    if not isinstance(model, str | PathLike):
        raise InputError(f"model must be none, auto, a folder or a function, it is {model!r:.40}")
    if model == "none":
        return "none"
    if model == "auto":
        from annealco.models.pretrained import shipped_folder

        model = shipped_folder(*find_problem(problem, unmistakable=True).learned_from)
    place, equals, folder = str(model).rpartition("=")
    named = bool(equals) and ":" in place and not Path(model).exists()
    if not Path(folder if named else model).exists():
        choices = "none, auto, a folder that 'annealco train' wrote, or package.module:Class=FOLDER"
        raise InputError(f"unknown model {str(model)!r}; choose {choices}")
    from annealco.models.compiled_field import load_compiled

    compiled = None if named else load_compiled(model)
    if compiled is not None:
        return compiled
    require(f"the network in {folder if named else model}", "torch")
    from annealco.training.checkpoint import load

    return load(folder, place) if named else load(model)


def read_source(source: Any, problem: Problem, **names: Any) -> Graph:
    """Return graphs from a file or folder, a container, or a list of these; names are those of `as_graph`."""
    if isinstance(source, str | PathLike):
        return read_graph(source, formats=problem.formats, **names)
    if isinstance(source, list | tuple) and any(isinstance(each, str | PathLike) for each in source):
        parts = []
        for place, each in enumerate(source):
            with item_errors(place):
                parts.append(read_source(each, problem, **names))
        return Graph.batch(parts)
    if isinstance(names.get("nodes"), str | PathLike):
        names["nodes"] = read_nodes(names["nodes"], names.pop("node_weight", WEIGHT))
    return problem.graphs_of(source, **names)
