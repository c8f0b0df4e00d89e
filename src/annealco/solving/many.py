"""Solve a stream of graphs, of which only a few are in memory, on this machine or on a Ray cluster.

Files are read one after the other, graphs are solved a few at once, and solutions come in the order of the graphs. On
a cluster, graphs are sent in blocks to tasks; Ray runs a task again whose worker was lost, and a block comes back once.
Solutions can be written as they come (`annealco.solving.result_files`): only this process writes, and what is there is
not solved again.
"""

from __future__ import annotations

import glob
import math
import secrets
import socket
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain, islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from annealco.arrays import unmasked
from annealco.errors import GraphFileError, InputError
from annealco.files import file_errors
from annealco.graph.construction import Names
from annealco.graph.formats import Format, graph_files, read_graph
from annealco.graph.formats.named import stem, with_names
from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph, holds_graphs
from annealco.optional import require
from annealco.problems import PROBLEMS, Problem, find_problem
from annealco.registry import absolute_place
from annealco.search.protocol import count_threads, result_of
from annealco.solving.initial_sets import NamedStarts, named_starts
from annealco.solving.pipeline import attempt
from annealco.solving.result_files import Results, is_written, key_of, open_results
from annealco.solving.solution import Solution, plain_label
from annealco.solving.solve import choose_bounds, find_model, find_search, run_network_once, solve_together, with_labels
from annealco.solving.solver import Solver, limit_per_graph

RETRIES = 5
"""How often a task of a cluster is run again after its worker was lost."""

PATIENCE = 5.0
"""Seconds to wait for an answer at an address."""

AHEAD = 4
"""Tasks in flight for each processor of a cluster, and graphs for each thread: graphs are read when they are needed."""

LOOK_SECONDS = 0.2
"""How often a driver that waits for a cluster looks whether it is to stop."""

BLOCK_GRAPHS, BLOCK_SIZE = 32, 200_000
"""The most graphs of a block, and the nodes and edges at which it is full: solving one must outweigh sending it."""

NAMES: tuple[str, ...] = ("node_weight", "edge_weight", "ends", "nodes")
"""Arguments of `solve` that say what files and containers call their parts."""

Given = TypeVar("Given")
Made = TypeVar("Made")


