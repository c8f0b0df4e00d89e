"""Draw the pictures of the README, and write its tables, from rows that are committed.

python benchmarks/first_page.py

The rows of the comparison are those of

    annealco bench mis --data SET --limit 10 --time-limit 1 --methods networkx,cp_sat,online_mis,chils,search \
        --out benchmarks/results/compared

for SET rb-large, ba-small and twitter (extras `exact` and `peers`, and ANNEALCO_DATA for twitter); those of the
networks are benchmarks/results/model_quality.jsonl and train_quality.jsonl, and docs/results/mis/rows.jsonl.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from json_lines import Row, read_lines
from matplotlib.axes import Axes
from results_page import unpacked, with_part

from annealco.arrays import FloatArray
from annealco.cli.browser_app import queens
from annealco.evaluation.bench.entries import parts_of_label
from annealco.plotting.style import COLOURS, label_axes, new_figure, write_picture
from annealco.problems import PROBLEMS
from annealco.search.decode import decode
from annealco.search.greedy import updated
from annealco.search.mean_field import as_temperatures, mean_field_annealing

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
RESULTS = ROOT / "benchmarks" / "results"

SIDE, SWEEPS, SHARES = 8, 1000, (0.1, 0.45, 1.0)
"""Squares of a side of the board, sweeps of annealing, and after which share of them it is drawn."""

SETS = {
    "rb-large": "RB-large, hard, about 1,000 nodes",
    "ba-small": "BA-small, scale-free, about 250 nodes",
    "twitter": "Twitter, real, about 130 nodes",
}
METHODS = {
    "networkx": "networkx",
    "cp_sat": "CP-SAT",
    "online_mis": "KaMIS",
    "chils": "CHILS",
    "search": "**annealco**",
}
CELLS = {
    "mis rb-small": "independent set, RB-small",
    "mis twitter": "independent set, Twitter",
    "clique rb-small-complement": "clique, complements of RB-small",
    "mds ba-small": "dominating set, BA-small",
}
"""Cells of the paper's tables that the README shows."""


def main() -> None:
    """Draw and write all of it."""
    PICTURES.mkdir(exist_ok=True)
    draw_queens(PICTURES / "queens.png")
    draw_results(PICTURES / "ratio-time.png")
    readme = ROOT / "README.md"
    readme.write_text(filled(readme.read_text(encoding="utf-8")), encoding="utf-8")


def filled(text: str) -> str:
    """Return the README with its tables."""
    return with_part(with_part(text, "compared", comparison()), "networks", networks())


def comparison() -> str:
    """Return the table of methods on three kinds of graphs."""
    rows = read_lines(RESULTS / "compared" / "rows.jsonl")
    lines = [f"| graphs | {' | '.join(METHODS.values())} |", f"|---|{'---|' * len(METHODS)}"]
    for name, title in SETS.items():
        cells = [_cell([row for row in rows if (row["data"], row["method"]) == (name, each)]) for each in METHODS]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(rows: list[Row]) -> str:
    if not rows:
        return "-"
    return f"{_ratio(rows):.3f} in {_seconds(fmean(row['cpu'] for row in rows))}"


def _ratio(rows: Iterable[Row]) -> float:
    return fmean((row["value"] or 0) / row["reference"] for row in rows)


def _seconds(value: float) -> str:
    return f"{value:.1g} s" if value < 0.095 else f"{value:.2f} s" if value < 1 else f"{value:.1f} s"


def networks() -> str:
    """Return the table of the paper's numbers beside our networks and search."""
    rows = read_lines(RESULTS / "model_quality.jsonl")
    lines = ["| problem and graphs | the paper | network of the package | search |", "|---|---|---|---|"]
    for cell, title in CELLS.items():
        network, search = (_last(rows, cell, kind) for kind in ("shipped", "search"))
        paper = network["paper"]
        given = [f"{paper['mean']:.3f} in {_seconds(paper['seconds'])}"]
        given += [f"{each['ratio']:.3f} in {_seconds(each['cpu'])}" for each in (network, search)]
        lines.append(f"| {title} | {' | '.join(given)} |")
    return "\n".join(lines)


def _last(rows: list[Row], cell: str, kind: str) -> Row:
    """Return the newest row of a kind: a network that was trained anew has rows behind those of the old one."""
    return [row for row in rows if (row["cell"], row["kind"]) == (cell, kind)][-1]


def draw_queens(path: Path) -> None:
    """Draw what greedy finds on a board, and the probabilities of annealing at falling temperatures."""
    instance = PROBLEMS["mis"].declare(queens(SIDE).graph)
    schedule = as_temperatures(instance, None, SWEEPS, 1.0)
    greedy = updated(instance)
    figure = new_figure(13.0, 3.7)
    panels = figure.subplots(1, 1 + len(SHARES))
    _draw_board(panels[0], greedy.astype(float), greedy, f"greedy: {greedy.sum()} queens")
    for axes, share in zip(panels[1:], SHARES, strict=True):
        # The same seed takes the same steps: after the first sweeps it is where the whole run is by then.
        probability = mean_field_annealing(instance, schedule=schedule[: round(share * SWEEPS)])
        found = decode(instance, probability) if share == SHARES[-1] else None
        title = f"annealing, τ = {schedule[round(share * SWEEPS) - 1, 0]:.2g}"
        shown = _draw_board(axes, probability, found, title + (f": {found.sum()} queens" if found is not None else ""))
    figure.colorbar(shown, ax=panels, label="probability of a queen", shrink=0.85)
    write_picture(figure, path)


