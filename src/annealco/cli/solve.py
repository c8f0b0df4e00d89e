"""The command `annealco solve`: read graphs, solve them, print the sets.

From top to bottom: the command; names of pictures, and whether they may be written; solutions as a table.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from annealco.cli.data import EdgeWeight, Ends, NodesFile, NodeWeight, names_in_files
from annealco.cli.exit_status import leave, leaving_on_interrupt, stopping_on_interrupt
from annealco.cli.problem_options import ProblemName, problem_options
from annealco.errors import GraphFileError, InputError
from annealco.terminal import counted, others_on_stderr, printable, say, show, show_table

if TYPE_CHECKING:
    from annealco.graph.graph import Graph
    from annealco.problems import Problem
    from annealco.search.protocol import Bits
    from annealco.solving.many import Reading, SolveSettings
    from annealco.solving.solution import Solution
    from annealco.solving.solver import Solver


MOST_FAILURES = 100
"""Graphs and files that break a rule, after which the others are not tried."""


@leaving_on_interrupt()
def solve_files(
    context: typer.Context,
    problem: ProblemName,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE...", parser=file_name, help="Graph files, each with one or many graphs, or folders of them."
        ),
    ] = None,
    *,
    data: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="More files: a folder, or a pattern such as 'shards/*.npz'."),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            metavar="auto|DIR|PLACE=DIR|none",
            help="Network that proposes the start: of the package, of 'annealco train', of your own class, or none.",
        ),
    ] = "none",
    steps: Annotated[
        int | None,
        typer.Option(help="Steps of a recurrent network.", show_default="as it was trained"),
    ] = None,
    restarts: Annotated[int, typer.Option(help="Number of starts; they share the time limit.")] = 1,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Seconds per graph, the bound's included.", show_default="0.3, or the total time"),
    ] = None,
    total_time: Annotated[float | None, typer.Option(help="Seconds for all graphs together.")] = None,
    moves: Annotated[
        int | None, typer.Option(help="Most moves of a search; repeatable if they are used up within the time limit.")
    ] = None,
    gap: Annotated[float, typer.Option(help="Stop when the proven relative gap is at most this, such as 0.02.")] = 0.0,
    patience: Annotated[
        str | None,
        typer.Option(
            metavar="S|P%", help="Stop after so many seconds, or this share of the limit, without an improvement."
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            parser=file_name,
            help="Sets to begin with: lines of --json, or labels of nodes, one per line.",
        ),
    ] = None,
    polish: Annotated[
        bool,
        typer.Option(
            help="Search, or return the decoded set: a network then makes all its steps, whatever the limits."
        ),
    ] = True,
    search: Annotated[
        str | None,
        typer.Option(help="A name from 'annealco list searches', or the place of one.", show_default="by the problem"),
    ] = None,
    bound: Annotated[bool, typer.Option(help="Prove a bound on the optimum.")] = True,
    bounds: Annotated[
        str, typer.Option(metavar="NAME,...", help="Names from 'annealco list bounds', or places; all, none.")
    ] = "all",
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of all random choices.", show_default="0, or the next after that of --start"),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Graphs or restarts that run at once.", show_default="all processors")
    ] = None,
    penalty_scale: Annotated[float, typer.Option(help="Multiple of the critical penalty, for decoding.")] = 1.0,
    decode_order: Annotated[
        str, typer.Option(metavar="ORDER", help="Of the nodes in decoding: probability, confidence, or steepest.")
    ] = "probability",
    format_name: Annotated[
        str | None,
        typer.Option("--format", help="A name from 'annealco list formats'; by default the extension tells."),
    ] = None,
    node_weight: NodeWeight = None,
    edge_weight: EdgeWeight = None,
    ends: Ends = None,
    nodes: NodesFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each graph.")] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.png",
            parser=file_name,
            help="Draw the set, or for a large graph the search over time; png, pdf, svg.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|DIR/",
            help="Write solutions as they come: .jsonl, .csv, .parquet, or a folder with a file for each. What is there"
            " is not solved again.",
        ),
    ] = None,
    ray: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Ray cluster, or local.", show_default="this process")
    ] = None,
) -> None:
    """Find good feasible sets, and prove how far from the optimum they can be.

    'annealco solve PROBLEM --help' lists the options of a problem too. Ctrl-C ends the search and prints the best so
    far.
    """
    from annealco.solving.many import Reading, SolveSettings

    # Whatever is wrong with the options is said before a file is read.
    if plot is not None:
        from annealco.plotting.solutions import check_picture

        check_picture(plot)
    arguments = {
        "time_limit": time_limit,
        "total_time": total_time,
        "moves": moves,
        "gap": gap,
        "patience": patience,
        "restarts": restarts,
        "polish": polish,
        "search": search,
        "bound": bound,
        "bounds": bounds,
        "model": model,
        "penalty_scale": penalty_scale,
        "decode_order": decode_order,
        "seed": seed,
        "num_threads": threads,
    }
    settings = SolveSettings(problem, arguments | problem_options(context), steps)
    solver = settings.solver
    names = names_in_files(node_weight, edge_weight, ends, nodes)
    places = _files([*(data or ()), *(files or ())], nodes, solver.problem, out)
    reading = Reading(format_name, names=names, problem=solver.problem)
    if out is None and ray is None:
        _solve_and_show(solver, places, reading, start=start, keep_seed=seed is not None, as_json=as_json, plot=plot)
        return
    if plot is not None:
        raise InputError("--plot draws what is printed, and --out and --ray do not print sets: leave one of them away")
    if out is None and not as_json:
        raise InputError("--ray needs a place for the solutions: --out FILE, --out DIR/ or --json")
    _Stream(settings.with_starts(start), places, reading, out, ray, as_json=as_json).run()


def _files(given: Sequence[str | Path], nodes: Path | None, problem: Problem, out: str | None) -> list[Path]:
    """Return the files that are named, of folders and patterns too, without the table of nodes and what is written."""
    from annealco.solving.many import files_of

    if not given:
        raise InputError("name the graphs: FILE..., or --data PATTERN")
    return [file for each in given for file in files_of(each, nodes, problem.formats, out)]


def _solve_and_show(
    solver: Solver,
    files: Sequence[Path],
    reading: Reading,
    *,
    start: Path | None,
    keep_seed: bool,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Read all graphs, solve them, and print and draw what was found."""
    from annealco.graph.formats.named import read_named
    from annealco.solving.initial_sets import Starts, read_starts

    graphs = read_named(files, format=reading.format, formats=reading.formats, **reading.names)
    pictures = [] if plot is None else picture_names(plot, graphs.num_graphs)
    if pictures:
        check_pictures(pictures, files)
    solver = replace(solver, options=solver.problem.with_labels(solver.options, graphs))
    starts = Starts([]) if start is None else read_starts(start, graphs, solver.problem.name)
    if not keep_seed and starts.seed is not None:
        # What was searched with its seed is not searched again.
        solver = replace(solver, seed=starts.seed + 1)
    solutions, interrupted = _run(solver, graphs, as_json, starts.sets)
    if pictures:
        _draw(graphs, solutions, pictures, tell=not as_json)
    if interrupted:
        say(f"interrupted: {len(solutions)} of {graphs.num_graphs} graphs have a solution")
        leave()


