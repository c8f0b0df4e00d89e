"""A run from its first step to its last: measured, logged, saved.

Lightning calls it around every batch and epoch. It knows where the run is, sets temperature and learning rate, decides
when to save, validates, and keeps the best network.
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning.pytorch import Callback, Trainer
from torch import Tensor

from annealco.graph.errors import InputError
from annealco.graph.formats.storage import store
from annealco.training.batches import Batch
from annealco.training.checkpoint import save_model
from annealco.training.engine import hush
from annealco.training.folder import LOG, remove_run
from annealco.training.interrupts import Interrupt
from annealco.training.module import AnnealedTraining
from annealco.training.recipe import Recipe
from annealco.training.state import COLUMNS, Row, State, save_state
from annealco.training.validation import Validation, reference_values

GO_ON, SAVE, STOP = 0, 1, 2


class Run(Callback):
    """The run that a `Trainer` makes.

    Args:
        recipe: of the run.
        validation: what networks are worth.
        out: its folder.
        state: where it begins.
        start: the first weights.
        save_seconds: time between two saves inside an epoch.
        replaces: files of another run in the folder, which are removed when this one is first saved: what does not get
            so far destroys nothing.

    Attributes:
        epoch: where it is.
        step: batches done in this epoch.
        history: a row for each epoch that is done.
        best: the best ratio and the epoch that reached it first.
        best_weights: of the latest network that had it, where it was seen since the run began or went on.
    """

    def __init__(
        self,
        recipe: Recipe,
        validation: Validation,
        out: Path,
        *,
        state: State,
        start: Tensor,
        save_seconds: float,
        replaces: Sequence[Path] = (),
    ) -> None:
        self.recipe = recipe
        self.validation = validation
        self.out = out
        self.start = start
        self.save_seconds = save_seconds
        self.replaces = replaces
        self.epoch, self.step = state.epoch, state.step
        self.history: list[Row] = list(state.history)
        self.best = state.best
        self.known = state.known
        self.best_weights: dict[str, Tensor] | None = None
        self.interrupt = Interrupt()
        self.finished = state.finished
        self._sums = torch.tensor(state.sums, dtype=torch.float64)
        self._before, self._cpu_before = state.seconds, state.cpu_seconds
        self._cpu_begun = time.process_time()
        self._begun = self._saved = time.monotonic()

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        # This is a process that Lightning has started.
        self.__dict__.update(attributes)
        hush()

    @property
    def seconds(self) -> float:
        """Time spent on the run, before and after it was resumed."""
        return self._before + time.monotonic() - self._begun

    @property
    def cpu_seconds(self) -> float:
        """Processor time spent on training, likewise."""
        return self._cpu_before + time.process_time() - self._cpu_begun

    def on_fit_start(self, trainer: Trainer, pl_module: AnnealedTraining) -> None:  # type: ignore[override]
        """Find the references, together with the other processes."""
        self._begun = self._saved = time.monotonic()
        if not self.interrupt.listens_here and trainer.world_size > 1:
            self.interrupt.listen()
        if trainer.global_rank != 0:
            # What was summed before is counted once; not in place, for the first process shares the memory.
            self._sums = torch.zeros_like(self._sums)
        if not self.known:
            drawn, graphs = self.validation.drawn, self.validation.graphs
            own = reference_values(drawn, graphs, share=pl_module.share, seed=self.recipe.seed)
            self.known = tuple(self._sum(trainer, torch.from_numpy(own)).tolist())
        self.validation.known = np.array(self.known)
        self._cpu_begun = time.process_time()

    def on_train_batch_start(self, trainer: Trainer, pl_module: AnnealedTraining, batch: Batch, _index: int) -> None:  # type: ignore[override]
        """Set the temperature and the learning rate of the step, and tell the network how far training has come."""
        if (batch.epoch, batch.number) != (self.epoch, self.step):
            raise RuntimeError(f"batch {batch.number} of epoch {batch.epoch} came at {self.step} of {self.epoch}")
        where = (self.epoch, self.step, pl_module.batches.num_batches)
        pl_module.temperature = self.recipe.temperature(*where)
        pl_module.number = self.epoch * pl_module.batches.num_batches + self.step
        pl_module.model.progress = pl_module.number / (self.recipe.epochs * pl_module.batches.num_batches)
        for group in trainer.optimizers[0].param_groups:
            group["lr"] = self.recipe.learning_rate_of(*where)

    def on_train_batch_end(  # type: ignore[override]
        self, trainer: Trainer, pl_module: AnnealedTraining, outputs: dict[str, Tensor], _batch: Batch, _index: int
    ) -> None:
        """Count the step, and save where it is time."""
        self._sums = self._sums.to(outputs["sums"].device) + outputs["sums"]
        self.step += 1
        if self.step == pl_module.batches.num_batches:
            # The end of the epoch follows, and saves.
            return
        order = self._order(trainer)
        if order != GO_ON:
            self._save(trainer, pl_module)
        if order == STOP:
            trainer.should_stop = True

    def on_train_epoch_end(self, trainer: Trainer, pl_module: AnnealedTraining) -> None:  # type: ignore[override]
        """Measure the epoch, keep the network if it is the best, and save."""
        if self.step < pl_module.batches.num_batches:
            # The user stopped it.
            return
        row = self._row(trainer, pl_module)
        if row["ratio"] is not None and (self.best is None or row["ratio"] >= self.best[0]):
            # Of equally good networks the latest is kept, but it is no progress.
            if self.best is None or row["ratio"] > self.best[0]:
                self.best = (row["ratio"], self.epoch)
            self._keep(trainer, pl_module, row)
        self.history.append(row)
        self.epoch, self.step = self.epoch + 1, 0
        self._sums = torch.zeros_like(self._sums)
        pl_module.batches.epoch, pl_module.batches.start = self.epoch, 0
        self.finished = self.epoch == self.recipe.epochs or self._is_stuck()
        stop = self.finished or self._order(trainer) == STOP
        self._save(trainer, pl_module)
        self._log(trainer, row)
        if stop:
            trainer.should_stop = True

    def _order(self, trainer: Trainer) -> int:
        """Return what to do now, as the first process decides it."""
        due = time.monotonic() - self._saved > self.save_seconds
        order = STOP if self.interrupt.noted else SAVE if due else GO_ON
        return order if trainer.world_size == 1 else int(trainer.strategy.broadcast(order))

    def _is_stuck(self) -> bool:
        if self.recipe.early_stop is None or self.best is None:
            return False
        since = self.history[self.best[1] + 1 :]
        return sum(row["ratio"] is not None for row in since) >= self.recipe.early_stop

    def _sum(self, trainer: Trainer, tensor: Tensor) -> Tensor:
        """Add up what the processes have."""
        if trainer.world_size == 1:
            return tensor
        total = trainer.strategy.reduce(tensor.to(trainer.strategy.root_device).clone(), reduce_op="sum")
        return total.cpu()

    def _row(self, trainer: Trainer, module: AnnealedTraining) -> Row:
        loss, energy, entropy, count = self._checked_sums(trainer)
        ratio, cpu_seconds = None, self.cpu_seconds
        if (self.epoch + 1) % self.recipe.validate_every == 0 or self.epoch + 1 == self.recipe.epochs:
            own = torch.tensor(self.validation.measure(module.model, module.share), dtype=torch.float64)
            ratio = self._sum(trainer, own).item() / self.validation.graphs.num_graphs
            self._cpu_begun += self.cpu_seconds - cpu_seconds
        return {
            "epoch": self.epoch,
            "loss": loss / count,
            "energy": energy / count,
            "entropy": entropy / count,
            "temperature": module.temperature,
            "learning_rate": trainer.optimizers[0].param_groups[0]["lr"],
            "distance": parameter_distance(self.start, flatten(module.model)),
            "ratio": ratio,
            "seconds": self.seconds,
            "cpu_seconds": cpu_seconds,
        }

    def _checked_sums(self, trainer: Trainer) -> list[float]:
        """Return the sums over all processes; a loss that is no number ends the run, and is neither kept nor saved."""
        sums: list[float] = self._sum(trainer, self._sums).tolist()
        if not np.isfinite(sums[0]):
            raise InputError(f"the loss became {sums[0]} in epoch {self.epoch}: a lower learning rate may help")
        return sums

    def _replace(self) -> None:
        """Remove the run that this one takes the place of."""
        remove_run(self.out, self.replaces)
        self.replaces = ()

    def _keep(self, trainer: Trainer, module: AnnealedTraining, row: Row) -> None:
        self.best_weights = {name: each.detach().cpu().clone() for name, each in module.model.state_dict().items()}
        if trainer.is_global_zero:
            self._replace()
            record = {"recipe": self.recipe.as_json(), "metrics": {**row, "seconds": None, "cpu_seconds": None}}
            save_model(self.out, module.model, problem=self.recipe.problem, record=record)

    def _save(self, trainer: Trainer, module: AnnealedTraining) -> None:
        sums = self._checked_sums(trainer)
        if trainer.is_global_zero:
            self._replace()
            state = State(
                epoch=self.epoch,
                step=self.step,
                sums=tuple(sums),
                history=tuple(self.history),
                best=self.best,
                known=self.known,
                finished=self.finished,
                seconds=self.seconds,
                cpu_seconds=self.cpu_seconds,
            )
            save_state(self.out, state.with_tensors(module.model, trainer.optimizers[0]), self.recipe)
        self._saved = time.monotonic()

    def _log(self, trainer: Trainer, row: Row) -> None:
        if trainer.is_global_zero:
            write_log(self.out, self.history)
            for logger in trainer.loggers:
                known: dict[str, Any] = {name: value for name, value in row.items() if value is not None}
                logger.log_metrics(known, step=self.epoch - 1)


def write_log(folder: Path, history: Sequence[Row]) -> None:
    """Write the table of a run into its folder."""
    store(folder / LOG, as_csv(history).encode())


def as_csv(history: Sequence[Row]) -> str:
    """Return a table with a row for each epoch; what was not measured is left empty."""
    text = io.StringIO()
    table = csv.DictWriter(text, tuple(COLUMNS), lineterminator="\n")
    table.writeheader()
    table.writerows(history)
    return text.getvalue()


def flatten(model: torch.nn.Module) -> Tensor:
    """Return all parameters as one vector, in float64."""
    return torch.cat([each.detach().cpu().double().flatten() for each in model.parameters()])


def parameter_distance(start: Tensor, now: Tensor) -> float:
    """Return ‖u − v‖₂ / ‖v‖₂ for parameters v before and u after, the paper's measure of how far training went.

    Example:
        >>> parameter_distance(torch.tensor([3.0, 4.0]), torch.tensor([3.0, 5.0]))
        0.2
    """
    size = start.norm().item()
    return (now - start).norm().item() / size if size else 0.0
