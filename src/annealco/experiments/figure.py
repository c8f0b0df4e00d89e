"""What every figure is: a plan, and a picture with a table once it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Any

from annealco.experiments.cells import FILE, Cell, CellRow, plan_cells, read_networks
from annealco.experiments.learners import FIELD, PAPER, Learner
from annealco.experiments.networks import Network
from annealco.experiments.run_folder import Material, RunFolder
from annealco.experiments.sets import present_sets
from annealco.experiments.steps import Step
from annealco.pictures import check_drawing

LEARNERS: tuple[Learner, ...] = (PAPER, FIELD)
"""The paper's network and ours: what holds for one need not hold for the other."""


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

    def plan(self, folder: RunFolder) -> list[Step]:
        """Return what is to be done."""
        check_drawing()
        return plan_cells(folder, self.cells(folder)) if present_sets(folder, [self.data]) else []

    def is_finished(self, folder: RunFolder) -> bool:
        """Tell whether every network has its line."""
        return bool(self._rows(folder)) and not self.plan(folder)

    def material(self, folder: RunFolder) -> Material:
        """Return the cells."""
        return {FILE: self._rows(folder)}

    def tell(self, material: Material) -> str:
        """Return the result in words and tables."""
        return self.summarise(None, material[FILE])

    def finish(self, folder: RunFolder) -> str:
        """Draw the picture, and return the result."""
        rows = self._rows(folder)
        heading = f"# {self.title}: scale {folder.scale.name}"
        if not rows:
            return heading
        self.draw(folder, rows)
        return f"{heading}\n\n![{self.title}]({self.name}.png)\n\n{self.tell({FILE: rows})}"

    def _rows(self, folder: RunFolder) -> list[CellRow]:
        return read_networks(folder, self.cells(folder))


def cell(
    folder: RunFolder, learner: Learner, problem: str, data: str, *, facts: Mapping[str, Any], **options: Any
) -> Cell:
    """Return the cell of a network; its name is made of what tells it from the others.

    Args:
        folder: of the run.
        learner: who learns.
        problem: a key of `PROBLEMS`.
        data: a key of `DATASETS`.
        facts: what tells it from the others beside learner and problem, by name; ``seed`` is its seed.
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
        folder.scale.figure[learner.model],
        {**options, "seed": facts["seed"]},
    )
    return Cell(network, {"problem": problem, "data": data, "learner": learner.name, **facts})


def select(rows: Iterable[CellRow], **facts: Any) -> list[CellRow]:
    """Return the cells with these facts."""
    return [row for row in rows if all(row[name] == value for name, value in facts.items())]


def mean_and_deviation(rows: Sequence[CellRow], name: str = "ratio") -> tuple[float, float]:
    """Return mean and deviation of a number over cells, which are networks of several seeds."""
    values = [row[name] for row in rows]
    return fmean(values), pstdev(values)
