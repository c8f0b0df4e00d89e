"""Show how a run goes: progress on stderr while it trains, and a picture of it where it ends or is stopped.

On a terminal progress is a bar; elsewhere a line per epoch, and a line per minute where epochs are long.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import Tensor

from annealco.plotting import plot_training
from annealco.plotting.style import write_picture
from annealco.terminal import in_words, say
from annealco.training.state import EpochRow

SILENCE = 60.0
"""Seconds without a line after which a long epoch has one of its own."""


class Display:
    """Progress on stderr.

    Args:
        num_steps: of the whole run.
        done: steps that were done before.
        num_epochs: of the whole run.
        shown: whether to show anything.
    """

    def __init__(self, num_steps: int, done: int, num_epochs: int, *, shown: bool) -> None:
        self._num_steps, self._first, self._num_epochs, self._shown = num_steps, done, num_epochs, shown
        self._begun = self._said = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Display:
        self._begun = self._said = time.monotonic()
        if self._shown and sys.stderr.isatty():
            self._bar = new_bar()
            self._bar.start()
            self._task = self._bar.add_task("", total=self._num_steps, completed=self._first, numbers="")
        return self

    def __exit__(self, *_error: object) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def step(self, epoch: int, number: int, temperature: float, sums: Tensor, history: list[EpochRow]) -> None:
        """Show a step that is done, of the sums of loss, energy, entropy and number of graphs."""
        is_due = self._shown and time.monotonic() - self._said >= SILENCE
        if self._bar is None and not is_due:
            return
        loss, _, entropy, count = sums.tolist()
        now: EpochRow = {"loss": loss / max(count, 1), "temperature": temperature, "entropy": entropy / max(count, 1)}
        now["ratio"] = latest_ratio(history)
        name = f"epoch {epoch + 1}/{self._num_epochs}"
        if self._bar is not None:
            self._bar.update(self._task, completed=number, description=name, numbers=as_text(now))
            return
        spent = time.monotonic() - self._begun
        left = spent / max(1, number - self._first) * (self._num_steps - number)
        self._say(f"{name}  {as_text(now)}  {in_words(spent)}, {in_words(left)} left")

    def epoch(self, history: list[EpochRow]) -> None:
        """Show an epoch that is done."""
        if self._shown and self._bar is None:
            row, done = history[-1], len(history)
            spent = row["seconds"] or 0.0
            clock = f"{in_words(spent)}, {in_words(spent / done * (self._num_epochs - done))} left"
            self._say(f"epoch {done}/{self._num_epochs}  {as_text(row)}  {clock}")

    def _say(self, text: str) -> None:
        self._said = time.monotonic()
        say(text)


def new_bar() -> Any:
    """Return a bar with epoch, numbers and the time that is left."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(None), TextColumn("{task.fields[numbers]}"))
    clocks = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    return Progress(*columns, *clocks, console=Console(stderr=True), redirect_stdout=False, redirect_stderr=False)


def latest_ratio(history: list[EpochRow]) -> float | None:
    """Return the last ratio that was measured."""
    return next((row["ratio"] for row in reversed(history) if row["ratio"] is not None), None)


def as_text(row: EpochRow) -> str:
    """Write the numbers that are shown.

    Example:
        >>> as_text({"loss": -12.345, "temperature": 0.5, "entropy": 3.0, "ratio": None})
        'loss -12.345  τ 0.5  entropy 3'
    """
    names = {"loss": "loss", "temperature": "τ", "entropy": "entropy", "ratio": "ratio"}
    return "  ".join(f"{short} {row[name]:.5g}" for name, short in names.items() if row[name] is not None)


def draw_run(history: Sequence[EpochRow], path: Path, title: str) -> None:
    """Write what `annealco.plot_training` draws of a run, png, complete or not at all."""
    columns = {name: [row[name] for row in history] for name in history[0]}
    write_picture(plot_training(columns, title=title), path)