class _Stream:
    """Graphs that are solved while others are read, and whose solutions are written as they come.

    A graph without a solution does not keep others from theirs; all that is wrong is told at the end.
    """

    def __init__(
        self,
        settings: SolveSettings,
        files: Sequence[Path],
        reading: Reading,
        out: str | None,
        ray: str | None,
        *,
        as_json: bool,
    ) -> None:
        from annealco.solving.result_files import open_results

        if ray is not None:
            settings.check_spread()
        self.settings, self.out, self.ray, self.as_json = settings, out, ray, as_json
        # A folder has one file of solutions for each file, however often it is named.
        self.files = list(dict.fromkeys(files))
        if settings.starts is not None:
            # Each file may have many, which is told when it is read.
            settings.starts.check_number(len(self.files))
        self.results = None if out is None else open_results(out, settings.described() | reading.described())
        self.reading = replace(reading, results=self.results, failed=self._fail)
        self.failures: list[InputError] = []
        self.solved = self.proven = self.started = 0
        self.total = 0.0

    def run(self) -> None:
        """Solve and write everything, and tell how many; leave with an error where some have no solution."""
        output = nullcontext(sys.stdout) if self.ray is None else others_on_stderr()
        with (
            stopping_on_interrupt(self.settings.solver.stop) as interrupted,
            self.results or nullcontext(),
            output as own,
        ):
            for solution in self._watched(is_bar=sys.stderr.isatty() and not (self.as_json and own.isatty())):
                self.solved, self.proven = self.solved + 1, self.proven + solution.optimal
                self.started += self.settings.starts is not None and self.settings.starts.has(solution.graph)
                self.total += solution.value
                if self.as_json:
                    show(json.dumps(solution.to_dict()), own)
            # Where nothing but errors came, no file is made.
            is_made = self.solved > 0 or not self.failures
            if self.results is not None and not interrupted.is_set() and is_made:
                self.results.finish()
        place = "" if self.out is None or not is_made else f", written to {self.out}"
        if interrupted.is_set():
            say(f"interrupted: {counted(self.solved, 'graph')} solved now{place}; the same command goes on")
            leave()
        if not self.as_json:
            mean = as_text(self.total / self.solved) if self.solved else "-"
            begun = "" if self.settings.starts is None else f", {self.started} from a start"
            worth = f"mean value {mean}, {self.proven} proven optimal{place}"
            show(f"{counted(self.solved, 'graph')} solved now{begun}: {worth}")
        if self.failures:
            more = f" (and {len(self.failures) - 1} more without a solution)" if len(self.failures) > 1 else ""
            raise InputError(f"{self.failures[0]}{more}")

    def _watched(self, *, is_bar: bool) -> Iterator[Solution]:
        """Go through solutions, with a count of them where stderr is a terminal that stdout does not write to."""
        if not is_bar:
            yield from self._solutions()
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as progress:
            yield from progress.track(self._solutions(), total=None, description="solving")

    def _solutions(self) -> Iterator[Solution]:
        from annealco.solving.many import solve_blocks

        blocks = self.reading.blocks(self.files)
        for found in solve_blocks(self.settings, blocks, self.results, ray=self.ray):
            if isinstance(found, Exception):
                self._fail(found)
            else:
                yield found

    def _fail(self, error: InputError) -> None:
        """Keep an error about a graph or a file for the end; where nothing but errors come, the end is now."""
        self.failures.append(error)
        if len(self.failures) >= MOST_FAILURES:
            self.settings.solver.stop.set()
            raise InputError(f"{self.failures[0]} (and {len(self.failures) - 1} more; the rest was not tried)")


