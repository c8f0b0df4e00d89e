"""The distance that parameters move in training against the ratio reached, with annealing and without.

The paper's claim: annealed networks end farther from where they began, ‖u − v‖ / ‖v‖, and are better. Independent and
dominating sets on Twitter, many seeds per variant. Without annealing, the same energy is lowered at τ = 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from annealco.experiments.figures import LEARNERS, Cell, CellRow, Figure, cell, mean_and_deviation, select_cells
from annealco.experiments.run_folder import RunFolder, as_number, as_table
from annealco.plotting.style import COLOURS, MARKS, label_axes, new_figure, write_picture

NAME, DATA = "distance", "twitter"
PROBLEMS = {"mis": "independent sets", "mds": "dominating sets"}
WAYS = {True: "annealed", False: "τ = 0"}


def cells(folder: RunFolder) -> list[Cell]:
    """Return the networks; seeds are the outer loop, so that a run that is cut short has all variants."""
    return [
        cell(
            folder,
            learner,
            problem,
            DATA,
            facts={"annealed": annealed, "seed": seed},
            **({} if annealed else {"tau0": 0.0}),
        )
        for seed in range(folder.scale.distance_seeds)
        for problem in PROBLEMS
        for learner in LEARNERS
        for annealed in WAYS
    ]


def draw(folder: RunFolder, rows: Sequence[CellRow]) -> None:
    """Write a panel for each problem and network: one point per seed."""
    figure = new_figure(9.0, 7.0)
    for line, (problem, title) in zip(figure.subplots(2, 2), PROBLEMS.items(), strict=True):
        for axes, learner in zip(line, LEARNERS, strict=True):
            for number, (annealed, label) in enumerate(WAYS.items()):
                own = select_cells(rows, problem=problem, learner=learner.name, annealed=annealed)
                places = [row["distance"] for row in own], [row["ratio"] for row in own]
                axes.scatter(*places, s=22, c=COLOURS[number], marker=MARKS[number], label=label, alpha=0.85)
            label_axes(
                axes,
                title=f"{title} on Twitter: {learner.name}",
                x="change of all parameters by training, relative",
                y="ratio on test graphs",
            )
            axes.legend(fontsize=8, framealpha=0.4)
    write_picture(figure, folder.path / f"{NAME}.png")


def summarise(_folder: RunFolder | None, rows: Sequence[CellRow]) -> str:
    """Return a table of means over seeds."""
    lines = []
    for problem in PROBLEMS:
        for learner in LEARNERS:
            for annealed, label in WAYS.items():
                own = select_cells(rows, problem=problem, learner=learner.name, annealed=annealed)
                if own:
                    distance, ratio = mean_and_deviation(own, "distance"), mean_and_deviation(own)
                    lines.append([problem, learner.name, label, str(len(own)), as_number(*distance), as_number(*ratio)])
    said = "In the paper both grow with annealing, for the network `erdos`, 20 seeds (its figure has no numbers)."
    return as_table(["problem", "network", "training", "seeds", "distance", "ratio"], lines) + f"\n\n{said}"


DISTANCE = Figure(NAME, "Parameter distance against ratio", DATA, cells, draw, summarise)
