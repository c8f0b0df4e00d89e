"""Show how a run goes: a bar on a terminal; elsewhere a line an epoch, and a line a minute where epochs are long.

Draw a run: loss, energy, entropy, temperature and decoded ratio over the epochs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lightning.pytorch import Callback, Trainer
from torch import Tensor

from annealco.plotting.style import new_figure, write_picture
from annealco.terminal import in_words, say
from annealco.training.loop import AnnealedTraining, Run
from annealco.training.state import Row

SILENCE = 60.0
"""Seconds without a line after which a long epoch has one of its own."""


class ProgressBar(Callback):
    """Follow a run on stderr, in the first process."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._begun = self._said = 0.0
        self._first = 0
        self._bar: Any = None
        self._task: Any = None

    def on_train_start(self, trainer: Trainer, pl_module: AnnealedTraining) -> None:  # type: ignore[override]
        per_epoch = pl_module.batches.num_batches
        done = self.run.epoch * per_epoch + self.run.step
        self._begun = self._said = time.monotonic()
        self._first = done
        if trainer.is_global_zero and sys.stderr.isatty():
            self._bar = new_bar()
            self._bar.start()
            self._task = self._bar.add_task("", total=self.run.recipe.epochs * per_epoch, completed=done, numbers="")

    def on_train_batch_end(  # type: ignore[override]
        self, trainer: Trainer, pl_module: AnnealedTraining, outputs: dict[str, Tensor], *_rest: Any
    ) -> None:
        is_due = trainer.is_global_zero and time.monotonic() - self._said >= SILENCE
        if self._bar is None and not is_due:
            return
        loss, _, entropy, count = outputs["sums"].tolist()
        now: Row = {"loss": loss / count, "temperature": pl_module.temperature, "entropy": entropy / count}
        now["ratio"] = latest_ratio(self.run.history)
        name = f"epoch {self.run.epoch + 1}/{self.run.recipe.epochs}"
        if self._bar is not None:
            self._bar.update(self._task, advance=1, description=name, numbers=as_text(now))
        else:
            self._say(f"{name}  {as_text(now)}  {self._clock(pl_module)}")

    def _clock(self, pl_module: AnnealedTraining) -> str:
        """Tell how long this process has trained, and how long it will at that speed."""
        spent, done = time.monotonic() - self._begun, pl_module.number - self._first
        left = self.run.recipe.epochs * pl_module.batches.num_batches - pl_module.number
        return f"{in_words(spent)}, {in_words(spent / max(1, done) * left)} left"

    def _say(self, text: str) -> None:
        self._said = time.monotonic()
        say(text)

    def on_train_epoch_end(self, trainer: Trainer, _module: AnnealedTraining) -> None:  # type: ignore[override]
        if trainer.is_global_zero and self._bar is None and self.run.step == 0:
            row = self.run.history[-1]
            spent, left = row["seconds"] or 0.0, self.run.recipe.epochs - self.run.epoch
            clock = f"{in_words(spent)}, {in_words(spent / self.run.epoch * left)} left"
            self._say(f"epoch {self.run.epoch}/{self.run.recipe.epochs}  {as_text(row)}  {clock}")

    def on_train_end(self, _trainer: Trainer, _module: AnnealedTraining) -> None:  # type: ignore[override]
        self._close()

    def on_exception(self, _trainer: Trainer, _module: AnnealedTraining, _error: BaseException) -> None:  # type: ignore[override]
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def new_bar() -> Any:
    """Return a bar with epoch, numbers and the time that is left."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(None), TextColumn("{task.fields[numbers]}"))
    clocks = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    return Progress(*columns, *clocks, console=Console(stderr=True), redirect_stdout=False, redirect_stderr=False)


def latest_ratio(history: list[Row]) -> float | None:
    """Return the last ratio that was measured."""
    return next((row["ratio"] for row in reversed(history) if row["ratio"] is not None), None)


def as_text(row: Row) -> str:
    """Write the numbers that are shown.

    Example:
        >>> as_text({"loss": -12.345, "temperature": 0.5, "entropy": 3.0, "ratio": None})
        'loss -12.345  τ 0.5  entropy 3'
    """
    names = {"loss": "loss", "temperature": "τ", "entropy": "entropy", "ratio": "ratio"}
    return "  ".join(f"{short} {row[name]:.5g}" for name, short in names.items() if row[name] is not None)


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