@dataclass(frozen=True)
class SolveSettings:
    """What to do with each graph, as arguments: they can be sent to other processes, and written beside solutions.

    Attributes:
        problem: a name or place that `find_problem` takes, or a problem.
        arguments: of `annealco.solve` by name, and the options of the problem.
        steps: of the model's recurrence, None for those of its training.
        starts: sets to begin with; they are sent with the graphs that they are of.
        token: tells these settings from others in a process that solves for many.
    """

    problem: str | Problem
    arguments: Mapping[str, Any] = field(default_factory=dict)
    steps: int | None = None
    starts: NamedStarts | None = None
    token: str = field(default_factory=lambda: secrets.token_hex(8))

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process builds a solver of its own.
        return SolveSettings, (self.problem, self.arguments, self.steps, None, self.token)

    def with_starts(self, start: Any) -> SolveSettings:
        """Return settings with sets to begin with; the default seed is then one that they were not found with.

        Raises:
            InputError: as `named_starts`.
        """
        if start is None:
            return self
        starts, arguments = named_starts(start, self.solver.problem.name), dict(self.arguments)
        if arguments.get("seed") is None and starts.seed is not None:
            arguments["seed"] = starts.seed + 1
        return replace(self, arguments=arguments, starts=starts)

    @cached_property
    def solver(self) -> Solver:
        """The solver with these settings.

        Raises:
            InputError: as `annealco.solve` for its arguments.
        """
        given = dict(self.arguments)
        bounds = choose_bounds(given.pop("bounds", "all"))
        model: Any = find_model(given.pop("model", "none"), self.problem)
        if self.steps is not None:
            if model == "none":
                raise InputError("steps are those of a model: say with --model which")
            model = model.with_settings(num_steps=self.steps)
        known = {name: given.pop(name) for name in _SETTINGS if name in given}
        known["time_limit"] = limit_per_graph(known.get("time_limit"), known.get("total_time"))
        known["seed"] = 0 if known.get("seed") is None else known["seed"]
        known |= {"bound": known.get("bound", True) and bounds != (), "search": find_search(known.get("search"))}
        return Solver(find_problem(self.problem), bounds=bounds, model=model, options=given, **known)

    def check_spread(self) -> None:
        """Raise where the settings are for graphs that are solved together, not in tasks apart."""
        if self.solver.total_time is not None:
            rule = "a total time is shared out by one process, which sees all graphs"
            raise InputError(f"{rule}: on a cluster give a time limit per graph, and a patience")

    def portable(self) -> SolveSettings:
        """Return settings that mean the same in a process that was started in another folder."""
        problem = self.problem
        if isinstance(problem, str):
            # A name that this process gave to a problem of its own says nothing elsewhere.
            problem = find_problem(problem) if PROBLEMS.is_only_here(problem) else absolute_place(problem)
        arguments = dict(self.arguments)
        for name in ("search", "bounds"):
            if name in arguments:
                arguments[name] = _absolute(arguments[name])
        model = arguments.get("model")
        if isinstance(model, str | PathLike):
            place, equals, folder = fspath(model).rpartition("=")
            if Path(model).exists():
                arguments["model"] = str(Path(model).resolve())
            elif equals and Path(folder).exists():
                arguments["model"] = f"{absolute_place(place)}={Path(folder).resolve()}"
        return replace(self, problem=problem, arguments=arguments)

    def described(self) -> dict[str, Any]:
        """Return what solutions depend on, of types that JSON has: the problem, and arguments that are not the default.

        Example:
            >>> SolveSettings("mis", {"moves": 9, "seed": 0, "num_threads": 3}).described()
            {'problem': 'mis', 'moves': 9}
        """
        found = {"problem": self.solver.problem.name}
        for name, value in {**self.arguments, "steps": self.steps}.items():
            default = _DEFAULTS.get(name)
            if name not in _UNSEEN and value is not None and value != default:
                found[name] = _described(value)
        if self.starts is not None:
            found["start"] = self.starts.digest
        return found | {name: _described(value) for name, value in self.solver.problem.option_values.items()}


_SOLVERS: dict[str, Solver] = {}
"""The solver of a process of a cluster by its token, if there is any: a network is loaded once."""

_OWN = ("problem", "stop", "options", "bounds", "model")
_SETTINGS = tuple(each.name for each in fields(Solver) if each.name not in _OWN)
"""Arguments of `solve` that a solver takes as they are."""

_DEFAULTS = {each.name: each.default for each in fields(Solver)} | {"bounds": "all"}
_UNSEEN = frozenset({"num_threads"})
"""What makes no difference to solutions."""


def _described(value: Any) -> Any:
    """Return an argument as JSON has it: names of what has one."""
    if isinstance(value, str | PathLike):
        return fspath(value)
    if isinstance(value, list | tuple):
        return [_described(each) for each in value]
    name = getattr(value, "name", getattr(value, "__name__", None))
    return name if isinstance(name, str) else plain_label(value)


def _absolute(value: Any) -> Any:
    """Return the names or places of searches and bounds, with commas between or as a list, as `absolute_place` does."""
    if isinstance(value, str):
        return ",".join(absolute_place(each) for each in value.split(","))
    return [_absolute(each) for each in value] if isinstance(value, list | tuple) else value


class Block(NamedTuple):
    """Some graphs on their way.

    Attributes:
        graphs: a batch in which each has a name.
        file: that they were read from, None for those that a program gave.
        keys: of each of them, where solutions are written.
    """

    graphs: Graph
    file: Path | None
    keys: tuple[str, ...] = ()


