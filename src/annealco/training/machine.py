"""What training runs on: one process or many, on one machine or several, and how they are stopped.

Processes are started here (spawned, so that they call nothing of the user's program again), or before, by ``torchrun``
or SLURM. Ctrl-C ends training after the step it is in, a second Ctrl-C immediately.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch
from lightning_fabric import Fabric
from lightning_fabric.plugins.environments.slurm import SLURMEnvironment
from lightning_fabric.plugins.environments.torchelastic import TorchElasticEnvironment
from torch.multiprocessing.spawn import ProcessExitedException, ProcessRaisedException

from annealco.errors import GraphFileError, InputError
from annealco.optional import require

Accelerator = Literal["auto", "cpu", "gpu"]

LOGGERS = ("lightning_fabric", "lightning_fabric.utilities.rank_zero", "torch.multiprocessing.spawn")
"""Who tells what Fabric found on the machine, when processes begin and end, and which it ends."""

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
        compiled: whether the compiled core runs networks that it knows, on the processor; PyTorch otherwise.
    """

    accelerator: str = "auto"
    devices: int = 1
    num_nodes: int = 1
    tensorboard: bool = False
    compiled: bool = True

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

    def fabric(self) -> Fabric:
        """Return Fabric for as many processes."""
        many = self.devices * self.num_nodes > 1
        slurm: list[Any] | None = [SLURMEnvironment(auto_requeue=False)] if SLURMEnvironment.detect() and many else None
        return Fabric(
            accelerator="gpu" if self.gpu else "cpu",
            devices=self.devices,
            num_nodes=self.num_nodes,
            strategy="auto" if not many else "ddp" if started_outside() else "ddp_spawn",
            plugins=slurm,
        )


class Launched:
    """A function and its argument, for Fabric to call in every process.

    It is not handed over as an argument, in which Fabric would look for modules and refuse frozen data. Where it
    arrives in another process, it silences Fabric, which speaks there before it calls.
    """

    def __init__(self, function: Callable[[Fabric, Any], Any], argument: Any) -> None:
        self.function, self.argument = function, argument

    def __call__(self, fabric: Fabric) -> Any:
        try:
            return self.function(fabric, self.argument)
        finally:
            # A process that ends while threads of the group still run is aborted.
            if torch.distributed.is_initialized() and not started_outside():
                torch.distributed.destroy_process_group()

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)
        hush()


def hush() -> None:
    """Keep Fabric silent for as long as this process lives."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module=r"lightning_fabric\..*")
    warnings.filterwarnings("ignore", message=".*(srun|CUDA initialization).*")


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Fabric silent about the machine, and the caller's random numbers as they were."""
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
    """Say in one line why a process that was started here has ended; of its error only the text comes back."""
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
        self._process = os.getpid()
        before = signal.signal(signal.SIGINT, self._handle)
        try:
            yield
        finally:
            self._process = 0
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def listening_in(self, fabric: Fabric) -> Iterator[None]:
        """Note interrupts in this block too where it runs in a process that another one started."""
        if self.listens_here or fabric.world_size == 1:
            yield
            return
        with self.listening():
            yield

    @property
    def listens_here(self) -> bool:
        """Whether this is the process that listens, and not one that it started."""
        return self._process == os.getpid()

    def _handle(self, _signal: int, _frame: Any) -> None:
        if self.noted:
            raise KeyboardInterrupt
        self.noted = True
