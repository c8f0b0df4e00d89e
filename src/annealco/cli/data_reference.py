"""The command `annealco data reference`: compute best-known values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annealco.graph.errors import InputError
from annealco.terminal import show, show_table, watched


def make_references(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A name from 'annealco data list'.", show_default=False)
    ] = None,
    problem: Annotated[
        str | None,
        typer.Argument(metavar="PROBLEM", help="A name from 'annealco list problems'.", show_default=False),
    ] = None,
    *,
    time_limit: Annotated[
        float, typer.Option(help="Seconds a graph, for the set and for the bound; with one thread CPU seconds.")
    ] = 1.0,
    limit: Annotated[
        int | None, typer.Option(min=0, help="Only the first so many test graphs.", show_default=False)
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also try anew where nothing is proven.")] = False,
    exact: Annotated[
        str | None,
        typer.Option(
            help="Solver for what is not proven: cp_sat, scip, highs, gurobi or none; by default the first of the first"
            " three that is installed.",
            show_default=False,
        ),
    ] = None,
    exact_limit: Annotated[
        float | None, typer.Option(help="Seconds a graph for that solver; by default the time limit.")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Graphs at once; by default all processors.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the file; by default in the cache.")] = None,
    data_root: Annotated[Path | None, typer.Option(help="Folder with the real sets; default: ANNEALCO_DATA.")] = None,
) -> None:
    """Compute the best-known values of a set's test graphs that are missing, and say what share is proven.

    For cut they are of the instances of the cut protocol. Each value is written as soon as it is there: what was
    interrupted goes on where it stopped. Without NAME and PROBLEM, list what there is.
    """
    if name is None:
        list_references(out)
        return
    if problem is None:
        raise InputError(f"which problem of {name}? Give NAME and PROBLEM, or neither to list what there is")
    from annealco.evaluation.reference_cases import count_cases
    from annealco.evaluation.references import extend_references, load_references
    from annealco.graph.datasets.registry import find_dataset
    from annealco.solving import find_problem

    total = count_cases(find_dataset(name), find_problem(problem))
    made = extend_references(
        name,
        problem,
        time_limit=time_limit,
        limit=limit,
        again=again,
        exact=exact,
        exact_limit=exact_limit,
        num_threads=threads,
        folder=out,
        data_root=data_root,
    )
    computed = sum(1 for _ in watched(made, "solving", total=total if limit is None else min(limit, total)))
    found = load_references(name, problem, folder=out)
    proven = sum(each.proven for each in found.values())
    what = "instances" if find_problem(problem).node_options else "test graphs"
    show(f"{name} {problem}: {len(found)} of {total} {what}, {proven} proven optimal, {computed} computed now")


def list_references(folder: Path | None) -> None:
    """Print a table of all sets and problems with references."""
    from annealco.evaluation.reference_summary import COLUMNS, summaries

    show_table(COLUMNS, [each.cells() for each in summaries(folder)], numbers=COLUMNS[2:6])