def solve_many(
    source: Any,
    problem: str | Problem,
    *,
    out: str | PathLike[str] | None = None,
    ray: str | None = None,
    start: Any = None,
    **settings: Any,
) -> Iterator[Solution]:
    """Solve a stream of graphs, and yield the solutions in their order; only a few graphs are in memory at a time.

    Args:
        source: a file, a folder of files, a pattern such as ``shards/*.npz``, a batch, or any list or iterator of files
            and of graphs in containers that `as_graph` takes. A file is in memory as a whole while it is solved.
        problem: a name in `PROBLEMS`, or a problem of your own.
        out: a file .jsonl, .csv or .parquet, or a folder with a file for each file of graphs, that solutions are also
            written to as they come. Graphs that are there already are not solved again, and not yielded.
        ray: the address of a Ray cluster, or ``local`` for one that is started here and ended after; without it, the
            threads of this process solve.
        start: sets to begin with by the names of their graphs: a file of ``annealco solve --json`` or ``--out``, a list
            of solutions, or a dictionary of labels of nodes; or those of a single graph. Graphs without one have none.
        **settings: those of `solve`, also what files and containers call their parts, such as ``node_weight``;
            ``num_threads`` is for each task of a cluster, and 1 there by default. With a ``total_time``, which is not
            for a cluster, all graphs are read first, and solutions come when no more time is spent on them.

    Yields:
        Solutions, which do not keep their graphs.

    Raises:
        InputError: as `solve`; for a file with solutions of other settings; and where there is no cluster.

    Example:
        >>> pairs = (Graph.from_edges([[0], [1]]) for _ in range(3))
        >>> [(each.graph, each.value) for each in solve_many(pairs, "mis", time_limit=0.1)]
        [('0', 1.0), ('1', 1.0), ('2', 1.0)]
    """
    names = {name: settings.pop(name) for name in NAMES if name in settings}
    chosen = SolveSettings(problem, settings).with_starts(start)
    reading = Reading(names=names, problem=chosen.solver.problem, out=out)
    # What is wrong with the arguments is told at the call, not when the first solution is asked for.
    described = chosen.described() | reading.described()
    if ray is not None:
        chosen.check_spread()
    results = None if out is None else open_results(out, described)
    blocks = blocks_of(source, replace(reading, results=results))
    return _solved(chosen, blocks, results, ray=ray)


def _solved(
    settings: SolveSettings, blocks: Iterable[Block], results: Results | None, *, ray: str | None
) -> Iterator[Solution]:
    """Solve, write and yield; the first graph without a solution ends it, after those before it."""
    with results or nullcontext():
        for found in solve_blocks(settings, blocks, results, ray=ray):
            if isinstance(found, InputError):
                raise found
            yield found
        if results is not None:
            results.finish()


def solve_blocks(
    settings: SolveSettings, blocks: Iterable[Block], results: Results | None = None, *, ray: str | None = None
) -> Iterator[Solution | InputError]:
    """Solve the graphs of blocks, and write and yield what comes of each, in their order.

    Args:
        settings: what to do.
        blocks: the graphs.
        results: where solutions are written, entered; graphs that have a row there are left out.
        ray: the address of a cluster, or None for this process.
    """
    wanted = _with_starts(blocks, settings.starts)
    wanted = wanted if results is None else _missing(wanted, results)
    run = _solve_here(settings, wanted) if ray is None else _solve_there(settings, wanted, ray)
    for block, number, found in run:
        if results is not None and isinstance(found, Solution):
            results.write(block.file, block.keys[number], found)
        yield found


def _with_starts(blocks: Iterable[Block], starts: NamedStarts | None) -> Iterator[Block]:
    """Yield blocks, as long as there are not more graphs than starts are for."""
    count = 0
    for block in blocks:
        count += block.graphs.num_graphs
        if starts is not None:
            starts.check_number(count)
        yield block


def _missing(blocks: Iterable[Block], results: Results) -> Iterator[Block]:
    """Yield blocks without the graphs that have a row."""
    for block in blocks:
        names = block.graphs.graph_data["name"].tolist()
        keys = [key_of(graph, name) for graph, name in zip(block.graphs, names, strict=True)]
        numbers = results.missing(block.file, keys)
        if len(numbers) == len(keys) > 0:
            yield block._replace(keys=tuple(keys))
        elif numbers:
            yield Block(block.graphs[numbers], block.file, tuple(keys[number] for number in numbers))


