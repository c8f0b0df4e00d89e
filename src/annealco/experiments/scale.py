"""The size of an experiment: what `smoke`, `laptop` and `paper` mean in numbers.

* `smoke` shows in minutes that everything runs. Its networks have learned next to nothing: its numbers mean nothing.
  Searches are counted in moves, so that its rows are the same every time.
* `laptop` takes about an hour per result on two cores, with a 50th of the paper's steps. The paper's schedule is above
  τ = 1 for a thousandth of a training, here one epoch of 40; so `laptop` cools geometrically from step to step, two
  fifths of them above τ = 1. It tells how methods compare after a short training; it tells nothing of the paper's
  schedule, and little of what annealing gains in a long training.
* `paper` has the paper's graphs and schedule, with a network of width 64 instead of 512, and fewer test graphs for
  methods that take seconds per graph. It has the paper's 500 epochs on RB-small; elsewhere 100, some with three seeds.

What the paper leaves open of the network of Karalias and Loukas and its training is a `Reading` per problem, the same
for all who learn with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from annealco.errors import InputError
from annealco.search.decode import Order


@dataclass(frozen=True)
class Amount:
    """How much a network learns from.

    Attributes:
        graphs: of training, where the set has as many.
        epochs: over them.
        settings: of the network, in place of the reading's.
        options: of `train`, likewise.
        seeds: networks per set.
    """

    graphs: int
    epochs: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    seeds: int = 1


READ = "erdos"
"""The network of which the paper leaves something open."""


@dataclass(frozen=True)
class Reading:
    """What the paper leaves open of the network `erdos`, for a problem.

    Attributes:
        settings: of the network.
        options: of `train`.
        order: in which figures decode; None for that of the way. Tables decode in both.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    order: Order | None = None


@dataclass(frozen=True)
class Sample:
    """Which test graphs, or instances of cuts, are solved.

    Attributes:
        limit: so many; None for all.
        every: only the first of every so many.
        slow: the same for methods that take seconds per graph; None for as many as of the others.
    """

    limit: int | None = None
    every: int = 1
    slow: Sample | None = None


PAPERS_SCHEDULE: Mapping[str, Any] = {"schedule": "linear", "tau0": "auto", "anneal_by": "epoch"}
"""τ0 / (1 + αk) from the Lipschitz constant to 0.001."""

SHORT_SCHEDULE: Mapping[str, Any] = {"schedule": "geometric", "tau0": "auto", "anneal_by": "step"}
"""Between the same temperatures; as many steps from 100 to 10 as from 0.1 to 0.01."""

_SLOWER: Mapping[str, Any] = {"rate": "cosine", "learning_rate": 1e-3, "batch_size": 8}
_BEST = Reading({"width": 64, "mask": False}, {"rate": "cosine", "learning_rate": 3e-3, "batch_size": 8})
READINGS: Mapping[str, Reading] = {
    "mis": _BEST,
    "clique": _BEST,
    "mds": Reading({"width": 64}, {"rate": "decay", "learning_rate": 1e-3, "batch_size": 32}, order="steepest"),
    "cut": Reading({"variant": "deep", "width": 64}, _SLOWER),
}
"""By problem: the best that `benchmarks/reading_search.py` found; cuts were not searched."""


