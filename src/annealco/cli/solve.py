"""The command `annealco solve`: read graphs, solve them, print the sets."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from annealco.cli.file_argument import file_name
from annealco.cli.interrupts import leave, leaving_on_interrupt, stopping_on_interrupt
from annealco.graph.errors import InputError
from annealco.terminal import say, show

if TYPE_CHECKING:
    from annealco.graph.graph import Graph
    from annealco.problems import Problem
    from annealco.solution import Solution
    from annealco.solving import Solver


@leaving_on_interrupt()
def solve_files(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="A name from 'annealco list problems'.")],
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", parser=file_name, help="Graph files, each with one or many graphs."),
    ],
    *,
    model: Annotated[
        str,
        typer.Option(
            help="Who proposes: auto for the network that comes along, a folder of 'annealco train', or none."
        ),
    ] = "none",
    steps: Annotated[
        int | None,
        typer.Option(help="Steps of the model's recurrence; more cost more.", show_default="as it was trained"),
    ] = None,
    restarts: Annotated[int, typer.Option(help="Starts that share the time limit.")] = 1,
    time_limit: Annotated[float, typer.Option(help="Seconds a graph, the bound's included.")] = 0.3,
    moves: Annotated[
        int | None, typer.Option(help="Most moves of a search; used up in time, they make it repeatable.")
    ] = None,
    polish: Annotated[bool, typer.Option(help="Search, or take what decoding gives.")] = True,
    bound: Annotated[bool, typer.Option(help="Prove how far the optimum can be.")] = True,
    seed: Annotated[int, typer.Option(help="Of all random choices.")] = 0,
    threads: Annotated[
        int | None, typer.Option(help="Graphs or restarts at once.", show_default="all processors")
    ] = None,
    penalty_scale: Annotated[float, typer.Option(help="Multiple of the critical penalty, for decoding.")] = 1.0,
    volume: Annotated[
        str | None, typer.Option(metavar="D0:D1", help="Bounds on the volume, for cut and conductance.")
    ] = None,
    seed_node: Annotated[str | None, typer.Option(metavar="LABEL", help="A node of the set, likewise.")] = None,
    format_name: Annotated[
        str | None,
        typer.Option("--format", help="A name from 'annealco list formats'; by default the extension tells."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each graph.")] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.png",
            parser=file_name,
            help="Draw the set, or for a large graph the search over time; png, pdf, svg.",
        ),
    ] = None,
) -> None:
    """Find good feasible sets, and say how far from the optimum they can be.

    Ctrl-C ends the search and prints the best so far.
    """
    from annealco.cli.named_graphs import read_named
    from annealco.cli.picture_names import check_pictures, picture_names
    from annealco.solving import Solver, find_problem

    # Whatever is wrong with the options is said before a file is read.
    if plot is not None:
        from annealco.drawing import check_picture

        check_picture(plot)
    solver = Solver(
        problem=find_problem(problem),
        time_limit=time_limit,
        moves=moves,
        restarts=restarts,
        polish=polish,
        bound=bound,
        model=_proposer(model, steps, problem),
        penalty_scale=penalty_scale,
        seed=seed,
        num_threads=threads,
        options=_options(volume, seed_node),
    )
    graphs = read_named(files, format=format_name)
    pictures = [] if plot is None else picture_names(plot, graphs.num_graphs)
    if pictures:
        check_pictures(pictures, files)
    solver = replace(solver, options=_with_labels(solver.problem, solver.options, graphs))
    solutions, interrupted = _run(solver, graphs, as_json)
    if pictures:
        _draw(graphs, solutions, pictures, tell=not as_json)
    if interrupted:
        say(f"interrupted: {len(solutions)} of {graphs.num_graphs} graphs have a solution")
        leave()


def _proposer(model: str, steps: int | None, problem: str) -> Any:
    """Return the model of this name or in this folder, to be run for so many steps."""
    from annealco.solving import find_model

    found: Any = find_model(model, problem)
    if steps is None:
        return found
    if found == "none":
        raise InputError("steps are those of a model: say with --model which")
    return found.with_settings(num_steps=steps)


def _options(volume: str | None, seed_node: str | None) -> dict[str, Any]:
    """Return the options of a problem that were given."""
    given = {"volume": None if volume is None else parse_volume(volume), "seed_node": seed_node}
    return {name: value for name, value in given.items() if value is not None}


def parse_volume(text: str) -> tuple[float, float]:
    """Read two bounds.

    Example:
        >>> parse_volume("10:20.5")
        (10.0, 20.5)
    """
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        raise InputError(f"a volume must be D0:D1, such as 10:20, it is {text!r}") from None


def _with_labels(problem: Problem, options: dict[str, Any], graphs: Graph) -> dict[str, Any]:
    """Return options in which text that names an integer label is that integer."""
    labels = set(graphs.labels.tolist()) if any(name in problem.node_options for name in options) else set()

    def label(text: str) -> int | str:
        try:
            return int(text) if int(text) in labels else text
        except ValueError:
            return text

    return {name: label(value) if name in problem.node_options else value for name, value in options.items()}


def _run(solver: Solver, graphs: Graph, as_json: bool) -> tuple[list[Solution], bool]:
    """Solve, print what was solved whatever happens to the rest, and tell whether the user interrupted it."""
    from annealco.cli.solution_table import show_solutions

    done: list[Solution] = []
    with stopping_on_interrupt(solver.stop) as interrupted:
        try:
            for solution in _watched(solver.solve_each(graphs), graphs.num_graphs, as_json=as_json):
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
    from annealco.drawing import draw_solution
    from annealco.terminal import watched

    paths = pictures[: len(solutions)]
    for number, picture in enumerate(watched(paths, "drawing")):
        draw_solution(graphs[number], solutions[number], picture)
    if tell and paths:
        show("\n".join(f"picture: {each}" for each in paths))