@dataclass(frozen=True)
class Reading:
    """How files are read.

    Attributes:
        format: a name in `FORMATS`; by default the extension tells.
        results: files that are done there are not read.
        failed: is told of a file that breaks a rule, which is left out; by default its error is raised.
        names: what files and containers call their parts, as in `as_graph`.
        problem: whose containers and formats of files are read too.
        out: where solutions are written, which are no graphs of their folder.
    """

    format: str | None = None
    results: Results | None = None
    failed: Callable[[InputError], None] | None = None
    names: Mapping[str, Any] = field(default_factory=dict)
    problem: Problem | None = None
    out: str | PathLike[str] | None = None

    @property
    def formats(self) -> tuple[Format, ...]:
        """Formats besides those that all problems read."""
        return () if self.problem is None else self.problem.formats

    def files(self, source: str | PathLike[str]) -> list[Path]:
        """Return the files that a path names, as `files_of`."""
        nodes = self.names.get("nodes")
        return files_of(source, nodes if isinstance(nodes, str | PathLike) else None, self.formats, self.out)

    def described(self) -> dict[str, Any]:
        """Return what graphs of the same files depend on, of types that JSON has; a table of nodes is read each time.

        Example:
            >>> Reading("csv", names={"node_weight": None, "ends": ("from", "to")}).described()
            {'format': 'csv', 'node_weight': 'none', 'ends': ['from', 'to']}
        """
        given = {name: value for name, value in Names(**self.names).given.items() if name != "nodes"}
        form = {} if self.format is None else {"format": self.format}
        return form | {name: "none" if value is None else _described(value) for name, value in given.items()}

    def graphs(self, source: Any) -> Graph:
        """Return the graphs of a container."""
        return (as_graph if self.problem is None else self.problem.graphs_of)(source, **self.names)

    def blocks(self, files: Collection[Path]) -> Iterator[Block]:
        """Read files, a block each."""
        if self.names.get("nodes") is not None and len(files) > 1:
            raise InputError(f"nodes are those of one graph, these are {len(files)} files")
        return self._read_each(files)

    def _read_each(self, files: Iterable[Path]) -> Iterator[Block]:
        for file in files:
            # A table of nodes may have changed where the file has not.
            if self.results is not None and self.names.get("nodes") is None and self.results.is_done(file):
                continue
            try:
                found = read_graph(file, format=self.format, formats=self.formats, **self.names)
                graphs = with_names(found, stem(file))
            except InputError as error:
                if self.failed is None:
                    raise
                self.failed(error)
            else:
                yield Block(graphs, file)


def blocks_of(source: Any, reading: Reading) -> Iterator[Block]:
    """Return the graphs of a source, a file or a graph at a time; each has a name.

    Args:
        source: as of `solve_many`.
        reading: how files are read.

    Raises:
        InputError: at once for a file that does not exist, and for what is no source.
    """
    if isinstance(source, str | PathLike):
        return reading.blocks(reading.files(source))
    if isinstance(source, list | tuple) and source and all(isinstance(each, str | PathLike) for each in source):
        return reading.blocks(dict.fromkeys(file for each in source for file in reading.files(each)))
    own = None if reading.problem is None or reading.problem.read is None else reading.problem.read(source)
    if own is not None:
        return iter([Block(_numbered(reading.graphs(source), 0), None)])
    if isinstance(source, Iterator) or (isinstance(source, list | tuple) and holds_graphs(source)):
        return _blocks_of_items(iter(source), reading)
    return iter([Block(_numbered(reading.graphs(source), 0), None)])


