"""A run from its first step to its last: measured, logged, saved.

Lightning calls it around every batch and epoch. It knows where the run is, sets temperature and learning rate, decides
when to save, validates, and keeps the best network.

The step of annealed training, for Lightning to run.

For a batch of graphs the network gives Q_θ, and θ follows the gradient of

    L_τ(θ) = mean over graphs of  E_{Q_θ}[f] − τ H(Q_θ),

by default with f and τ in units of each graph (`annealco.training.recipe`).

Lightning, set up: one process, many processes, many nodes.

Processes are started by Lightning itself, or before, by ``torchrun`` or SLURM. Its own checkpoints are off, because
they are pickles.

Let Ctrl-C end training after the step it is in, and a second Ctrl-C at once.
"""

from __future__ import annotations

import csv
import io
import logging
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import torch
from lightning.fabric.plugins.environments.slurm import SLURMEnvironment
from lightning.fabric.plugins.environments.torchelastic import TorchElasticEnvironment
from lightning.pytorch import Callback, LightningModule, Trainer
from torch import Tensor
from torch.multiprocessing.spawn import ProcessExitedException, ProcessRaisedException

from annealco.errors import GraphFileError, InputError
from annealco.files import store
from annealco.models import Model
from annealco.optional import require
from annealco.training.checkpoint import save_model
from annealco.training.data import Batch, Batches, Share
from annealco.training.loss import LOSSES, entropy, free_energy
from annealco.training.recipe import Recipe, units
from annealco.training.state import COLUMNS, LOG, Row, State, remove_run, save_state
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


class AnnealedTraining(LightningModule):
    """A network, its loss and its optimizer.

    Attributes:
        model: the network.
        temperature: τ of the next step.
        number: the next step's number in the whole run, which all random numbers of the step are drawn from.
    """

    def __init__(self, model: Model, recipe: Recipe, batches: Batches, state: State | None = None) -> None:
        super().__init__()
        self.model = model
        self.recipe = recipe
        self.batches = batches
        self.state = state
        self.temperature = recipe.tau0
        self.number = 0

    def __reduce__(self) -> tuple[Any, ...]:
        # Networks may remember what they computed for a batch, which need not and often cannot travel to a process.
        parts = (type(self.model), self.model.settings, self.model.state_dict())
        return _from_parts, (*parts, self.recipe, self.batches, self.state)

    @property
    def share(self) -> Share:
        """Which of the processes this is."""
        return Share(self.trainer.global_rank, self.trainer.world_size)

    def training_step(self, batch: Batch, _index: int) -> dict[str, Tensor]:
        """Return the loss, and the sums over this process's graphs of loss, energy, entropy and 1."""
        features = self._draw_features(batch)
        energy = LOSSES[self.recipe.loss].of(batch.instance, self.recipe.penalty_scale)
        weights, outputs = zip(*self.model.outputs(batch.graph, batch.instance, features), strict=True)

        # L_τ = E_Q[f] − τ H(Q) of every graph, sample and output that the network learns from.
        logits = torch.stack(outputs, dim=2)
        unit = self._units(batch, logits)
        losses = free_energy(energy, logits, self.temperature * unit) / unit
        losses = losses @ losses.new_tensor(weights)

        counted = torch.as_tensor(batch.weight, device=self.device)
        total = (losses.mean(1) * counted).sum()
        # Lightning averages gradients over processes: what is summed here must be the share of the mean of all.
        loss = total * (self.share.world_size / batch.whole.num_graphs)
        return {"loss": loss, "sums": self._measure(batch, outputs[-1].detach(), counted, total.detach())}

    def _units(self, batch: Batch, logits: Tensor) -> float | Tensor:
        """Return what temperature and loss of each graph are counted in: 1, or [num_graphs, 1, 1]."""
        return logits.new_tensor(units(batch.instance))[:, None, None] if self.recipe.in_units else 1.0

    def _draw_features(self, batch: Batch) -> Tensor:
        """Draw features for the whole batch, and return those of this process's nodes."""
        seed = step_seed(self.recipe.seed, self.number)
        # For whatever else a network draws: the same in every process.
        torch.manual_seed(seed)
        features = self.model.draw_features(batch.whole, self.recipe.samples, torch.Generator().manual_seed(seed))
        return features[batch.nodes].to(self.device)

    def _measure(self, batch: Batch, logits: Tensor, counted: Tensor, loss: Tensor) -> Tensor:
        energy = batch.instance.energy(self.recipe.penalty_scale)
        with torch.no_grad():
            means = [each.mean(1) for each in (energy.expectation(logits), entropy(energy.node_ptr, logits))]
            return torch.stack([loss, *((each * counted).sum() for each in means), counted.sum()]).double()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Return Adam, where it was if the run is resumed."""
        optimizer = torch.optim.Adam(self.model.parameters(), lr=self.recipe.learning_rate)
        if self.state is not None:
            self.state.restore(self.model, optimizer)
        return optimizer

    def train_dataloader(self) -> Batches:
        """Return the batches; Lightning asks when it knows which process this is."""
        self.batches.share = self.share
        return self.batches

    def transfer_batch_to_device(self, batch: Batch, _device: torch.device, _dataloader_idx: int) -> Batch:
        """Return the batch: its arrays go where logits are when they are first used."""
        return batch


def _from_parts(
    kind: Callable[..., Model], settings: dict[str, Any], weights: dict[str, Tensor], *rest: Any
) -> AnnealedTraining:
    model = kind(**settings)
    model.load_state_dict(weights)
    return AnnealedTraining(model, *rest)


def step_seed(seed: int, number: int) -> int:
    """Return the seed of a step; those of different runs and steps are unrelated."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0] >> 1)


