"""The recipe of a run: all that decides its weights, resolved to numbers, and written beside its result.

A `Recipe` is the settings of a run (`TrainSettings`) with every default replaced by what it came to, and what they were
applied to: problem, data and network.

**Temperatures.** A temperature means something only relative to changes of the energy. Two sizes of these are known
before training: the Lipschitz constant, the most that one flip changes the energy, where the paper begins; and the
unit, the most that a flip changes the objective, averaged over nodes: 1 for sets of unweighted nodes. The Lipschitz
constant is the penalty of the busiest node, a hundred units on dense graphs; there Q is close to uniform, and nothing
is learned. So by default a schedule begins at half a unit of each graph: a flip changes a cut by two in a molecule and
by fifty in a social network, and what is hot for the one is cold for the other. The loss is then counted in units too.

**Legs.** A finished run can be continued with more epochs. These are a leg of their own: the temperature stays at its
last value, so that what was annealed stays so, and the learning rate runs through its schedule again, since at the end
of the leg before it may be 0. Adam's moments, the best network and its references stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from annealco.arrays import FloatArray, segment_sum
from annealco.energy import Instance
from annealco.energy.instance import objective_scale
from annealco.energy.schedules import LAST_TEMPERATURE, cooling
from annealco.errors import InputError
from annealco.training.loss import LOSSES
from annealco.training.settings import LARGEST_ENERGY, RATES, First, Last, TrainSettings, check_that

FIRST_UNITS, LAST_UNITS = 0.5, 0.02
"""Where schedules begin and end by default, in units (docs/design-notes/models.md)."""


@dataclass(frozen=True)
class Recipe(TrainSettings):
    """How a network is trained, as numbers.

    Attributes:
        problem: its name.
        data: what tells the graphs apart from others.
        model: name or place of the network.
        settings: of the network; None where it was given as a module.
        init: the network that training began from, and its digest; None for random weights.
        in_units: whether temperatures and the loss are in units of each graph.
        legs: epochs at which the run had ended before it was continued.
    """

    problem: str
    data: Mapping[str, Any]
    model: str
    settings: Mapping[str, Any] | None
    # What is chosen by name or by the network in `TrainSettings` is a number here.
    tau0: float = field(kw_only=True)
    tau_last: float = field(kw_only=True)
    loss: str = field(kw_only=True)
    batch_size: int = field(kw_only=True)
    learning_rate: float = field(kw_only=True)
    init: Mapping[str, Any] | None = field(default=None, kw_only=True)
    in_units: bool = field(default=False, kw_only=True)
    legs: tuple[int, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        cooling(self.schedule, self.tau0, self.tau_last)
        check_that(self.tau0 <= LARGEST_ENERGY, f"tau0 must be at most {LARGEST_ENERGY:g}", self.tau0)
        annealed = LOSSES[self.loss].annealed
        check_that(annealed or self.tau0 == 0, f"loss {self.loss!r} is not annealed: tau0 must be auto or 0", self.tau0)

    def leg(self, epoch: int) -> tuple[int, int]:
        """Return the first epoch of the leg that an epoch is in, and the one after its last."""
        ends = (0, *self.legs, self.epochs)
        number = max(number for number, end in enumerate(ends[:-1]) if end <= epoch or number == 0)
        return ends[number], ends[number + 1]

    def temperature(self, epoch: int, step: int, num_batches: int) -> float:
        """Return τ of a step: τ0 in the first epoch (or step), τ_K in the last one of the first leg and later."""
        schedule = cooling(self.schedule, self.tau0, self.tau_last)
        first, last = self.leg(epoch)
        if first > 0:
            return float(schedule(1.0))
        if self.anneal_by == "epoch":
            return float(schedule(_progress(epoch, last)))
        return float(schedule(_progress(epoch * num_batches + step, last * num_batches)))

    def learning_rate_of(self, epoch: int, step: int, num_batches: int) -> float:
        """Return the learning rate of a step, by its place in its leg."""
        first, last = self.leg(epoch)
        number, total = (epoch - first) * num_batches + step, (last - first) * num_batches
        return self.learning_rate * RATES[self.rate](number, total, num_batches)

    def progress(self, epoch: int, step: int, num_batches: int) -> float:
        """Return how far training has come at a step, from 0 to 1; 1 in all legs but the first."""
        first, last = self.leg(epoch)
        return 1.0 if first else (epoch * num_batches + step) / (last * num_batches)

    def as_json(self) -> dict[str, Any]:
        """Return what is written into files, what is learned first."""
        whole = {**asdict(self), "legs": list(self.legs)}
        first = ("problem", "data", "model", "settings", "init")
        return {**{name: whole[name] for name in first}, **whole}


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


def _progress(number: int, total: int) -> float:
    # A single epoch is both the first and the last: it is the first.
    return number / (total - 1) if total > 1 else 0.0


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
