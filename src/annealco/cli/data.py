"""The commands `annealco data ...`: make random graphs, and look into graph files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from annealco.graph.errors import GraphFileError, InputError
from annealco.terminal import counted, printable, show, show_table, watched

if TYPE_CHECKING:
    from annealco.graph.graph import Graph

CHUNK = 32
"""Graphs drawn between two steps of the progress bar."""

MAX_ROWS = 20
"""Graphs of a file that `data info` shows one by one."""

NUMBERS = ("nodes", "edges", "density", "degree_min", "degree_mean", "degree_max", "components", "planted_size")
"""Statistics that `data info` shows as columns, where a file has them."""

Entry = TypeVar("Entry")

data_app = typer.Typer(help="Make random graphs, and look into graph files.")


@data_app.command("make")
def _data_make(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name from 'annealco list generators'.")],
    count: Annotated[int, typer.Option(help="Number of graphs.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder for the files; made if missing.", show_default=False)],
    seed: Annotated[int, typer.Option(help="Sets of different seeds are independent.")] = 0,
    format_name: Annotated[
        str, typer.Option("--format", help="A name from 'annealco list formats'. Only npz keeps planted solutions.")
    ] = "npz",
) -> None:
    """Draw random graphs and write them: the same bytes for the same name, count and seed.

    A format of many graphs gets one file NAME-seedS.npz, any other one file a graph: NAME-seedS-00000.col and on.
    """
    from annealco.graph.formats import FORMATS, Content, write_graph

    chosen = _choose("format", format_name, FORMATS)
    if out.exists() and not out.is_dir():
        raise GraphFileError(out, "it is not a folder")
    graph = _draw(name, count, seed)
    out.mkdir(parents=True, exist_ok=True)
    many = Content.SEVERAL_GRAPHS in chosen.holds
    endings = [""] if many else [f"-{index:05d}" for index in range(graph.num_graphs)]
    paths = [out / f"{name}-seed{seed}{ending}{chosen.extensions[0]}" for ending in endings]
    for index, path in enumerate(watched(paths, "writing")):
        write_graph(graph if many else graph[index], path, format=format_name)
    written = " .. ".join(dict.fromkeys(printable(str(path)) for path in [*paths[:1], *paths[-1:]]))
    sizes = {"graph": graph.num_graphs, "node": graph.num_nodes, "edge": graph.num_edges}
    show(f"{written or 'no file'}: {', '.join(counted(size, noun) for noun, size in sizes.items())}")


def _choose(kind: str, name: str, choices: Mapping[str, Entry]) -> Entry:
    if name not in choices:
        raise InputError(f"unknown {kind} {name!r}; choose one of {', '.join(choices)}")
    return choices[name]


def _draw(name: str, count: int, seed: int) -> Graph:
    """Draw a set in chunks, which shows progress and changes nothing."""
    from annealco.graph.generators import generate
    from annealco.graph.graph import Graph

    parts = [generate(name, count=min(count, CHUNK), seed=seed)]
    parts += [
        generate(name, count=min(count - start, CHUNK), seed=seed, start=start)
        for start in watched(range(CHUNK, count, CHUNK), "drawing")
    ]
    return Graph.batch(parts)


@data_app.command("info")
def _data_info(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Graph files, each with one or many graphs.")],
    format_name: Annotated[
        str | None,
        typer.Option("--format", help="A name from 'annealco list formats'; by default the extension tells."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each graph.")] = False,
) -> None:
    """Print size, density, degrees and components of the graphs in files."""
    from annealco.graph.formats import read_graph

    found: list[tuple[str, list[dict[str, Any]]]] = []
    try:
        for file in files:
            rows = _info_rows(read_graph(file, format=format_name))
            if not as_json:
                found.append((str(file), rows))
                continue
            for row in rows:
                show(json.dumps({"file": str(file), **row}))
    finally:
        # One table for all files; a broken one does not hide what was read before it.
        if found:
            _show_info(found)


def _info_rows(graph: Graph) -> list[dict[str, Any]]:
    """Return the statistics of each graph under the names that JSON shows."""
    from annealco.graph.statistics import describe

    absent = [None] * graph.num_graphs
    names = graph.graph_data.get("name")
    columns = {"graph": range(graph.num_graphs), "name": absent if names is None else map(str, names.tolist())}
    columns |= {key: absent if values is None else values.tolist() for key, values in vars(describe(graph)).items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _show_info(found: list[tuple[str, list[dict[str, Any]]]]) -> None:
    """Print a table with the rows of each file."""
    keys = [key for key in NUMBERS if any(row[key] is not None for _, rows in found for row in rows)]
    cells = [line for file, rows in found for line in _file_lines(file, rows, keys)]
    headings = [key.replace("_", " ") for key in keys]
    show_table(["file", "graph", *headings, "weights"], cells, numbers=headings)


def _file_lines(file: str, rows: list[dict[str, Any]], keys: list[str]) -> list[list[str]]:
    """Return the cells of the first graphs one by one, then of the extremes and the mean of all."""
    blank = [""] * (len(keys) + 1)
    lines = [["", _label(row), *(_number(row[key]) for key in keys), _weights(row)] for row in rows[:MAX_ROWS]]
    lines = lines or [["", "none", *blank]]
    lines[0][0] = file
    if len(rows) > MAX_ROWS:
        lines.append(["", "...", *blank])
    if len(rows) > 1:
        columns = [[row[key] for row in rows] for key in keys]
        for name, summary in (("min", min), ("mean", fmean), ("max", max)):
            numbers = [_number(None if None in values else summary(values)) for values in columns]
            lines.append([f"{len(rows)} graphs" if name == "min" else "", name, *numbers, ""])
    return lines


def _label(row: Mapping[str, Any]) -> str:
    return str(row["graph"]) if row["name"] is None else f"{row['graph']} {row['name']}"


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3g}" if value < 1 else f"{value:.2f}"


def _weights(row: Mapping[str, Any]) -> str:
    return " ".join(kind for kind in ("node", "edge") if row[f"{kind}_weighted"]) or "-"