Accelerator = Literal["auto", "cpu", "gpu"]

LOGGERS = (
    "lightning",
    "lightning.fabric",
    "lightning.pytorch",
    "lightning.pytorch.utilities.rank_zero",
    "torch.multiprocessing.spawn",
)
"""Who tells what Lightning found on the machine, when it begins and ends, and which processes it ends."""

GOING_ON = "the same command with --resume goes on from what was saved"

MOST_DEVICES = 1024
"""Processes that one machine can be asked for."""


def started_outside() -> bool:
    """Tell whether torchrun or SLURM started this process as one of several."""
    return TorchElasticEnvironment.detect() or SLURMEnvironment.detect()


def outside_rank() -> int:
    """Return the number of this process among those that were started outside, 0 for one alone."""
    if TorchElasticEnvironment.detect():
        return int(os.environ["RANK"])
    return int(os.environ.get("SLURM_PROCID", "0")) if SLURMEnvironment.detect() else 0


@dataclass(frozen=True)
class Machine:
    """What to train on.

    Attributes:
        accelerator: ``cpu``, ``gpu``, or ``auto`` for a GPU where there is one.
        devices: processes on each machine.
        num_nodes: machines.
        tensorboard: whether to log for TensorBoard.
    """

    accelerator: str = "auto"
    devices: int = 1
    num_nodes: int = 1
    tensorboard: bool = False

    def __post_init__(self) -> None:
        choices = get_args(Accelerator)
        if self.accelerator not in choices:
            raise InputError(f"unknown accelerator {self.accelerator!r}; choose one of {', '.join(choices)}")
        if not 1 <= self.devices <= MOST_DEVICES:
            raise InputError(f"devices must be at least 1 and at most {MOST_DEVICES}, they are {self.devices}")
        if self.num_nodes < 1:
            raise InputError(f"nodes must be at least 1, they are {self.num_nodes}")
        if self.gpu and self.devices > torch.cuda.device_count():
            raise InputError(f"{self.devices} GPUs are asked for, there are {torch.cuda.device_count()}")
        if self.num_nodes > 1 and not started_outside() and "NODE_RANK" not in os.environ:
            raise InputError("several nodes need torchrun or SLURM, one command on each (see docs/training.md)")
        started, asked = os.environ.get("WORLD_SIZE"), self.devices * self.num_nodes
        if TorchElasticEnvironment.detect() and started != str(asked):
            rule = f"{self.devices} devices on {self.num_nodes} nodes are {asked}"
            raise InputError(f"torchrun started {started} processes, but {rule}: --devices and --num-nodes must agree")
        if self.tensorboard:
            require("a TensorBoard log", "tensorboard")

    @property
    def gpu(self) -> bool:
        """Whether GPUs do the work."""
        return self.accelerator == "gpu" or (self.accelerator == "auto" and torch.cuda.is_available())

    def trainer(self, callbacks: Sequence[Callback], *, epochs: int, clip: float, logs: Path) -> Trainer:
        """Return a trainer that does what it is told and nothing else."""
        many = self.devices * self.num_nodes > 1
        # Processes that Lightning starts by itself are spawned: they call nothing of the user's program again.
        strategy = "auto" if not many else "ddp" if started_outside() else "ddp_spawn"
        slurm: list[Any] | None = [SLURMEnvironment(auto_requeue=False)] if SLURMEnvironment.detect() and many else None
        return Trainer(
            accelerator="gpu" if self.gpu else "cpu",
            devices=self.devices,
            num_nodes=self.num_nodes,
            strategy=strategy,
            plugins=slurm,
            callbacks=list(callbacks),
            max_epochs=epochs,
            gradient_clip_val=clip,
            logger=_tensorboard(logs) if self.tensorboard else False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            use_distributed_sampler=False,
        )


