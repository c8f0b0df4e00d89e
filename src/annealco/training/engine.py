"""Lightning, set up: one process, many processes, many nodes.

Processes are started by Lightning itself, or before, by ``torchrun`` or SLURM. Its own checkpoints are off, because
they are pickles.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import torch
from lightning.fabric.plugins.environments.slurm import SLURMEnvironment
from lightning.fabric.plugins.environments.torchelastic import TorchElasticEnvironment
from lightning.pytorch import Callback, Trainer
from torch.multiprocessing.spawn import ProcessExitedException, ProcessRaisedException

from annealco.graph.errors import GraphFileError, InputError
from annealco.optional import require

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
