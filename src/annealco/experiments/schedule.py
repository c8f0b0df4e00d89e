"""The shape of the schedule and the first temperature: dominating sets on small Barabási–Albert graphs.

The paper's claim: the shape of the schedule hardly matters, the first temperature does; too low is worse, high is not.
All schedules end at τ = 0.001, and cool from step to step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from annealco.energy.schedules import LAST_TEMPERATURE, cooling
from annealco.experiments.figures import LEARNERS, Cell, CellRow, Figure, cell, mean_and_deviation, select_cells
from annealco.experiments.run_folder import RunFolder, as_number, as_table
from annealco.plotting.style import COLOURS, MARKS, label_axes, new_figure, write_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME, DATA, PROBLEM = "schedule", "ba-small", "mds"
SHAPES = ("linear", "concave", "convex")
FIRST = (0.0, 0.1, 0.5, 1.0, 2.0, 5.0)
SHOWN = 1.0
"""The first temperature of the curves."""


def cells(folder: RunFolder) -> list[Cell]:
    """Return the networks; at τ0 = 0 there is nothing to cool, and all shapes are one."""
    return [
        cell(
            folder,
            learner,
            PROBLEM,
            DATA,
            facts={"shape": shape, "tau0": first, "seed": seed},
            schedule=shape,
            tau0=first,
            tau_last=LAST_TEMPERATURE,
            anneal_by="step",
        )
        for seed in range(folder.scale.schedule_seeds)
        for learner in LEARNERS
        for first in FIRST
        for shape in (SHAPES if first > 0 else SHAPES[:1])
    ]


def results(rows: Sequence[CellRow], learner: str, shape: str) -> dict[float, tuple[float, float]]:
    """Return mean and deviation of the ratio by first temperature; 0 is the same for all shapes."""
    own = {
        first: select_cells(rows, learner=learner, tau0=first, shape=shape if first > 0 else SHAPES[0])
        for first in FIRST
    }
    return {first: mean_and_deviation(found) for first, found in own.items() if found}


def draw(folder: RunFolder, rows: Sequence[CellRow]) -> None:
    """Write four panels: temperature, potential, and results of the two networks."""
    figure = new_figure(10.0, 7.0)
    (temperature, potential), below = figure.subplots(2, 2)
    progress = np.linspace(0.0, 1.0, 200)
    for number, shape in enumerate(SHAPES):
        tau = np.array([cooling(shape, SHOWN)(each) for each in progress])
        temperature.plot(progress, tau, color=COLOURS[number], label=shape)
        potential.plot(progress, 1 / tau, color=COLOURS[number], label=shape)
        for axes, learner in zip(below, LEARNERS, strict=True):
            _draw_results(axes, results(rows, learner.name, shape), number, shape)
    temperature.set_yscale("log")
    words = f"τ0 = {SHOWN:g}, last τ = {LAST_TEMPERATURE:g}"
    label_axes(temperature, title=f"temperature ({words})", x="progress of training", y="τ")
    label_axes(potential, title=f"potential ({words})", x="progress of training", y="f / τ, for f = 1")
    for axes, learner in zip(below, LEARNERS, strict=True):
        axes.set_xticks(range(len(FIRST)), [f"{first:g}" for first in FIRST])
        label_axes(axes, title=f"dominating sets, BA-small: {learner.name}", x="τ0", y="ratio")
    for axes in (temperature, potential, *below):
        axes.legend(fontsize=8, framealpha=0.4)
    write_picture(figure, folder.path / f"{NAME}.png")


def _draw_results(axes: Axes, found: dict[float, tuple[float, float]], number: int, shape: str) -> None:
    # Side by side, so that deviations can be told apart.
    places = [FIRST.index(first) + 0.08 * (number - 1) for first in found]
    means, deviations = [mean for mean, _ in found.values()], [std for _, std in found.values()]
    axes.errorbar(places, means, deviations, color=COLOURS[number], marker=MARKS[number], ms=4, capsize=3, label=shape)


def summarise(_folder: RunFolder | None, rows: Sequence[CellRow]) -> str:
    """Return a table of means over seeds."""
    lines = []
    for learner in LEARNERS:
        seeds = str(len({row["seed"] for row in select_cells(rows, learner=learner.name)}))
        for shape in SHAPES:
            found = results(rows, learner.name, shape)
            numbers = [as_number(*found[first]) if first in found else "-" for first in FIRST]
            lines.append([learner.name, shape, seeds, *numbers])
    said = "In the paper all shapes are alike for `erdos`, and small τ0 are worse (its figure has no numbers)."
    return as_table(["network", "schedule", "seeds", *(f"τ0 = {each:g}" for each in FIRST)], lines) + f"\n\n{said}"


SCHEDULE = Figure(NAME, "Schedule and first temperature against ratio", DATA, cells, draw, summarise)
