"""The networks of an experiment: learners, and networks that are trained once each in a folder of their own.

Training is resumed in that folder after a kill. How much a network learns from is a matter of the scale, and so is what
the paper leaves open of the network `erdos`: all learners of it differ in what the comparison is about, and in nothing
else. Before anything is computed, `available_sets` tells which data sets are there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annealco.datasets.cache import DATA_VARIABLE, download, find_file
from annealco.datasets.registry import find_dataset
from annealco.datasets.splits import members
from annealco.evaluation.bench.entries import Entry, digest
from annealco.experiments.run_folder import SEED, RunFolder
from annealco.experiments.scale import Amount, Reading
from annealco.search.decode import Order

STATE, MODEL = "state.json", "model.json"

COST: Mapping[str, tuple[float, int]] = {"erdos": (26e-6, 512), "field": (30e-6, 32), "run_csp": (190e-6, 128)}
"""Seconds of training per node or 20 edges, roughly, and the width of the network that takes them: to estimate the time
left. Narrower ones take less in proportion."""

VISIT = 1e-3
"""Further seconds per graph and epoch, however small the graph is."""


@dataclass(frozen=True)
class Learner:
    """A network and its training.

    Attributes:
        name: what rows and folders call it.
        model: a key of `annealco.models.MODELS`.
        ways: how it is used, keys of `annealco.baselines.learned.LEARNED`.
        summary: what it is.
        is_published: whether the paper has numbers of it, not only of others that are used the same way.
        is_cooled: whether it cools as the scale says.
        settings: of the network.
        options: of `annealco.train`.
    """

    name: str
    model: str
    ways: tuple[str, ...]
    summary: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    is_published: bool = True
    is_cooled: bool = False


_MIN_MAX = {"head": "min-max"}

PAPER = Learner("erdos", "erdos", ("annealed",), "the paper's: annealed training of that network", is_cooled=True)
ERDOS_COLD = Learner(
    "erdos-cold",
    "erdos",
    ("erdos",),
    "the same network and energy at τ = 0",
    options={"tau0": 0.0},
    is_published=False,
)
ERDOS_KL = Learner(
    "erdos-kl",
    "erdos",
    ("erdos",),
    "the network of Karalias and Loukas with their loss",
    settings=_MIN_MAX,
    options={"loss": "kl"},
)
L1 = Learner(
    "l1",
    "erdos",
    ("l1",),
    "the same network on the smooth cut Σ w |p_i − p_j|",
    settings=_MIN_MAX,
    options={"loss": "l1"},
)
L2 = Learner(
    "l2",
    "erdos",
    ("l2",),
    "the same network on the smooth cut Σ w (p_i − p_j)²",
    settings=_MIN_MAX,
    options={"loss": "l2"},
)
FIELD = Learner(
    "field",
    "field",
    ("annealed", "annealed+search"),
    "our recurrence, annealed training as by default",
    is_published=False,
)
FIELD_COLD = Learner(
    "field-cold",
    "field",
    ("not_annealed",),
    "our recurrence on the same energy at τ = 0",
    options={"tau0": 0.0},
    is_published=False,
)
FIELD_KL = Learner(
    "field-kl",
    "field",
    ("not_annealed",),
    "our recurrence with the loss of Karalias and Loukas",
    options={"loss": "kl"},
    is_published=False,
)
RUN_CSP = Learner(
    "run_csp",
    "run_csp",
    ("run_csp",),
    "RUN-CSP of Tönshoff et al.",
    options={"rate": "constant", "penalty_scale": 3.0},
)


@dataclass(frozen=True)
class Network:
    """A network to train.

    Attributes:
        name: of its folder.
        problem: a key of `PROBLEMS`.
        data: the set that it learns from.
        learner: who learns.
        amount: from how much.
        reading: what the paper leaves open.
        options: of `train` in place of the learner's: what an experiment is about.
        seed: of its training.
    """

    name: str
    problem: str
    data: str
    learner: Learner
    amount: Amount
    reading: Reading = field(default_factory=Reading)
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = SEED

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the network; what makes the learner comes last."""
        return {**self.reading.settings, **self.amount.settings, **self.learner.settings}

    @property
    def guess(self) -> float:
        """Rough estimate of the seconds of training."""
        dataset = find_dataset(self.data)
        size = dataset.mean_nodes + dataset.mean_edges / 20
        graphs = self.amount.graphs
        if dataset.kind == "real":
            graphs = min(graphs, len(members(dataset.name, "train", dataset.graphs, 0)))
        cost, width = COST[self.learner.model]
        share = self.settings.get("width", width) / width
        return 0.3 + float(graphs * self.amount.epochs * (VISIT + size * cost * share))

    def arguments(self, folder: RunFolder) -> dict[str, Any]:
        """Return the arguments of `train` beside problem and set."""
        scale, learner = folder.scale, self.learner
        return {
            "model": learner.model,
            "settings": self.settings,
            "epochs": self.amount.epochs,
            "num_graphs": self.amount.graphs,
            "num_validation": scale.validation,
            "validate_every": scale.validate_every,
            "seed": self.seed,
            **self.reading.options,
            **self.amount.options,
            **learner.options,
            **(scale.annealing if learner.is_cooled else {}),
            **self.options,
        }


