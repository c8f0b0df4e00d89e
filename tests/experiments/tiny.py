"""Experiments so small that a test can run them, and what of their rows must be the same every time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from annealco.experiments.figures import Figure, cell, select_cells
from annealco.experiments.networks import FIELD
from annealco.experiments.run_folder import RunFolder, as_table
from annealco.experiments.scale import SMOKE, Amount, Sample
from annealco.experiments.tables import Table
from annealco.plotting.style import new_figure, write_picture

TIMES = {"wall", "cpu", "budget", "trace"}

_LITTLE = {"field": Amount(3, 2, {"width": 4, "num_steps": 4}), "erdos": Amount(3, 1, {"width": 4})}
TINY = replace(
    SMOKE,
    name="tiny",
    table=_LITTLE,
    figure=_LITTLE,
    samples={"regular-small": Sample(2), "regular-large": Sample(1)},
    figure_sample=Sample(1),
    validation=1,
    moves=200,
    toy_seeds=2,
)

TINY_TABLE = Table(
    "mis", "A tiny table", ("regular-small", "regular-large"), ("greedy_fixed", "mean_field", "search"), (FIELD,)
)


def _draw(folder: RunFolder, rows: Any) -> None:
    figure = new_figure(2, 2)
    figure.add_subplot().plot([row["ratio"] for row in rows])
    write_picture(figure, folder.path / "tiny.png")


TINY_FIGURE = Figure(
    "tiny",
    "A tiny figure",
    "regular-small",
    lambda folder: [
        cell(folder, FIELD, "mis", "regular-small", facts={"tau0": first, "seed": 0}, tau0=first)
        for first in (0.0, 0.5, 1.0)
    ],
    _draw,
    lambda _folder, rows: as_table(["τ0"], [[str(row["tau0"])] for row in select_cells(rows, seed=0)]),
)


def rows_in(folder: Path, name: str = "rows.jsonl") -> list[dict[str, Any]]:
    """Return the rows of a run without their times."""
    text = (folder / name).read_text(encoding="utf-8")
    return [{key: value for key, value in json.loads(line).items() if key not in TIMES} for line in text.splitlines()]