def _tensorboard(folder: Path) -> Any:
    from lightning.pytorch.loggers import TensorBoardLogger

    return TensorBoardLogger(folder.parent, name=folder.name, version="", default_hp_metric=False)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Lightning silent about the machine, and the caller's random numbers as they were."""
    levels = {name: logging.getLogger(name).level for name in LOGGERS}
    with warnings.catch_warnings(), torch.random.fork_rng():
        hush()
        try:
            yield
        finally:
            for name, level in levels.items():
                logging.getLogger(name).setLevel(level)


@contextmanager
def worker_errors() -> Iterator[None]:
    """Say in one line why a process that Lightning started has ended; of its error only the text comes back."""
    try:
        yield
    except ProcessRaisedException as error:
        last = error.msg.strip().splitlines()[-1]
        kind, _, message = last.partition(": ")
        if kind.rpartition(".")[2] in {InputError.__name__, GraphFileError.__name__}:
            raise InputError(message) from None
        raise ChildProcessError(f"a process of the run failed: {last}; {GOING_ON}") from error
    except ProcessExitedException as error:
        how = f"exit status {error.exit_code}" if error.signal_name is None else error.signal_name
        raise ChildProcessError(f"a process of the run was ended by {how}; {GOING_ON}") from error


def hush() -> None:
    """Keep Lightning silent for as long as this process lives."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module=r"lightning\..*")
    warnings.filterwarnings("ignore", message=".*(num_workers|IterableDataset|LeafSpec|srun).*")


class Interrupt:
    """Whether the user asked to stop.

    Attributes:
        noted: whether they did.
    """

    def __init__(self) -> None:
        self.noted = False
        self._process = 0

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Note interrupts in this block; only the main thread can hear them."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = self.listen()
        try:
            yield
        finally:
            self._process = 0
            signal.signal(signal.SIGINT, before)

    def listen(self) -> Any:
        """Note interrupts from now on, and return who heard of them before."""
        self._process = os.getpid()
        return signal.signal(signal.SIGINT, self._handle)

    @property
    def listens_here(self) -> bool:
        """Whether this is the process that listens, and not one that it started."""
        return self._process == os.getpid()

    def _handle(self, _signal: int, _frame: Any) -> None:
        if self.noted:
            raise KeyboardInterrupt
        self.noted = True
