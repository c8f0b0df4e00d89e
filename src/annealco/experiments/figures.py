"""A figure of the paper: a plan of trained networks, then a picture and a table.

Each network of a figure is a cell: it is trained, and its test graphs are solved by `annealco.evaluation.bench`, with
one row per graph in ``rows.jsonl``. A line in ``cells.jsonl`` holds the settings and the result of a cell; a cell that
has its line is not run again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, NamedTuple

from annealco.errors import GraphFileError
from annealco.evaluation.bench.comparison import Bench, Comparison, rows_of
from annealco.evaluation.bench.rows import COUNT, NUMBER, NUMBER_OR_NULL, Fields, check_fields
from annealco.evaluation.bench.table import summarise
from annealco.experiments.networks import (
    FIELD,
    PAPER,
    Learner,
    Network,
    available_sets,
    decoded_in,
    delete_state,
    entry_of,
    record_of,
    train_network,
)
from annealco.experiments.run_folder import SEEDS, Material, RunFolder, Step, asked_seeds
from annealco.files import LineWriter, read_lines
from annealco.plotting.style import check_drawing

LEARNERS: tuple[Learner, ...] = (PAPER, FIELD)
"""The paper's network and ours: what holds for one need not hold for the other."""

FILE = "cells.jsonl"
WAY = "annealed"
"""How networks are used, annealed or not: the best of 8 proposals, decoded by conditional expectations."""

MOVES = 1
"""Nothing is searched here; a limit in moves keeps the result independent of the clock."""

CellRow = dict[str, Any]

FIELDS: Fields = {
    **dict.fromkeys(("graphs", "epoch"), COUNT),
    **dict.fromkeys(("ratio", "ratio_std", "feasible", "distance"), NUMBER),
    "validation": NUMBER_OR_NULL,
}
"""The results of a network."""


class Cell(NamedTuple):
    """A network to train, and the facts that distinguish it from the others."""

    network: Network
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Figure:
    """A figure of trained networks.

    Attributes:
        name: of the experiment and of its picture.
        title: what it is.
        data: the set that all networks are about.
        cells: the networks of a run.
        draw: writes the picture.
        summarise: returns the result in words and tables, of a folder or of rows alone.
    """

    name: str
    title: str
    data: str
    cells: Callable[[RunFolder], list[Cell]]
    draw: Callable[[RunFolder, Sequence[CellRow]], None]
    summarise: Callable[[RunFolder | None, Sequence[CellRow]], str]

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of what can be run alone: learners and seeds."""
        return (*(each.name for each in LEARNERS), *SEEDS)

    def plan(self, folder: RunFolder, only: Collection[str] = ()) -> list[Step]:
        """Return the steps that are left to do, of all networks or of those of some learners and seeds."""
        check_drawing()
        if not available_sets(folder, [self.data]):
            return []
        learners, seeds = set(only) - set(SEEDS) or set(self.parts), asked_seeds(only)
        asked = [each for each in self.cells(folder) if each.facts["learner"] in learners]
        return plan_cells(folder, [each for each in asked if each.facts["seed"] in seeds])

    def is_finished(self, folder: RunFolder) -> bool:
        """Tell whether every network has its line."""
        return bool(self._rows(folder)) and not self.plan(folder)

    def missing(self, folder: RunFolder, material: Material) -> list[str]:
        """Return how many networks have no line yet, by learner."""
        there = {row["cell"] for row in material[FILE]}
        names = [each.facts["learner"] for each in self.cells(folder) if each.network.name not in there]
        return [f"{name}: {names.count(name)} networks" for name in dict.fromkeys(names)]

    def material(self, folder: RunFolder) -> Material:
        """Return the cells."""
        return {FILE: self._rows(folder)}

    def as_markdown(self, material: Material) -> str:
        """Return the result in words and tables."""
        return self.summarise(None, material[FILE])

    def finish(self, folder: RunFolder) -> str:
        """Draw the picture, and return the result."""
        rows = self._rows(folder)
        if not rows:
            return folder.heading(self.title)
        self.draw(folder, rows)
        heading = folder.begin(self.title, self.missing(folder, {FILE: rows}))
        return f"{heading}\n\n![{self.title}]({self.name}.png)\n\n{self.as_markdown({FILE: rows})}"

    def _rows(self, folder: RunFolder) -> list[CellRow]:
        return read_networks(folder, self.cells(folder))


def cell(
    folder: RunFolder, learner: Learner, problem: str, data: str, *, facts: Mapping[str, Any], **options: Any
) -> Cell:
    """Return the cell of a network; its name is made of the facts that distinguish it from the others.

    Args:
        folder: of the run.
        learner: who learns.
        problem: a key of `PROBLEMS`.
        data: a key of `DATASETS`.
        facts: distinguish it from the others, beside learner and problem, by name; ``seed`` is its seed.
        options: of `train` in place of the learner's.
    """
    told = "-".join(
        f"{name}-{value:g}" if isinstance(value, float) else f"{name}-{value}" for name, value in facts.items()
    )
    network = Network(
        f"{problem}-{learner.name}-{told}",
        problem,
        data,
        learner,
        folder.scale.figure_amount(learner.model, data),
        folder.scale.reading(learner.model, problem),
        options,
        facts["seed"],
    )
    return Cell(network, {"problem": problem, "data": data, "learner": learner.name, **facts})


def select_cells(rows: Iterable[CellRow], **facts: Any) -> list[CellRow]:
    """Return the cells with these facts."""
    return [row for row in rows if all(row[name] == value for name, value in facts.items())]


def mean_and_deviation(rows: Sequence[CellRow], name: str = "ratio") -> tuple[float, float]:
    """Return mean and deviation of a number over cells, which are networks of several seeds."""
    values = [row[name] for row in rows]
    return fmean(values), pstdev(values)


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
        facts: of each cell, by its name.
        fields: of its results.

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
    if network.reading.order is not None:
        entry = decoded_in(network.reading.order, entry)
    bench = Bench(network.data, network.problem, (entry,), limit=sample.limit, every=sample.every, moves=MOVES)
    for _ in Comparison(bench, folder.path).rows():
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
    delete_state(folder.network(network.name))
