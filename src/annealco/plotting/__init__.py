"""Pictures of trainings and of solutions, and the style of all pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from annealco.errors import InputError
from annealco.plotting.style import COLOURS, check_drawing, label_axes, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_training"]

History = Mapping[str, Sequence[float | None]]

NEEDED = ("loss", "energy", "entropy", "temperature", "ratio")
"""Columns of a history that are drawn."""


def plot_training(history: History, *, greedy: float | None = None, title: str = "") -> Figure:
    """Draw a training over its epochs, counted from 1: loss and energy, temperature, entropy, decoded ratio.

    The loss is E[f] − τ H: as τ falls the second part vanishes, so that the loss may rise while the energy falls.

    Args:
        history: columns with an entry per epoch, as `TrainedModel.history` has them; None where nothing was measured.
        greedy: ratio of a greedy rule on the same graphs, drawn as a line to beat; the best known value is at 1.
        title: of the figure.

    Returns:
        A figure of matplotlib; notebooks show it, ``figure.savefig("run.png")`` writes it.

    Raises:
        InputError: where a column is missing or there is no epoch, and without matplotlib.

    Example:
        >>> columns = {"loss": [-3.0, -2.5], "energy": [-1.0, -2.0], "entropy": [4.0, 1.0], "temperature": [0.5, 0.1]}
        >>> len(plot_training(columns | {"ratio": [0.8, 0.9]}).axes)
        4
    """
    check_drawing()
    missing = [name for name in NEEDED if name not in history]
    if missing or not len(history[NEEDED[0]]):
        raise InputError(f"a history needs the columns {', '.join(NEEDED)} with an entry per epoch")
    figure = new_figure(9.0, 6.0)
    if title:
        figure.suptitle(title, fontsize=11)
    losses, temperatures, entropies, ratios = figure.subplots(2, 2, sharex=True).flat
    _draw(losses, history, {"loss": "loss  E[f] − τ H", "energy": "energy  E[f]"}, "what is lowered")
    losses.annotate("τ H shrinks as τ falls: the loss may rise", (0.98, 0.97), xycoords="axes fraction", fontsize=7)
    losses.texts[-1].set(ha="right", va="top")
    _draw(temperatures, history, {"temperature": "τ"}, "temperature")
    if all(each is not None and each > 0 for each in history["temperature"]):
        temperatures.set_yscale("log")
    _draw(entropies, history, {"entropy": "H"}, "entropy")
    _draw(ratios, history, {"ratio": "network, decoded"}, "ratio on validation graphs")
    ratios.axhline(1, color="k", linestyle="--", linewidth=1, label="best known")
    if greedy is not None:
        ratios.axhline(greedy, color=COLOURS[2], linestyle=":", linewidth=1.5, label="greedy")
    ratios.legend(fontsize=8)
    return figure


def _draw(axes: Axes, history: History, columns: Mapping[str, str], title: str) -> None:
    """Draw columns over whole epochs, those that were measured."""
    from matplotlib.ticker import MaxNLocator

    for (name, label), colour in zip(columns.items(), COLOURS, strict=False):
        points = [(epoch, value) for epoch, value in enumerate(history[name], 1) if value is not None]
        if points:
            mark = "." if len(points) < 40 else None
            axes.plot(*zip(*points, strict=True), color=colour, marker=mark, label=label)
    label_axes(axes, title=title, x="epoch", y="")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if len(columns) > 1:
        axes.legend(fontsize=8, loc="lower left")
