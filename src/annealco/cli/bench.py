"""The command `annealco bench`: run methods on a set or on graph files, and print how they compare."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from annealco.cli.data import EdgeWeight, Ends, NodesFile, NodeWeight, names_in_files
from annealco.cli.exit_status import INTERRUPTED
from annealco.cli.problem_options import ProblemName, problem_options
from annealco.terminal import others_on_stderr, say, show, show_table, watched


def compare_methods(
    context: typer.Context,
    problem: ProblemName,
    *,
    data: Annotated[
        list[str],
        typer.Option(
            metavar="NAME|PATH",
            help="A name from 'annealco data list' for its test graphs, or a graph file, folder or pattern; files may"
            " be given again.",
        ),
    ],
    methods: Annotated[
        str,
        typer.Option(
            help="Names from 'annealco list methods' or places, separated by commas; own networks as annealed=DIR."
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|PLACE",
            help="The network of names without one; or the class of your own networks, package.module:Class.",
            show_default="that of the package",
        ),
    ] = None,
    restarts: Annotated[
        int | None, typer.Option(help="Proposals of a network per graph.", show_default="8; with search 1 per thread")
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Steps of recurrent networks.", show_default="as saved")] = None,
    decode_order: Annotated[
        str | None,
        typer.Option(
            metavar="ORDER",
            help="Of decoding what networks propose: probability, confidence, steepest.",
            show_default="by the method",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Use only the first N graphs, or instances of cuts.", show_default="all")
    ] = None,
    every: Annotated[int, typer.Option(help="Use every N-th graph, or instance of cuts.")] = 1,
    time_limit: Annotated[float, typer.Option(help="Seconds per graph, for methods with a limit.")] = 1.0,
    moves: Annotated[
        int | None,
        typer.Option(help="Moves instead of seconds, where a method counts them: repeatable.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all random choices.")] = 0,
    threads: Annotated[int, typer.Option(help="Threads per method.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the rows.", show_default="bench/PROBLEM-NAME"),
    ] = None,
    ray: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Ray cluster, or local.", show_default="this process")
    ] = None,
    data_root: Annotated[Path | None, typer.Option(help="Folder with the real sets; default: ANNEALCO_DATA.")] = None,
    node_weight: NodeWeight = None,
    edge_weight: EdgeWeight = None,
    ends: Ends = None,
    nodes: NodesFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON per method.")] = False,
) -> None:
    """Run methods on the test graphs of a set or on graph files, one row per graph and method, and print a table.

    Rows are appended to DIR/rows.jsonl as they come; what is there is not run again, so that an interrupted comparison
    goes on with the same command.
    """
    # Registries of methods and problems bring NumPy: not before a comparison is asked for.
    from annealco.evaluation.bench.comparison import Cluster, Comparison, rows_of
    from annealco.evaluation.bench.table import as_cells, columns, comparison_of, notes, summarise
    from annealco.graph.construction import Names
    from annealco.problems import find_problem

    bench = comparison_of(
        problem,
        data,
        methods,
        model=model,
        restarts=restarts,
        steps=steps,
        decode_order=decode_order,
        limit=limit,
        every=every,
        time_limit=time_limit,
        moves=moves,
        seed=seed,
        threads=threads,
        data_root=data_root,
        names=Names(**names_in_files(node_weight, edge_weight, ends, nodes)),
        options=problem_options(context),
    )
    folder = out or Path("bench") / f"{find_problem(problem).name}-{bench.data.removeprefix('files:')}"
    spread = None if ray is None else Cluster(ray, threads=threads)
    try:
        run = Comparison(bench, folder)
        with nullcontext() if ray is None else others_on_stderr():
            for _ in watched(run.rows(spread), "comparing", total=len(run.missing)):
                pass
    except KeyboardInterrupt:
        say(f"interrupted: the rows so far are in {folder}; the same command goes on")
        raise typer.Exit(INTERRUPTED) from None
    rows = rows_of(bench, folder)
    lines = summarise(bench, rows)
    if as_json:
        for line in lines:
            show(json.dumps(line.as_json()))
        return
    headings = columns(lines)
    show_table(headings, [as_cells(line, headings) for line in lines], numbers=headings[1:-1])
    for note in notes(bench, rows, lines):
        show(note)
    say(f"{len(run.missing)} rows run now, all {len(rows)} are in {run.path}")