@dataclass(frozen=True)
class Scale:
    """The numbers of a scale.

    Attributes:
        name: what users type.
        caution: what its numbers do not tell; it stands above them.
        readings: of the network `erdos`, by problem.
        annealing: options of `train` that say how the paper's learner cools.
        table: amounts for tables by model, or by ``model@set`` where a set needs its own.
        figure: the same for figures, of which there are many networks, by model or by ``model@set``.
        samples: test graphs of tables by set; all of a set that is not named.
        cut_samples: the same for instances of cuts.
        figure_sample: test graphs of figures.
        validation: graphs that the best network is chosen by.
        validate_every: epochs between two choices.
        seconds: limits for searches and exact solvers, in tables of sets of nodes.
        cut_seconds: the same for cuts.
        moves: instead of seconds where a method counts them; None for seconds.
        exact: whether exact solvers take part: their limits are seconds, which do not repeat.
        own_networks: whether sets of large graphs have networks of their own, or those of their small kin.
        skips_absent: whether a set that is not there is left out with a note, or an error.
        distance_seeds: networks a point of the figure of distances.
        beta_seeds: the same for penalties.
        schedule_seeds: the same for schedules.
        toy_seeds: starts of the toy.
        shows_epochs: whether networks take so long that their epochs are told one by one.
    """

    name: str
    caution: str
    readings: Mapping[str, Reading]
    annealing: Mapping[str, Any]
    table: Mapping[str, Amount]
    figure: Mapping[str, Amount]
    samples: Mapping[str, Sample]
    cut_samples: Mapping[str, Sample]
    figure_sample: Sample
    validation: int
    validate_every: int
    seconds: tuple[float, ...]
    cut_seconds: tuple[float, ...]
    moves: int | None
    exact: bool
    own_networks: bool
    skips_absent: bool
    distance_seeds: int
    beta_seeds: int
    schedule_seeds: int
    toy_seeds: int
    shows_epochs: bool = False

    def amount(self, model: str, data: str) -> Amount:
        """Return how much a network of a table learns from a set."""
        return self.table.get(f"{model}@{data}", self.table[model])

    def figure_amount(self, model: str, data: str) -> Amount:
        """Return how much a network of a figure learns from a set."""
        return self.figure.get(f"{model}@{data}", self.figure[model])

    def reading(self, model: str, problem: str) -> Reading:
        """Return what the paper leaves open of a network for a problem; nothing of others than its own."""
        return self.readings[problem] if model == READ else Reading()

    def as_json(self) -> dict[str, Any]:
        """Return the numbers, for the configuration of a run."""
        return asdict(self)


SMOKE = Scale(
    name="smoke",
    caution="These numbers mean nothing: they show that everything runs.",
    readings=READINGS,
    annealing=PAPERS_SCHEDULE,
    table={
        "erdos": Amount(8, 2, {"width": 16}),
        "erdos@facebook": Amount(1, 1, {"width": 4}),
        "field": Amount(8, 2, {"width": 8}),
        "field@facebook": Amount(1, 1, {"width": 4, "num_steps": 4}),
        "run_csp": Amount(5, 2, {"width": 8}),
    },
    figure={
        "erdos": Amount(8, 2, {"width": 16}, {"batch_size": 2}),
        "field": Amount(8, 2, {"width": 8}, {"batch_size": 2}),
    },
    samples={
        "rb-small": Sample(3),
        "rb-large": Sample(1),
        "rb-small-complement": Sample(3),
        "rb-large-complement": Sample(1),
        "ba-small": Sample(3),
        "ba-large": Sample(2),
        "collab": Sample(3),
        "twitter": Sample(3),
    },
    cut_samples={"sf295-subset": Sample(4, 5), "facebook": Sample(1, 100), "twitter": Sample(4, 15)},
    figure_sample=Sample(3),
    validation=2,
    validate_every=1,
    seconds=(1.0,),
    cut_seconds=(1.0,),
    moves=2_000,
    exact=False,
    own_networks=False,
    skips_absent=True,
    distance_seeds=2,
    beta_seeds=1,
    schedule_seeds=1,
    toy_seeds=4,
)
"""Every result within about two minutes of one core."""