def _run(
    solver: Solver, graphs: Graph, as_json: bool, starts: Sequence[Bits | None] = ()
) -> tuple[list[Solution], bool]:
    """Solve, print what was solved whatever happens to the rest, and tell whether the user interrupted it."""
    from annealco.solving.solve import solve_each

    done: list[Solution] = []
    with stopping_on_interrupt(solver.stop) as interrupted:
        try:
            for solution in _watched(solve_each(solver, graphs, starts), graphs.num_graphs, as_json=as_json):
                done.append(solution)
                if as_json:
                    show(json.dumps(solution.as_json()))
        except Exception as error:
            # Nobody waits for the graphs behind one that failed.
            solver.stop.set()
            if done and not as_json:
                show_solutions(graphs, done)
            # A search that was interrupted may not have got to a feasible set yet.
            if not (interrupted.is_set() and isinstance(error, InputError)):
                raise
        else:
            # A table without rows is right for a file without graphs only.
            if not as_json and (done or not interrupted.is_set()):
                show_solutions(graphs, done)
    return done, interrupted.is_set()


def _watched(solutions: Iterable[Solution], total: int, *, as_json: bool) -> Iterator[Solution]:
    """Go through solutions, with a progress bar where stderr is a terminal that stdout does not write to."""
    if total < 2 or not sys.stderr.isatty() or (as_json and sys.stdout.isatty()):
        yield from solutions
        return
    from rich.console import Console
    from rich.progress import Progress

    # Rich would send what is printed meanwhile to stderr too.
    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=False) as progress:
        yield from progress.track(solutions, total=total, description="solving")


def _draw(graphs: Graph, solutions: list[Solution], pictures: list[Path], *, tell: bool) -> None:
    """Draw the solutions that were found, each under its name."""
    from annealco.plotting.solutions import draw_solution
    from annealco.terminal import watched

    paths = pictures[: len(solutions)]
    for number, picture in enumerate(watched(paths, "drawing")):
        draw_solution(graphs[number], solutions[number], picture)
    if tell and paths:
        show("\n".join(f"picture: {each}" for each in paths))


def file_name(text: str) -> Path:
    """Return the path of a name that is not empty; an empty one would stand for the current folder.

    Example:
        >>> file_name("a.col").name
        'a.col'
    """
    if not text:
        raise typer.BadParameter("the file name is empty")
    return Path(text)


