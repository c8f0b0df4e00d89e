"""Draw a run: loss, energy, entropy, temperature and decoded ratio over the epochs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from annealco.pictures import new_figure, write_picture
from annealco.training.state import Row

PANELS = {
    "loss": ("loss  E[f] − τ H", "#0072B2"),
    "energy": ("energy  E[f]", "#0072B2"),
    "entropy": ("entropy  H", "#009E73"),
    "temperature": ("temperature  τ", "#D55E00"),
    "ratio": ("decoded ratio", "#CC79A7"),
    "distance": ("parameter distance", "#000000"),
}
"""What is drawn, its title, and a colour that people with any kind of colour blindness can tell apart."""


def draw_run(history: Sequence[Row], path: Path, title: str) -> None:
    """Write a picture of a run, png, complete or not at all."""
    figure = new_figure(10.0, 5.5)
    figure.suptitle(title)
    for axes, (name, (label, colour)) in zip(figure.subplots(2, 3).flat, PANELS.items(), strict=True):
        points = [(row["epoch"], row[name]) for row in history if row[name] is not None]
        axes.plot(*zip(*points, strict=True), color=colour, marker="." if len(points) < 40 else None)
        axes.set_title(label, fontsize=9)
        axes.tick_params(labelsize=8)
        axes.grid(alpha=0.3)
        if name == "temperature" and all(value is not None and value > 0 for _, value in points):
            axes.set_yscale("log")
    figure.supxlabel("epoch", fontsize=9)
    write_picture(figure, path)
