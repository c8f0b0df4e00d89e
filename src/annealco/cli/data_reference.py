"""The command `annealco data reference`: compute best-known values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annealco.terminal import show, watched


def make_references(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name from 'annealco data list'.")],
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="A name from 'annealco list problems'.")],
    *,
    time_limit: Annotated[float, typer.Option(help="Seconds a graph, for the set and for the bound.")] = 1.0,
    limit: Annotated[
        int | None, typer.Option(min=0, help="Only the first so many test graphs.", show_default=False)
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also try anew where nothing is proven.")] = False,
    threads: Annotated[int | None, typer.Option(help="Graphs at once; by default all processors.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the file; by default in the cache.")] = None,
    data_root: Annotated[Path | None, typer.Option(help="Folder with the real sets; default: ANNEALCO_DATA.")] = None,
) -> None:
    """Compute the best-known values of a set's test graphs that are missing, and say what share is proven.

    Each value is written as soon as it is there: what was interrupted goes on where it stopped.
    """
    from annealco.evaluation.references import extend_references, load_references
    from annealco.graph.datasets.registry import find_dataset
    from annealco.graph.datasets.splits import DEFAULT_COUNTS, members

    dataset = find_dataset(name)
    drawn = dataset.kind == "synthetic"
    total = DEFAULT_COUNTS["test"] if drawn else len(members(name, "test", dataset.graphs, 0))
    made = extend_references(
        name,
        problem,
        time_limit=time_limit,
        limit=limit,
        again=again,
        num_threads=threads,
        folder=out,
        data_root=data_root,
    )
    computed = sum(1 for _ in watched(made, "solving", total=total if limit is None else min(limit, total)))
    found = load_references(name, problem, folder=out)
    proven = sum(each.proven for each in found.values())
    show(f"{name} {problem}: {len(found)} of {total} test graphs, {proven} proven optimal, {computed} computed now")