def is_trained(folder: RunFolder, network: Network) -> bool:
    """Tell whether a network's training has come to its end."""
    state = folder.network(network.name) / STATE
    try:
        content = json.loads(state.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        # Where there is a file, `train` says what is wrong with it.
        return False
    return isinstance(content, dict) and content.get("finished") is True


def train_network(folder: RunFolder, network: Network, *, picture: bool) -> None:
    """Train a network, or go on where it was stopped; nothing is done where it is trained already."""
    if is_trained(folder, network):
        return
    # Lightning takes seconds to import: not before there is something to train.
    from annealco.training.train import train

    train(
        network.problem,
        network.data,
        out=folder.network(network.name),
        resume=True,
        picture=picture,
        progress=folder.scale.shows_epochs or sys.stderr.isatty(),
        **network.arguments(folder),
    )


def entry_of(folder: RunFolder, network: Network, way: str) -> Entry:
    """Return the entry of a comparison for a trained network; its label is the same in whatever folder."""
    path = str(folder.network(network.name))
    return Entry(f"{way}={network.name}{digest(path)}", way, path)


def decoded_in(order: Order, entry: Entry, *, restarts: int | None = None) -> Entry:
    """Return the entry that decodes in another order, and as many proposals as are told."""
    used = replace(entry, restarts=restarts, order=order)
    return replace(used, label=entry.label + used.told)


def record_of(folder: RunFolder, network: Network) -> dict[str, Any]:
    """Return how a network was trained, and its results on validation graphs."""
    content = json.loads((folder.network(network.name) / MODEL).read_text(encoding="utf-8"))
    return dict(content["record"])


def delete_state(path: Path) -> None:
    """Delete the files that only a resumption needs, three times as large as the network; the JSON file first."""
    for file in [path / STATE, *sorted(path.glob("state-*.safetensors"))]:
        file.unlink(missing_ok=True)


def available_sets(folder: RunFolder, names: Sequence[str]) -> list[str]:
    """Return the sets that are available, in their order.

    Synthetic ones are drawn. A real one that is not on the disk is left out with a note where the scale allows it, else
    downloaded.

    Raises:
        InputError: where a set is needed and not available; it says how to get it.
    """
    present = []
    for name in names:
        dataset = find_dataset(name)
        if dataset.kind == "real" and find_file(dataset) is None:
            if folder.scale.skips_absent:
                folder.note(
                    f"{name} is left out: there is no {dataset.stored.file} in a folder that {DATA_VARIABLE} names"
                )
                continue
            download(dataset)
        present.append(name)
    return present
