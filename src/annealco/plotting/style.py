"""The style that all pictures share: colours, labels of axes, and writing to a file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from annealco.files import file_errors, store
from annealco.optional import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Colours that people with any kind of colour blindness can tell apart (Okabe and Ito), and marks for those who print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#000000")
MARKS = ("o", "s", "^", "D", "v", "x")


def check_drawing() -> None:
    """Raise where no picture can be drawn, before any work is done for it."""
    require("a picture", "matplotlib")


def new_figure(wide: float, high: float) -> Figure:
    """Return an empty figure, inches wide and high."""
    # Without pyplot there is no window system to look for.
    from matplotlib.figure import Figure

    return Figure(figsize=(wide, high), layout="constrained")


def label_axes(axes: Axes, *, title: str, x: str, y: str) -> None:
    """Set the title and axis labels of a panel, and draw a grid."""
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(x, fontsize=9)
    axes.set_ylabel(y, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.3)


def write_picture(figure: Figure, path: Path) -> None:
    """Write a png, complete or not at all; one figure makes one sequence of bytes."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=150)
    with file_errors(path, "written"):
        store(path, content.getvalue())
