"""The command `annealco data info`: look into sets and graph files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from annealco.terminal import show, show_table

if TYPE_CHECKING:
    from annealco.graph.datasets import Dataset
    from annealco.graph.graph import Graph

MAX_ROWS = 20
"""Graphs of a file that are shown one by one."""

SHOWN = 200
"""Graphs of a synthetic set that are looked at by default: it never ends."""

BINS, BAR = 12, 40
"""Rows of a histogram, and the length of its longest bar."""

NUMBERS = ("nodes", "edges", "density", "degree_min", "degree_mean", "degree_max", "components", "planted_size")
"""Statistics that are shown as columns, where a file has them."""


def show_info(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME|FILE...", help="Names from 'annealco data list', or files of one or many graphs."),
    ],
    *,
    format_name: Annotated[
        str | None,
        typer.Option("--format", help="Of files: a name from 'annealco list formats'; by default the extension tells."),
    ] = None,
    split: Annotated[str, typer.Option(help="Of sets: train, validation, test or all.")] = "all",
    count: Annotated[
        int | None,
        typer.Option(help=f"Of sets: the first so many graphs; {SHOWN} of a synthetic set.", show_default=False),
    ] = None,
    data_root: Annotated[Path | None, typer.Option(help="Folder with the real sets; default: ANNEALCO_DATA.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each graph.")] = False,
) -> None:
    """Print size, density, degrees and components of the graphs in files, and of sets with histograms."""
    from annealco.graph.datasets.registry import DATASETS
    from annealco.graph.formats import read_graph

    found: list[tuple[str, list[dict[str, Any]]]] = []
    try:
        for name in names:
            dataset = DATASETS.get(name) if format_name is None else None
            if dataset is not None:
                rows = _info_rows(_load(dataset, split, count, data_root))
            else:
                rows = _info_rows(read_graph(name, format=format_name))
            if as_json:
                for row in rows:
                    show(json.dumps({"file": name, **row}))
            elif dataset is not None:
                _show_set(dataset, rows)
            else:
                found.append((name, rows))
    finally:
        # One table for all files; a broken one does not hide what was read before it.
        if found:
            _show_info(found)


def _load(dataset: Dataset, split: str, count: int | None, data_root: Path | None) -> Graph:
    from annealco.graph.datasets import load_dataset

    if count is None and dataset.kind == "synthetic":
        count = SHOWN
    return load_dataset(dataset.name, split, count=count, data_root=data_root)


def _show_set(dataset: Dataset, rows: list[dict[str, Any]]) -> None:
    """Print what is known of a set, and how the numbers of its graphs are spread."""
    show(f"{dataset.name}: {dataset.title}")
    show(f"{dataset.kind}, {len(rows)} of {dataset.graphs} graphs, for {', '.join(dataset.problems)}")
    show(f"source: {dataset.source}; licence: {dataset.licence}")
    if dataset.published is not None:
        graphs, nodes, edges = dataset.published
        show(f"published: {graphs} graphs, {nodes} nodes and {edges} edges on average")
    if dataset.note:
        show(dataset.note)
    keys = [key for key in NUMBERS if any(row[key] is not None for row in rows)]
    headings = [key.replace("_", " ") for key in keys]
    if rows:
        show("")
        cells = [
            [name, *(_number(summary([row[key] for row in rows])) for key in keys)]
            for name, summary in _summaries().items()
        ]
        show_table(["", *headings], cells, numbers=headings)
    for key in ("nodes", "edges", "density"):
        show("")
        show_table([key, "graphs", ""], histogram([row[key] for row in rows]), numbers=["graphs"])


def histogram(values: Sequence[float]) -> list[list[str]]:
    """Return the rows of a histogram: a range of values, how many there are, a bar.

    Example:
        >>> for row in histogram([1, 1, 1, 2]):
        ...     print(row)
        ['1', '3', '########################################']
        ['2', '1', '#############']
    """
    if not values:
        return []
    low, high = min(values), max(values)
    whole = all(isinstance(value, int) for value in values)
    width = max(1, -(-(high - low + 1) // BINS)) if whole else (high - low) / BINS
    bins = 1 if width == 0 else min(BINS, int((high - low) // width) + 1)
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, int((value - low) // width) if width else 0)] += 1
    rows = []
    for place, count in enumerate(counts):
        start = low + place * width
        end = min(high, start + width - 1) if whole else start + width
        text = _number(start) if start == end else f"{_number(start)} - {_number(end)}"
        rows.append([text, str(count), "#" * round(BAR * count / max(counts))])
    return rows


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
        for name, summary in _summaries().items():
            numbers = [_number(None if None in values else summary(values)) for values in columns]
            lines.append([f"{len(rows)} graphs" if name == "min" else "", name, *numbers, ""])
    return lines


def _summaries() -> dict[str, Callable[[list[float]], float]]:
    """Return what is told of many numbers, by name."""
    # It brings fractions, decimals and random numbers, which all other commands do without.
    from statistics import fmean

    return {"min": min, "mean": fmean, "max": max}


def _label(row: Mapping[str, Any]) -> str:
    return str(row["graph"]) if row["name"] is None else f"{row['graph']} {row['name']}"


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3g}" if value < 1 else f"{value:.2f}"


def _weights(row: Mapping[str, Any]) -> str:
    return " ".join(kind for kind in ("node", "edge") if row[f"{kind}_weighted"]) or "-"
