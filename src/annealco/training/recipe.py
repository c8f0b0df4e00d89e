"""All that decides what a run of training gives, checked and written beside its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from annealco.energy.schedules import LAST_TEMPERATURE, SCHEDULES, Schedule, cooling
from annealco.graph.errors import InputError
from annealco.training.learning_rate import RATES
from annealco.training.losses import LOSSES

AnnealBy = Literal["epoch", "step"]
MAX_SEED = 2**63 - 1
MOST = 2**16
"""Columns that a network runs on at once: more fit into no memory."""
LARGEST = 1e30
"""Numbers of a network are no larger."""
LARGEST_ENERGY = 1e15
"""Temperatures and penalties are no larger: the squares of gradients that follow from them must fit into float32."""


@dataclass(frozen=True)
class Recipe:
    """How to train; `train` tells what each setting means. Two runs of one recipe give the same weights."""

    problem: str
    data: Mapping[str, Any]
    model: str
    settings: Mapping[str, Any]
    tau0: float
    loss: str = "energy"
    epochs: int = 100
    batch_size: int = 32
    learning_rate: float = 1e-3
    rate: str = "decay"
    clip: float = 1.0
    schedule: str = "linear"
    tau_last: float = LAST_TEMPERATURE
    in_units: bool = False
    anneal_by: str = "epoch"
    penalty_scale: float = 1.0
    samples: int = 1
    seed: int = 0
    validation_restarts: int = 8
    validate_every: int = 1
    early_stop: int | None = None

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "samples", "validation_restarts", "validate_every"):
            _check(getattr(self, name) >= 1, f"{_words(name)} must be at least 1", getattr(self, name))
        for name in ("samples", "validation_restarts"):
            _check(getattr(self, name) <= MOST, f"{_words(name)} must be at most {MOST}", getattr(self, name))
        for name in ("learning_rate", "clip"):
            rule = f"{_words(name)} must be above 0 and at most {LARGEST:g}"
            _check(0 < getattr(self, name) <= LARGEST, rule, getattr(self, name))
        rule = f"penalty scale must not be negative and at most {LARGEST_ENERGY:g}"
        _check(0 <= self.penalty_scale <= LARGEST_ENERGY, rule, self.penalty_scale)
        check_seed("seed", self.seed)
        _check(self.early_stop is None or self.early_stop >= 1, "early stop must be at least 1", self.early_stop)
        _choose("schedule", self.schedule, tuple(SCHEDULES))
        _choose("rate", self.rate, tuple(RATES))
        _choose("annealing by", self.anneal_by, get_args(AnnealBy))
        cooling(self.schedule, self.tau0, self.tau_last)
        _check(self.tau0 <= LARGEST_ENERGY, f"tau0 must be at most {LARGEST_ENERGY:g}", self.tau0)
        _choose("loss", self.loss, tuple(LOSSES))
        annealed = LOSSES[self.loss].annealed
        _check(annealed or self.tau0 == 0, f"loss {self.loss!r} is not annealed: tau0 must be auto or 0", self.tau0)

    def temperature(self, epoch: int, step: int, num_batches: int) -> float:
        """Return τ of a step: τ0 in the first epoch (or step) and τ_K in the last one."""
        schedule: Schedule = cooling(self.schedule, self.tau0, self.tau_last)
        if self.anneal_by == "epoch":
            return float(schedule(_progress(epoch, self.epochs)))
        return float(schedule(_progress(epoch * num_batches + step, self.epochs * num_batches)))

    def learning_rate_of(self, epoch: int, step: int, num_batches: int) -> float:
        """Return the learning rate of a step."""
        rate: Callable[[int, int, int], float] = RATES[self.rate]
        return self.learning_rate * rate(epoch * num_batches + step, self.epochs * num_batches, num_batches)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def difference(old: Any, new: Any, name: str = "") -> str | None:
    """Tell the first thing in which two recipes differ, by its name and both values; None where they are the same.

    Args:
        old: as JSON gives it back.
        new: of another recipe, or a part of it.
        name: of the part.

    Example:
        >>> difference({"epochs": 3, "data": {"seed": 0}}, {"epochs": 3, "data": {"seed": 1}})
        'data seed was 0 and is now 1'
    """
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        parts = (difference(old.get(key), new.get(key), f"{name} {key}".strip()) for key in {**new, **old})
        return next((part for part in parts if part is not None), None)
    same = old == (list(new) if isinstance(new, tuple) else new)
    return None if same else f"{name} was {old!r:.200} and is now {new!r:.200}"


def check_seed(name: str, seed: int) -> None:
    """Raise an InputError for a seed that not everything takes that draws random numbers."""
    _check(0 <= seed <= MAX_SEED, f"{name} must be 0 to {MAX_SEED}", seed)


def _progress(number: int, total: int) -> float:
    # A single epoch is both the first and the last: it is the first.
    return number / (total - 1) if total > 1 else 0.0


def _words(name: str) -> str:
    return name.replace("_", " ")


def _check(holds: bool, rule: str, value: Any) -> None:
    if not holds:
        raise InputError(f"the {rule}, it is {value}")


def _choose(what: str, name: str, choices: tuple[str, ...]) -> None:
    if name not in choices:
        raise InputError(f"unknown {what} {name!r}; choose one of {', '.join(choices)}")
