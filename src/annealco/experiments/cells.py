"""Figures of trained networks: many of them, each a cell that is trained, solved with and told in one line.

A cell's test graphs are solved by `annealco.evaluation.bench`, graph by graph into ``rows.jsonl``; its line in
``cells.jsonl`` says what tells it from the others and what came of it. A cell with a line is not done again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from annealco.evaluation.appended_lines import LineWriter, read_lines
from annealco.evaluation.bench import Bench, Run, rows_of
from annealco.evaluation.bench_table import summarise
from annealco.evaluation.row_fields import COUNT, NUMBER, NUMBER_OR_NULL, Fields, check_fields
from annealco.experiments.networks import Network, entry_of, forget_state, record_of, train_network
from annealco.experiments.run_folder import RunFolder
from annealco.experiments.steps import Step
from annealco.graph.errors import GraphFileError

FILE = "cells.jsonl"
WAY = "annealed"
"""How networks are used, annealed or not: the best of 8 proposals, decoded by conditional expectations."""

MOVES = 1
"""Nothing is searched here; a limit in moves only keeps the clock out."""

CellRow = dict[str, Any]

FIELDS: Fields = {
    **dict.fromkeys(("graphs", "epoch"), COUNT),
    **dict.fromkeys(("ratio", "ratio_std", "feasible", "distance"), NUMBER),
    "validation": NUMBER_OR_NULL,
}
"""What came of a network."""


class Cell(NamedTuple):
    """A network to be, and what tells it from the others."""

    network: Network
    facts: Mapping[str, Any]


def plan_cells(folder: RunFolder, cells: Sequence[Cell]) -> list[Step]:
    """Return a step for each cell that has no line yet."""
    done = {row["cell"] for row in read_networks(folder, cells)}
    return [
        Step(
            f"{cell.network.name}: training and test",
            cell.network.guess + 1.0,
            partial(_run_cell, folder, cell),
        )
        for cell in cells
        if cell.network.name not in done
    ]


def read_networks(folder: RunFolder, cells: Iterable[Cell]) -> list[CellRow]:
    """Return the lines of those of the cells that are done, each once."""
    return read_cells(folder, {cell.network.name: cell.facts for cell in cells}, FIELDS)


def read_cells(folder: RunFolder, facts: Mapping[str, Mapping[str, Any]], fields: Fields) -> list[CellRow]:
    """Return the lines of the cells that are done, each once.

    Args:
        folder: of the run.
        facts: what each cell says of itself, by its name.
        fields: what came of it.

    Raises:
        GraphFileError: naming the line that is of no cell, or says something else.
    """
    path = _path(folder)
    rows: dict[str, CellRow] = {}
    for number, line in enumerate(read_lines(path), start=1):
        try:
            row = json.loads(line)
            _check_cell(row, facts, fields)
        except (ValueError, RecursionError) as error:
            what = "" if isinstance(error, (json.JSONDecodeError, RecursionError)) else f": {error}"
            raise GraphFileError(path, f"this is no cell of this figure, or it is damaged{what}", line=number) from None
        rows.setdefault(row["cell"], row)
    return list(rows.values())


def _check_cell(row: Any, facts: Mapping[str, Mapping[str, Any]], fields: Fields) -> None:
    """Raise a ValueError that names what is wrong."""
    check_fields(row, {"cell": (lambda name: isinstance(name, str) and name in facts, "one of its cells")})
    for name, value in facts[row["cell"]].items():
        if name not in row or row[name] != value:
            raise ValueError(f"{name} must be {value!r}")
    check_fields(row, fields)


def write_cell(folder: RunFolder, row: CellRow) -> None:
    """Append the line of a cell; ``cell`` is its name."""
    LineWriter(_path(folder)).write(json.dumps(row, allow_nan=False))


def _path(folder: RunFolder) -> Path:
    return folder.path / FILE


def _run_cell(folder: RunFolder, cell: Cell) -> None:
    network = cell.network
    train_network(folder, network, picture=False)
    sample = folder.scale.figure_sample
    entry = entry_of(folder, network, WAY)
    bench = Bench(network.data, network.problem, (entry,), limit=sample.limit, every=sample.every, moves=MOVES)
    for _ in Run(bench, folder.path).rows():
        pass
    [line] = summarise(bench, rows_of(bench, folder.path))
    metrics = record_of(folder, network)["metrics"]
    row = {
        "cell": network.name,
        **cell.facts,
        "graphs": line.graphs,
        "ratio": line.ratio,
        "ratio_std": line.ratio_std,
        "feasible": line.feasible,
        "validation": metrics["ratio"],
        "epoch": metrics["epoch"],
        "distance": metrics["distance"],
    }
    write_cell(folder, row)
    forget_state(folder.network(network.name))
