"""All that decides what a run of training gives, checked and written beside its result.

How the learning rate changes: plain functions of progress, as multiples of the rate that was asked for.

The rate of a step depends on its number alone, so that a run that is resumed goes on as if nothing had happened.

Where a schedule begins and ends, measured in the energies of the graphs that are learned from.

A temperature means something only beside changes of the energy. Two such sizes are known before training: the
Lipschitz constant, the most that one flip changes the energy, where the paper begins; and the unit, what a flip changes
the objective by at most, averaged over nodes: 1 for sets of unweighted nodes. The Lipschitz constant is the penalty of
the busiest node, a hundred units on dense graphs; there Q is as good as uniform, and nothing is learned. So by default
a schedule begins at half a unit, of each graph its own: a flip changes a cut by two in a molecule and by fifty in a
circle of friends, and what is hot for the one is cold for the other. The loss is then counted in units too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from annealco.arrays import FloatArray, segment_sum
from annealco.energy import Instance
from annealco.energy.schedules import LAST_TEMPERATURE, SCHEDULES, Schedule, cooling
from annealco.errors import InputError
from annealco.models.field import objective_scale
from annealco.training.loss import LOSSES

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
"""Functions of the step, the number of all steps, and the number of steps an epoch."""


First = float | Literal["auto", "unit"]
Last = float | Literal["auto"]

FIRST_UNITS, LAST_UNITS = 0.5, 0.02
"""Where schedules begin and end by default, in units (docs/design-notes/models.md)."""


class Sizes(NamedTuple):
    """Changes of the energy by one flip: the most, and the mean over nodes of the objective's most."""

    lipschitz: float
    unit: float


def measure_sizes(instances: Iterable[Instance], penalty_scale: float) -> Sizes:
    """Measure the instances of a data set, one batch after the other."""
    steepest, total, count = 0.0, 0.0, 0
    for instance in instances:
        steepest = max(steepest, float(instance.lipschitz(penalty_scale).max(initial=0.0)))
        total += float(objective_scale(instance).sum())
        count += instance.num_nodes
    return Sizes(steepest, total / count if count else 1.0)


def units(instance: Instance) -> FloatArray:
    """Return the unit of each graph, [num_graphs].

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> pair = Graph.from_edges([[0], [1]]).with_weights(node_weight=[3.0, 5.0])
        >>> units(PROBLEMS["mis"].declare(pair)).tolist()
        [4.0]
    """
    sizes = np.diff(instance.node_ptr)
    total = segment_sum(objective_scale(instance), instance.node_ptr)
    return np.where(sizes > 0, total / np.maximum(sizes, 1), 1.0)


def schedule_ends(first: First, last: Last, sizes: Sizes) -> tuple[float, float]:
    """Return the first and the last temperature as numbers.

    With ``auto`` they are the paper's: the Lipschitz constant and 0.001. With ``unit`` both are in units of each graph,
    half a unit and a 25th of it. From a number the last is low enough to cool as far.

    Example:
        >>> schedule_ends("auto", "auto", Sizes(80.0, 2.0)), schedule_ends("unit", "auto", Sizes(80.0, 2.0))
        ((80.0, 0.001), (0.5, 0.02))
    """
    named = {"auto": sizes.lipschitz, "unit": FIRST_UNITS}
    if isinstance(first, str) and first not in named:
        raise InputError(f"tau0 must be a number or one of {', '.join(named)}, it is {first!r}")
    if isinstance(last, str) and last != "auto":
        raise InputError(f"tau_last must be a number or auto, it is {last!r}")
    begin = named[first] if isinstance(first, str) else first
    if isinstance(last, str) and first == "auto":
        return begin, LAST_TEMPERATURE
    if isinstance(last, str) and first == "unit":
        return begin, LAST_UNITS
    if isinstance(last, str):
        # Without annealing there is no end to cool to, but it must be a temperature.
        return begin, min(LAST_UNITS * sizes.unit, begin * LAST_UNITS / FIRST_UNITS) or LAST_TEMPERATURE
    return begin, last