def files_of(
    source: str | PathLike[str],
    nodes: PathLike[str] | str | None = None,
    formats: Sequence[Format] = (),
    out: str | PathLike[str] | None = None,
) -> list[Path]:
    """Return the files that a path names: itself, those of a folder, or those that a pattern matches, in order.

    A table of ``nodes`` that a folder or pattern has is none of them, nor is what is written to ``out``; ``formats``
    are those of a problem, besides `FORMATS`.

    Raises:
        GraphFileError: where there is none.
    """
    text = fspath(source)
    if not text:
        raise InputError("the file name is empty")
    places = [Path(text)]
    if glob.has_magic(text) and not _exists(places[0]):
        places = sorted(Path(each) for each in glob.glob(text, recursive=True))  # noqa: PTH207 (it may be absolute)
        if not places:
            raise GraphFileError(text, "no file matches this pattern")
    listed = [file for each in places for file in graph_files(each, nodes, formats)]
    if listed == [Path(text)]:
        return listed
    table = None if nodes is None else Path(nodes).resolve()
    found = [file for file in listed if file.resolve() != table and not is_written(file, out)]
    if not found:
        raise GraphFileError(text, "there are no graph files beside those that are written")
    return found


def _exists(path: Path) -> bool:
    with file_errors(path, "read"):
        return path.exists()


def _blocks_of_items(items: Iterator[Any], reading: Reading) -> Iterator[Block]:
    """Yield a block for each file or container that an iterator gives; graphs without a name have their number."""
    count = 0
    for place, item in enumerate(items):
        if isinstance(item, str | PathLike):
            yield from reading.blocks(reading.files(item))
            continue
        try:
            block = Block(_numbered(reading.graphs(item), count), None)
        except InputError as error:
            raise InputError(error.rule, origin=f"graph {place}") from error
        count += block.graphs.num_graphs
        yield block


def _numbered(graphs: Graph, first: int) -> Graph:
    if "name" in graphs.graph_data:
        return graphs
    names = np.array([str(first + number) for number in range(graphs.num_graphs)], dtype=np.str_)
    return replace(graphs, graph_data={**graphs.graph_data, "name": names})


Outcome = tuple[Block, int, Solution | InputError]
"""A block, the number of a graph in it, and what came of it."""


def _solve_here(settings: SolveSettings, blocks: Iterable[Block]) -> Iterator[Outcome]:
    """Solve on the threads of this process, a few graphs ahead of who takes the solutions."""
    solver, starts = settings.solver, settings.starts
    if solver.total_time is not None:
        yield from _solve_all_here(solver, blocks, starts, solver.total_time)
        return
    threads = count_threads(solver.num_threads)
    graphs = ((block, number, graph) for block in blocks for number, graph in enumerate(block.graphs))
    first = list(islice(graphs, threads))
    # Of fewer graphs than threads each may use several, for its restarts.
    share = threads // max(1, len(first))
    run_network_once(solver)
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Any] = deque()
        try:
            for block, number, graph in chain(first, graphs):
                if solver.stop.is_set():
                    break
                waiting.append((block, number, pool.submit(_attempt, solver, graph, share, starts)))
                if len(waiting) >= AHEAD * threads:
                    yield from _next(waiting)
            while waiting:
                yield from _next(waiting)
        except BaseException:
            # Whoever stops listening must not wait for graphs that nobody wants.
            solver.stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _solve_all_here(
    solver: Solver, blocks: Iterable[Block], starts: NamedStarts | None, total_time: float
) -> Iterator[Outcome]:
    """Read all graphs, and solve them within one total time; those that a stop cut short have no solution."""
    every = [(block, number) for block in blocks for number in range(block.graphs.num_graphs)]
    graphs = [block.graphs[number] for block, number in every]
    run_network_once(solver)
    together = solve_together(
        solver, graphs, lambda place: None if starts is None else starts.of(graphs[place]), total_time
    )
    with closing(together):
        for place, found in together:
            if solver.stop.is_set():
                return
            yield *every[place], found


def _next(waiting: deque[Any]) -> Iterator[Outcome]:
    block, number, task = waiting.popleft()
    found = result_of(task)
    if found is not None:
        yield block, number, found


def _attempt(
    solver: Solver, graph: Graph, threads: int, starts: NamedStarts | None = None
) -> Solution | InputError | None:
    """Solve one graph; None where a stop came before its end: what was cut short is not to be kept as its solution."""
    if solver.stop.is_set():
        return None
    try:
        start = None if starts is None else starts.of(graph)
        found: Solution | InputError = attempt(with_labels(solver, graph), graph, 0, threads, start=start)
    except InputError as error:
        found = error
    return None if solver.stop.is_set() else found


