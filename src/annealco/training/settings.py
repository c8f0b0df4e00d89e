"""What can be set for a run of training: name, type, default and help of every option, in one place.

`annealco.train`, the command line and the recipe of a run read it. It needs no PyTorch, so that ``annealco train
--help`` is quick.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from annealco.energy.schedules import SCHEDULES
from annealco.errors import InputError

AnnealBy = Literal["epoch", "step"]
First = float | Literal["auto", "unit"]
Last = float | Literal["auto"]

DEFAULT_MODEL = "field"
SAVE_SECONDS = 30.0
"""Time between two saves inside an epoch."""

LOSS_NAMES = ("energy", "kl", "run_csp", "l1", "l2")
"""Keys of `annealco.training.loss.LOSSES`, which needs PyTorch."""

MAX_SEED = 2**63 - 1
MOST = 2**16
"""Columns that a network runs on at once: more fit into no memory."""
LARGEST = 1e30
"""Numbers of a network are no larger."""
LARGEST_ENERGY = 1e15
"""Temperatures and penalties are no larger: the squares of gradients that follow from them must fit into float32."""

DECAY, DECAY_EPOCHS = 0.95, 5
"""The factor of ``decay``, and after how many epochs it comes again (Karalias and Loukas, 2020)."""

WARM_UP = 0.05
"""The part of the run in which ``cosine`` rises."""


def decay(step: int, num_steps: int, steps_an_epoch: int) -> float:  # noqa: ARG001 (all rates are called alike)
    """Fall by 5 % every five epochs.

    Example:
        >>> decay(49, 1000, 10), decay(50, 1000, 10)
        (1.0, 0.95)
    """
    return float(DECAY ** (step // (DECAY_EPOCHS * steps_an_epoch)))


def cosine(step: int, num_steps: int, steps_an_epoch: int) -> float:  # noqa: ARG001
    """Rise to 1 during the first twentieth of the run, then fall to 0 along half a cosine.

    Example:
        >>> [round(cosine(step, 100, 10), 3) for step in (0, 4, 5, 52, 99)]
        [0.2, 1.0, 1.0, 0.508, 0.0]
    """
    rise = max(1, round(WARM_UP * num_steps))
    if step < rise:
        return (step + 1) / rise
    return 0.5 * (1.0 + math.cos(math.pi * (step - rise) / max(1, num_steps - rise)))


def constant(step: int, num_steps: int, steps_an_epoch: int) -> float:  # noqa: ARG001
    """Stay."""
    return 1.0


RATES: dict[str, Callable[[int, int, int], float]] = {"decay": decay, "cosine": cosine, "constant": constant}
"""How the learning rate changes, as multiples of the one that was asked for: functions of the step, the number of all
steps, and the number of steps per epoch. They depend on nothing else, so that a resumed run goes on unchanged."""


@dataclass(frozen=True, kw_only=True)
class TrainSettings:
    """How to train. `annealco.train` explains the settings; two runs with the same settings give the same weights."""

    loss: str | None = field(
        default=None,
        metadata={"help": "Loss: energy, or kl, run_csp, l1, l2 of other authors.", "shown": "the model's"},
    )
    epochs: int = field(default=100, metadata={"help": "Passes over all graphs."})
    batch_size: int | None = field(
        default=None, metadata={"help": "Graphs per step, of all processes together.", "shown": "the model's"}
    )
    learning_rate: float | None = field(
        default=None, metadata={"help": "Learning rate of Adam.", "shown": "the model's"}
    )
    rate: str = field(default="cosine", metadata={"help": "How the learning rate changes: decay, cosine or constant."})
    clip: float = field(default=1.0, metadata={"help": "Largest norm of the gradient."})
    schedule: str = field(
        default="geometric", metadata={"help": "How the temperature falls; see 'annealco list schedules'."}
    )
    tau0: First = field(
        default="unit",
        metadata={"help": "First temperature: a number, unit, auto (the paper's), or 0 for no annealing."},
    )
    tau_last: Last = field(default="auto", metadata={"help": "Last temperature: a number or auto."})
    anneal_by: AnnealBy = field(default="step", metadata={"help": "Cool from epoch to epoch, or from step to step."})
    penalty_scale: float = field(default=1.0, metadata={"help": "Multiple of the critical penalty."})
    samples: int = field(default=1, metadata={"help": "Random features per graph and step."})
    validation_restarts: int = field(default=8, metadata={"help": "Proposals per validation graph; the best counts."})
    validate_every: int = field(default=1, metadata={"help": "Epochs between two validations."})
    early_stop: int | None = field(
        default=None, metadata={"help": "Validations without a better ratio that end the run.", "shown": "never"}
    )
    seed: int = field(default=0, metadata={"help": "Seed of weights, order and features."})

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "samples", "validation_restarts", "validate_every"):
            value = getattr(self, name)
            check_that(value is None or value >= 1, f"{_words(name)} must be at least 1", value)
        for name in ("samples", "validation_restarts"):
            check_that(getattr(self, name) <= MOST, f"{_words(name)} must be at most {MOST}", getattr(self, name))
        for name in ("learning_rate", "clip"):
            value, rule = getattr(self, name), f"{_words(name)} must be above 0 and at most {LARGEST:g}"
            check_that(value is None or 0 < value <= LARGEST, rule, value)
        rule = f"penalty scale must not be negative and at most {LARGEST_ENERGY:g}"
        check_that(0 <= self.penalty_scale <= LARGEST_ENERGY, rule, self.penalty_scale)
        check_seed("seed", self.seed)
        check_that(self.early_stop is None or self.early_stop >= 1, "early stop must be at least 1", self.early_stop)
        _choose("schedule", self.schedule, tuple(SCHEDULES))
        _choose("rate", self.rate, tuple(RATES))
        _choose("annealing by", self.anneal_by, get_args(AnnealBy))
        _choose("loss", self.loss, (None, *LOSS_NAMES))


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """Which graphs to train on."""

    num_graphs: int = field(
        default=2000, metadata={"help": "Number of training graphs; of files at most this many.", "name": "--graphs"}
    )
    num_validation: int = field(
        default=100, metadata={"help": "Number of validation graphs, likewise.", "name": "--validation-graphs"}
    )
    data_seed: int = field(default=0, metadata={"help": "Seed of drawn graphs and of the split of files."})


def check_seed(name: str, seed: int) -> None:
    """Raise an InputError for a seed that not everything takes that draws random numbers."""
    check_that(0 <= seed <= MAX_SEED, f"{name} must be 0 to {MAX_SEED}", seed)


def _words(name: str) -> str:
    return name.replace("_", " ")


def check_that(holds: bool, rule: str, value: Any) -> None:
    """Raise an InputError that states a rule and the value that breaks it."""
    if not holds:
        raise InputError(f"the {rule}, it is {value}")


def _choose(what: str, name: str | None, choices: tuple[str | None, ...]) -> None:
    if name not in choices:
        names = ", ".join(each for each in choices if each is not None)
        raise InputError(f"unknown {what} {name!r}; choose one of {names}")


DEFAULTS, DATA_DEFAULTS = TrainSettings(), DataSettings()
