"""Show how a run goes: a bar on a terminal, a line an epoch elsewhere."""

from __future__ import annotations

import sys
from typing import Any

from lightning.pytorch import Callback, Trainer
from torch import Tensor

from annealco.terminal import in_words, say
from annealco.training.module import AnnealedTraining
from annealco.training.run import Run
from annealco.training.state import Row


class ProgressBar(Callback):
    """Follow a run on stderr, in the first process."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._bar: Any = None
        self._task: Any = None

    def on_train_start(self, trainer: Trainer, pl_module: AnnealedTraining) -> None:  # type: ignore[override]
        if trainer.is_global_zero and sys.stderr.isatty():
            per_epoch = pl_module.batches.num_batches
            self._bar = new_bar()
            self._bar.start()
            done = self.run.epoch * per_epoch + self.run.step
            self._task = self._bar.add_task("", total=self.run.recipe.epochs * per_epoch, completed=done, numbers="")

    def on_train_batch_end(  # type: ignore[override]
        self, _trainer: Trainer, pl_module: AnnealedTraining, outputs: dict[str, Tensor], *_rest: Any
    ) -> None:
        if self._bar is None:
            return
        loss, _, entropy, count = outputs["sums"].tolist()
        now: Row = {"loss": loss / count, "temperature": pl_module.temperature, "entropy": entropy / count}
        now["ratio"] = latest_ratio(self.run.history)
        name = f"epoch {self.run.epoch + 1}/{self.run.recipe.epochs}"
        self._bar.update(self._task, advance=1, description=name, numbers=as_text(now))

    def on_train_epoch_end(self, trainer: Trainer, _module: AnnealedTraining) -> None:  # type: ignore[override]
        if trainer.is_global_zero and self._bar is None and self.run.step == 0:
            row = self.run.history[-1]
            spent, left = row["seconds"] or 0.0, self.run.recipe.epochs - self.run.epoch
            clock = f"{in_words(spent)}, {in_words(spent / self.run.epoch * left)} left"
            say(f"epoch {self.run.epoch}/{self.run.recipe.epochs}  {as_text(row)}  {clock}")

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