def _solve_there(settings: SolveSettings, blocks: Iterable[Block], address: str) -> Iterator[Outcome]:
    """Solve in tasks of a cluster."""
    threads = count_threads(settings.arguments.get("num_threads", 1) or 1)
    sent = settings.portable()
    sent = replace(sent, arguments={**sent.arguments, "num_threads": threads})
    stop, starts = settings.solver.stop, settings.starts

    def part_of(block: Block) -> NamedStarts | None:
        return None if starts is None else starts.part(block.graphs.graph_data["name"].tolist())

    tasks = ((block, (sent, block.graphs, part_of(block))) for block in _divided(blocks))
    for block, found in run_on_cluster(_solve_block, tasks, address, threads=threads, ordered=True, stop=stop):
        yield from ((block, number, each) for number, each in enumerate(found))


def _solve_block(
    settings: SolveSettings, graphs: Graph, starts: NamedStarts | None = None
) -> list[Solution | InputError]:
    """Solve the graphs of a block, in a task."""
    if settings.token not in _SOLVERS:
        _SOLVERS.clear()
        _SOLVERS[settings.token] = settings.solver
    solver = _SOLVERS[settings.token]
    run_network_once(solver)
    found = (_attempt(solver, graph, solver.num_threads or 1, starts) for graph in graphs)
    return [each for each in found if each is not None]


