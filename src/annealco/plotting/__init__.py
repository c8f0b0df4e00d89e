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

GREEDY = "greedy"
RATIOS = {"ratio": "the network", GREEDY: "greedy"}


def plot_training(history: History, *, title: str = "") -> Figure:
    """Draw a training over its epochs, counted from 1: loss and energy, temperature, entropy, decoded ratio.

    The loss is E[f] − τ H: as τ falls the second part vanishes, so that the loss may rise while the energy falls.

    Args:
        history: columns with an entry per epoch, as `TrainedModel.history` has them; None where nothing was measured.
            The column ``greedy``, the ratio of a greedy rule on the same graphs, may be missing.
        title: of the figure.

    Returns:
        A figure of matplotlib; notebooks show it, ``figure.savefig("run.png")`` writes it.

    Raises:
        InputError: where a column is missing, there is no epoch, or columns differ in length, and without matplotlib.

    Example:
        >>> columns = {"loss": [-3.0, -2.5], "energy": [-1.0, -2.0], "entropy": [4.0, 1.0], "temperature": [0.5, 0.1]}
        >>> len(plot_training(columns | {"ratio": [0.8, 0.9], "greedy": [0.7, 0.7]}).axes)
        4
    """
    check_drawing()
    from matplotlib.ticker import LogLocator, NullFormatter

    drawn = [name for name in (*NEEDED, GREEDY) if name in history]
    if drawn[: len(NEEDED)] != list(NEEDED) or {len(history[name]) for name in drawn} != {len(history["loss"]) or -1}:
        raise InputError(f"a history needs the columns {', '.join(NEEDED)} with an entry per epoch")
    figure = new_figure(9.0, 6.4)
    if title:
        figure.suptitle(title, fontsize=11)
    losses, temperatures, entropies, ratios = figure.subplots(2, 2).flat
    _draw(losses, history, {"loss": "loss  E[f] − τ H", "energy": "energy  E[f]"})
    label_axes(losses, title="loss and energy, mean of the training graphs", x="epoch", y="")
    _draw(temperatures, history, {"temperature": "τ"})
    label_axes(temperatures, title="temperature  τ", x="epoch", y="")
    temperature = [each for each in history["temperature"] if each is not None]
    if temperature and min(temperature) > 0:
        temperatures.set_yscale("log")
        temperatures.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        temperatures.yaxis.set_major_formatter("{x:g}")
        temperatures.yaxis.set_minor_formatter(NullFormatter())
    if temperature and temperature[0] > temperature[-1]:
        # Below the panel: wherever it stood inside, some run would be drawn through it.
        losses.set_xlabel("epoch\nThe loss may rise while the energy falls: as τ falls, τ H vanishes.")
    _draw(entropies, history, {"entropy": "H"})
    label_axes(entropies, title="entropy  H  of the probabilities", x="epoch", y="")
    _draw_ratios(ratios, history)
    losses.legend(fontsize=8)
    return figure


def _draw_ratios(axes: Axes, history: History) -> None:
    """Draw ratios to the best known values; without any there is nothing that 1 would stand for."""
    measured = {
        name: label for name, label in RATIOS.items() if any(each is not None for each in history.get(name, ()))
    }
    _draw(axes, history, measured)
    label_axes(axes, title="decoded sets of validation graphs", x="epoch", y="ratio to the best known")
    if measured:
        axes.axhline(1, color="k", linestyle=":", label="best known")
        axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3, frameon=False)
    else:
        axes.text(0.5, 0.5, "not measured yet", transform=axes.transAxes, ha="center", va="center", fontsize=9)


def _draw(axes: Axes, history: History, columns: Mapping[str, str]) -> None:
    """Draw columns over whole epochs, those that were measured."""
    from matplotlib.ticker import MaxNLocator

    for (name, label), colour, line in zip(columns.items(), COLOURS, ("-", "--"), strict=False):
        points = [(epoch, value) for epoch, value in enumerate(history[name], 1) if value is not None]
        if points:
            mark = "." if len(points) < 40 else None
            axes.plot(*zip(*points, strict=True), color=colour, linestyle=line, marker=mark, label=label)
    # From 1 and whole, for one epoch as for hundreds.
    num_epochs = len(history["loss"])
    ticks = MaxNLocator(integer=True, steps=[1, 2, 5, 10]).tick_values(0, num_epochs)
    axes.set_xticks(sorted({max(1, round(tick)) for tick in ticks if tick <= num_epochs}))