def picture_names(path: Path, num_graphs: int) -> list[Path]:
    """Return OUT.png for a single graph, OUT-0.png and on for many, [num_graphs].

    Example:
        >>> [name.name for name in picture_names(Path("out.png"), 11)][:2]
        ['out-00.png', 'out-01.png']
    """
    if num_graphs == 1:
        return [path]
    digits = len(str(max(num_graphs - 1, 0)))
    return [path.with_name(f"{path.stem}-{number:0{digits}}{path.suffix}") for number in range(num_graphs)]


def check_pictures(pictures: Sequence[Path], files: Sequence[Path]) -> None:
    """Raise where one of the pictures could not be written, or would replace one of the files that were read.

    Raises:
        InputError: as `check_picture`, and for a picture that is one of the files, under whatever name.
    """
    from annealco.plotting.solutions import check_picture

    # Links and capital letters give one file several names, but it has one identity.
    read = {_identity(file): file for file in files}
    for picture in pictures:
        check_picture(picture)
        if picture.exists() and _identity(picture) in read:
            file = read[_identity(picture)]
            raise GraphFileError(picture, f"the picture would replace the graph file {file}; choose another name")


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


COLUMNS = ("graph", "nodes", "edges", "value", "bound", "gap", "optimal", "seconds")
NUMBERS = ("nodes", "edges", "value", "bound", "gap", "seconds")

MOST_NODES = 60
"""Nodes of a set that are printed; more are counted."""


def show_solutions(graphs: Graph, solutions: Sequence[Solution]) -> None:
    """Print a table, then the set of a single graph and what found it, or the average over many.

    Args:
        graphs: those that were given.
        solutions: those of the first graphs, or of all of them.
    """
    sizes = zip(np.diff(graphs.node_ptr).tolist(), np.diff(graphs.edge_ptr).tolist(), strict=True)
    rows = [_row(each, *size) for each, size in zip(solutions, sizes, strict=False)]
    show_table(COLUMNS, rows, numbers=NUMBERS)
    if len(solutions) == 1:
        show(f"\n{describe_set(solutions[0])}\nmethod: {printable(solutions[0].method)}")
    if len(solutions) > 1:
        show("\n" + _describe_all(solutions))


def _row(solution: Solution, num_nodes: int, num_edges: int) -> list[str]:
    return [
        solution.graph,
        str(num_nodes),
        str(num_edges),
        as_text(solution.value),
        as_text(solution.bound),
        "-" if solution.gap is None else percentage(solution.gap),
        "proven" if solution.optimal else "-",
        f"{solution.seconds:.2f}",
    ]


def as_text(value: float | None) -> str:
    """Write a value with the digits it needs, ten at most.

    Example:
        >>> as_text(20.0), as_text(1234567.25), as_text(1 / 3), as_text(None)
        ('20', '1234567.25', '0.3333333333', '-')
    """
    return "-" if value is None else f"{value:.10g}"


def percentage(gap: float) -> str:
    """Write a gap in per cent, such that only one of 0 looks like 0.

    Example:
        >>> percentage(0.0), percentage(0.0512), percentage(1e-7)
        ('0 %', '5.12 %', '<0.01 %')
    """
    if gap == 0:
        return "0 %"
    return "<0.01 %" if gap < 0.0001 else f"{100 * gap:.2f} %"


def describe_set(solution: Solution) -> str:
    """Write the size of a set and its nodes, or the first of them.

    Example:
        >>> blank = {"value": 2.0, "feasible": True, "bound": None, "gap": None, "optimal": False, "method": ""}
        >>> from annealco import Solution
        >>> describe_set(Solution("mis", ["a", "c"], **blank, seconds=0.1, seed=0, graph="path"))
        '2 nodes: a c'
    """
    shown = "".join(f" {printable(str(node))}" for node in solution.nodes[:MOST_NODES])
    more = len(solution.nodes) - MOST_NODES
    rest = f" and {more} more (see --json)" if more > 0 else ""
    return counted(len(solution.nodes), "node") + ":" * bool(shown) + shown + rest


def _describe_all(solutions: Sequence[Solution]) -> str:
    proven = sum(each.optimal for each in solutions)
    mean = as_text(sum(each.value for each in solutions) / len(solutions))
    return f"{counted(len(solutions), 'graph')}: mean value {mean}, {proven} proven optimal"
