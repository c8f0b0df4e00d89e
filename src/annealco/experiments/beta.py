"""The penalty as a multiple of the critical one: dominating sets on small Barabási–Albert graphs.

The paper's claim: 1 is best; below, minima of the energy are not feasible; above, it is less smooth.
"""

from __future__ import annotations

from collections.abc import Sequence

from annealco.experiments.figures import LEARNERS, Cell, CellRow, Figure, cell, mean_and_deviation, select_cells
from annealco.experiments.run_folder import RunFolder, as_number, as_table
from annealco.plotting.style import COLOURS, label_axes, new_figure, write_picture

NAME, DATA, PROBLEM = "beta", "ba-small", "mds"
BETAS = (0.0, 0.25, 0.5, 0.75, 1.0, 2.0, 3.0, 5.0)


def cells(folder: RunFolder) -> list[Cell]:
    """Return the networks."""
    return [
        cell(folder, learner, PROBLEM, DATA, facts={"beta": beta, "seed": seed}, penalty_scale=beta)
        for seed in range(folder.scale.beta_seeds)
        for learner in LEARNERS
        for beta in BETAS
    ]


def draw(folder: RunFolder, rows: Sequence[CellRow]) -> None:
    """Write a panel for each network: means over seeds, and every seed as a point."""
    figure = new_figure(9.0, 4.0)
    for axes, learner, colour in zip(figure.subplots(1, 2), LEARNERS, COLOURS, strict=False):
        own = select_cells(rows, learner=learner.name)
        present = [beta for beta in BETAS if select_cells(own, beta=beta)]
        places = [BETAS.index(beta) for beta in present]
        found = [mean_and_deviation(select_cells(own, beta=beta)) for beta in present]
        axes.errorbar(places, [mean for mean, _ in found], [std for _, std in found], color=colour, capsize=3)
        points = [BETAS.index(row["beta"]) for row in own], [row["ratio"] for row in own]
        axes.scatter(*points, s=16, c=colour, alpha=0.6)
        axes.axvline(BETAS.index(1.0), color="#808080", linestyle=":", linewidth=1)
        axes.set_xticks(range(len(BETAS)), [f"{beta:g}" for beta in BETAS])
        label_axes(axes, title=f"dominating sets, BA-small: {learner.name}", x="penalty / critical penalty", y="ratio")
    write_picture(figure, folder.path / f"{NAME}.png")


def summarise(_folder: RunFolder | None, rows: Sequence[CellRow]) -> str:
    """Return a table of means over seeds, and where the best is."""
    lines, best = [], []
    for learner in LEARNERS:
        own = select_cells(rows, learner=learner.name)
        found = {
            beta: mean_and_deviation(select_cells(own, beta=beta)) for beta in BETAS if select_cells(own, beta=beta)
        }
        seeds = str(len({row["seed"] for row in own}))
        lines.append([learner.name, seeds, *(as_number(*found[beta]) if beta in found else "-" for beta in BETAS)])
        if found:
            best.append(f"{learner.name} is best at {max(found, key=lambda beta: found[beta][0]):g}")
    said = f"{', '.join(best)}; in the paper `erdos` is best at 1, and 0 gives ratios down to 0.3."
    return as_table(["network", "seeds", *(f"β = {beta:g}" for beta in BETAS)], lines) + f"\n\n{said}"


BETA = Figure(NAME, "Penalty against ratio", DATA, cells, draw, summarise)