LAPTOP = Scale(
    name="laptop",
    caution=(
        "Networks learned for a 50th of the paper's steps and cooled geometrically from step to step: this compares "
        "methods after a short training. It is no test of the paper's schedule, nor of annealing in a long training."
    ),
    readings=READINGS,
    annealing=SHORT_SCHEDULE,
    table={
        "erdos": Amount(500, 40),
        "erdos@facebook": Amount(42, 10, {"width": 32}, {"batch_size": 2, "num_validation": 5}),
        "field": Amount(500, 30),
        "field@facebook": Amount(42, 10, {}, {"batch_size": 2, "num_validation": 5}),
        "run_csp": Amount(500, 15, {"width": 64}, {"learning_rate": 5e-3}),
    },
    figure={
        "erdos": Amount(200, 20, {}, {"validate_every": 5}),
        "field": Amount(200, 10, {}, {"validate_every": 5}),
    },
    samples={
        "rb-small": Sample(50),
        "rb-large": Sample(10),
        "rb-small-complement": Sample(50),
        "rb-large-complement": Sample(10),
        "ba-small": Sample(100),
        "ba-large": Sample(20),
        "collab": Sample(100),
        "twitter": Sample(100),
    },
    cut_samples={"sf295-subset": Sample(200, 5), "facebook": Sample(28, 50), "twitter": Sample(150, 10)},
    figure_sample=Sample(50),
    validation=30,
    validate_every=2,
    seconds=(0.5,),
    cut_seconds=(0.5,),
    moves=None,
    exact=True,
    own_networks=False,
    skips_absent=False,
    distance_seeds=20,
    beta_seeds=5,
    schedule_seeds=3,
    toy_seeds=20,
)
"""Two cores, about an hour per result."""

_SMALL, _LARGE = Sample(slow=Sample(50)), Sample(slow=Sample(10))
PAPER = Scale(
    name="paper",
    caution=(
        "The network of Karalias and Loukas has width 64 here, the paper's 512. Methods that take seconds per graph "
        "were run on fewer graphs, as the column says."
    ),
    readings=READINGS,
    annealing=PAPERS_SCHEDULE,
    table={
        "erdos": Amount(2_000, 100),
        "erdos@rb-small": Amount(2_000, 500),
        "erdos@rb-small-complement": Amount(2_000, 100, seeds=3),
        "erdos@ba-small": Amount(2_000, 100, seeds=3),
        "erdos@facebook": Amount(42, 20, {}, {"batch_size": 2, "num_validation": 5}),
        "field": Amount(2_000, 20),
        "field@rb-small": Amount(2_000, 20, seeds=3),
        "field@rb-small-complement": Amount(2_000, 20, seeds=3),
        "field@ba-small": Amount(2_000, 20, seeds=3),
        "field@facebook": Amount(42, 10, {}, {"batch_size": 2, "num_validation": 5}),
        "run_csp": Amount(500, 15, {"width": 64}, {"learning_rate": 5e-3}),
    },
    figure={
        "erdos": Amount(1_000, 100),
        "erdos@twitter": Amount(1_000, 200),
        "field": Amount(1_000, 100),
        "field@twitter": Amount(1_000, 200),
    },
    samples={
        "rb-small": _SMALL,
        "rb-large": _LARGE,
        "rb-small-complement": _SMALL,
        "rb-large-complement": _LARGE,
        "ba-small": _SMALL,
        "ba-large": _LARGE,
        "collab": _SMALL,
        "twitter": _SMALL,
    },
    # Instances of a graph follow one another: slow methods are to see many graphs.
    cut_samples={
        "sf295-subset": Sample(slow=Sample(100, 69)),
        "facebook": Sample(28, 50),
        "twitter": Sample(slow=Sample(100, 58)),
    },
    figure_sample=Sample(),
    validation=50,
    validate_every=50,
    seconds=(0.5,),
    cut_seconds=(0.5,),
    moves=None,
    exact=True,
    own_networks=False,
    skips_absent=False,
    distance_seeds=20,
    beta_seeds=5,
    schedule_seeds=5,
    toy_seeds=20,
    shows_epochs=True,
)
"""The paper's graphs and schedule, and its epochs where two cores could run them, in days."""

SCALES: dict[str, Scale] = {each.name: each for each in (SMOKE, LAPTOP, PAPER)}
"""Every scale by its name."""


def find_scale(name: str) -> Scale:
    """Return a scale by its name."""
    if name not in SCALES:
        raise InputError(f"unknown scale {name!r}; choose one of {', '.join(SCALES)}")
    return SCALES[name]