def _divided(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks of few graphs, and of several where graphs are small; those of two files are not mixed."""
    for block in blocks:
        graphs = block.graphs
        sizes = np.diff(graphs.node_ptr) + np.diff(graphs.edge_ptr)
        start, size = 0, 0
        for number, each in enumerate([*sizes.tolist(), math.inf]):
            if number > start and (number - start == BLOCK_GRAPHS or size + each > BLOCK_SIZE):
                yield Block(graphs[start:number], block.file, block.keys[start:number])
                start, size = number, 0
            size += each


def run_on_cluster(
    function: Callable[..., Made],
    tasks: Iterable[tuple[Given, tuple[Any, ...]]],
    address: str,
    *,
    threads: int = 1,
    ordered: bool = False,
    stop: Any = None,
) -> Iterator[tuple[Given, Made]]:
    """Call a function in tasks of a Ray cluster, and yield what it returns, once for each task, as it comes.

    Args:
        function: what a task calls; a task whose worker is lost is run again.
        tasks: what each is called here, and the arguments of the function.
        address: of the cluster; ``local`` starts one on this machine and ends it after. Where this process is connected
            to a cluster already, that one is used.
        threads: processors that each task takes.
        ordered: whether to yield in the order of the tasks.
        stop: no more is yielded once this flag is set.

    Raises:
        InputError: where there is no cluster at the address, and where workers of a task were lost again and again.
    """
    require("a cluster", "ray")
    with _connected(address, threads):
        import ray

        remote = ray.remote(num_cpus=threads, max_retries=RETRIES)(function)
        most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)) // threads)
        running: dict[Any, Given] = {}
        given, more = iter(tasks), True
        while (more or running) and not (stop is not None and stop.is_set()):
            while more and len(running) < most:
                try:
                    name, arguments = next(given)
                except StopIteration:
                    more = False
                else:
                    running[remote.remote(*arguments)] = name
            looked = list(islice(running, 1)) if ordered else list(running)
            done = ray.wait(looked, num_returns=1, timeout=LOOK_SECONDS)[0] if looked else []
            for each in done:
                yield running.pop(each), _result(each)


def _result(task: Any) -> Any:
    import ray
    from ray.exceptions import RayTaskError, WorkerCrashedError

    try:
        return ray.get(task)
    except RayTaskError as error:
        # What a worker raised about its input is told like what is raised here.
        if isinstance(error.cause, InputError):
            raise error.cause from None
        raise
    except WorkerCrashedError:
        rule = f"a worker of the cluster was lost {RETRIES + 1} times with the same graphs; is its memory too small?"
        raise RuntimeError(rule) from None


@contextmanager
def _connected(address: str, threads: int) -> Iterator[None]:
    """Connect to a cluster, and leave it or end it after; one that this process is connected to is used as it is."""
    import ray

    if ray.is_initialized():
        yield
        return
    check_address(address)
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address == "local":
        quiet["include_dashboard"] = False
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise InputError(f"no Ray cluster at {address!r}: {' '.join(str(error).split())[:200]}") from None
    try:
        own = int(ray.cluster_resources().get("CPU", 1))
        if address == "local" and threads > own:
            # Ray would wait for a larger machine, which never comes.
            raise InputError(f"a task of {threads} threads has no place on a local cluster of {own} processors")
        yield
    finally:
        ray.shutdown()


def check_address(address: str) -> None:
    """Raise an InputError where nobody listens at HOST:PORT; Ray itself would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not (colon and port.isdigit()):
        return
    try:
        socket.create_connection((host, int(port)), timeout=PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise InputError(f"no Ray cluster at {address!r}: {error}") from None


class BatchSolver:
    """A function for ``map_batches`` of Ray Data: it adds the solutions of a batch of graphs as columns.

    A row of the data is a graph: ``source`` and ``target`` are the ends of its edges, node numbers from 0; it may have
    ``num_nodes``, ``node_weight``, ``edge_weight`` and ``name``. The columns that are added are those of
    `Solution.to_dict`, and ``source``, ``target`` and the weights are left out.

    Args:
        problem: a name in `PROBLEMS`, or a place.
        **settings: those of `solve`; ``num_threads`` is 1 by default.

    Example:
        >>> batch = {"source": [[0, 1]], "target": [[1, 2]], "city": ["Ulm"]}
        >>> found = BatchSolver("mis", moves=100)(batch)
        >>> found["nodes"][0], found["value"][0], found["city"][0]
        ([0, 2], 2.0, 'Ulm')
    """

    def __init__(self, problem: str | Problem, **settings: Any) -> None:
        self.settings = SolveSettings(problem, {"num_threads": 1, **settings}).portable()
        # What is wrong with them is told before any batch is sent.
        self.settings.check_spread()
        count_threads(self.settings.solver.num_threads)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        """Return a batch with the solutions of its graphs.

        Raises:
            InputError: for a batch without edges, and as `solve`.
        """
        if not isinstance(batch, Mapping) or not all(isinstance(column, Sized) for column in batch.values()):
            rule = "a batch of graphs must be a dictionary of columns with a row per graph, as map_batches gives it"
            raise InputError(f"{rule}, not {type(batch).__name__}")
        for name in ("source", "target"):
            if name not in batch:
                raise InputError(f"a batch of graphs must have a column {name!r}; it has {', '.join(map(str, batch))}")
        lengths = {name: len(column) for name, column in batch.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"columns of a batch must be of one length, these are {lengths}")
        rows = [{name: batch[name][row] for name in batch} for row in range(len(batch["source"]))]
        found = _solve_block(self.settings, Graph.batch([_graph_of(number, row) for number, row in enumerate(rows)]))
        for each in found:
            if isinstance(each, InputError):
                raise each
        kept = {name: column for name, column in batch.items() if name not in _EDGE_COLUMNS}
        solved = [each.to_dict() for each in found if isinstance(each, Solution)]
        return kept | {name: [row[name] for row in solved] for name in (solved[0] if solved else ())}


_EDGE_COLUMNS = frozenset({"source", "target", "num_nodes", "node_weight", "edge_weight"})


def _graph_of(number: int, row: Mapping[str, Any]) -> Graph:
    """Return the graph of a row of Ray Data."""
    name = str(row.get("name", number))
    ends = [np.asarray(unmasked(row[end], f"graph {name}")) for end in ("source", "target")]
    # Two kinds of integers would become fractions together.
    ends = [each.astype(np.int64) if each.dtype.kind in "iu" or not each.size else each for each in ends]
    more = {name: row[name] for name in ("node_weight", "edge_weight", "num_nodes") if row.get(name) is not None}
    return Graph.from_edges(cast("Any", ends), **more, graph_data={"name": [name]}, origin=f"graph {name}")