def _draw_board(axes: Axes, probability: FloatArray, chosen: FloatArray | None, title: str) -> Any:
    shown = axes.imshow(probability.reshape(SIDE, SIDE), cmap="YlOrBr", vmin=0, vmax=1)
    for place in [] if chosen is None else np.flatnonzero(chosen):
        axes.text(place % SIDE, place // SIDE, "♛", ha="center", va="center", fontsize=17, color="w")
    axes.set_xticks(np.arange(SIDE + 1) - 0.5, [])
    axes.set_yticks(np.arange(SIDE + 1) - 0.5, [])
    axes.grid(color="#909090", linewidth=0.6)
    axes.tick_params(length=0)
    axes.set_title(title, fontsize=11)
    return shown


def draw_results(path: Path) -> None:
    """Draw ratio against time on RB-small, and what annealing is worth at equal training time."""
    figure = new_figure(12.0, 4.6)
    left, right = figure.subplots(1, 2, width_ratios=[2, 1])
    _draw_times(left)
    _draw_annealing(right)
    write_picture(figure, path)


def _draw_times(axes: Axes) -> None:
    rows = unpacked(read_lines(ROOT / "docs" / "results" / "mis" / "rows.jsonl"))
    quality = read_lines(RESULTS / "model_quality.jsonl")
    shown = {
        "greedy": ("greedy", COLOURS[5], (8, -3)),
        "mean_field": ("mean-field annealing", COLOURS[5], (8, -8)),
        "cp_sat": ("CP-SAT, 0.5 s", COLOURS[5], (8, -3)),
        "gurobi": ("Gurobi", COLOURS[5], (-42, -14)),
        "erdos-kl-rb-small": ("Erdős goes neural", COLOURS[2], (-60, 8)),
        "run_csp-rb-small": ("RUN-CSP", COLOURS[2], (-20, 9)),
        "erdos-rb-small": ("the paper's network, trained here", COLOURS[3], (-150, -12)),
    }
    small = [row for row in rows if row["data"] == "rb-small"]
    for name, (title, colour, offset) in shown.items():
        of_it = [row for row in small if _is_of(row, name)]
        _point(axes, (fmean(row["cpu"] for row in of_it), _ratio(of_it)), title, colour, offset)
    network, long, search = (_last(quality, "mis rb-small", kind) for kind in ("shipped", "network", "search"))
    axes.plot([network["cpu"], long["cpu"]], [network["ratio"], long["ratio"]], color=COLOURS[0], zorder=1)
    _point(axes, (network["cpu"], network["ratio"]), "network of the package", COLOURS[0], (9, -4))
    _point(axes, (long["cpu"], long["ratio"]), "longer runs of it", COLOURS[0], (-40, -15))
    _point(axes, (search["cpu"], search["ratio"]), "search", COLOURS[1], (9, 6))
    paper = network["paper"]
    _point(axes, (paper["seconds"], paper["mean"]), "the paper, as published (GPU)", COLOURS[3], (9, -4), hollow=True)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_ylim(0.74, 1.025)
    title = "Maximum independent set, RB-small: 50 to 100 test graphs"
    label_axes(axes, title=title, x="CPU seconds per graph", y="mean ratio to the optimum")


def _is_of(row: Row, name: str) -> bool:
    """Tell whether a row is of a method, or of a network as it is used by default."""
    label = parts_of_label(row["method"])
    return not label.usage and name == (label.network or label.way)


def _point(
    axes: Axes, at: tuple[float, float], text: str, colour: str, offset: tuple[float, float], *, hollow: bool = False
) -> None:
    axes.scatter([at[0]], [at[1]], s=46, c="white" if hollow else colour, edgecolors=colour, linewidths=1.5, zorder=3)
    axes.annotate(text, at, xytext=offset, textcoords="offset points", fontsize=8, color=colour)


def _draw_annealing(axes: Axes) -> None:
    rows = [row for row in read_lines(RESULTS / "train_quality.jsonl") if "steps 64" in row]
    ways = {
        "field annealed": "annealed",
        "field τ=0": "not annealed\n(τ = 0)",
        "field KL": "loss of Karalias\nand Loukas",
    }
    for place, name in enumerate(ways):
        values = [row["steps 64"]["best"] for row in rows if row["row"] == name]
        axes.bar(place, fmean(values), color=COLOURS[0] if place == 0 else "#B0B0B0", width=0.6)
        axes.scatter([place] * len(values), values, c="k", s=10, zorder=3)
        axes.text(place, max(values) + 0.015, f"{fmean(values):.3f}", ha="center", fontsize=9)
    axes.set_ylim(0, 1.05)
    title = "One network, 320 CPU s of training, 3 seeds"
    label_axes(axes, title=title, x="", y="mean ratio, best of 8, no search")
    axes.set_xticks(range(len(ways)), ways.values())


if __name__ == "__main__":
    main()
