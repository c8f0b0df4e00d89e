"""The networks of an experiment: each trained once in a folder of its own, and resumed there after a kill."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annealco.evaluation.bench_entry import Entry, digest
from annealco.experiments.learners import Learner
from annealco.experiments.run_folder import SEED, RunFolder
from annealco.experiments.scale import Amount
from annealco.graph.datasets.registry import find_dataset
from annealco.graph.datasets.splits import members

STATE, MODEL = "state.json", "model.json"

COST: Mapping[str, tuple[float, int]] = {"erdos": (72e-6, 512), "field": (30e-6, 32), "run_csp": (190e-6, 128)}
"""Seconds of training a node or 20 edges, roughly, and the width of the network that takes them: to guess the time
left. Narrower ones take less in proportion."""

VISIT = 2.5e-3
"""Seconds a graph and epoch, beside these, however small it is."""


@dataclass(frozen=True)
class Network:
    """A network to be.

    Attributes:
        name: of its folder.
        problem: a key of `PROBLEMS`.
        data: the set that it learns from.
        learner: who learns.
        amount: from how much.
        options: of `train` in place of the learner's: what an experiment is about.
    """

    name: str
    problem: str
    data: str
    learner: Learner
    amount: Amount
    options: Mapping[str, Any]

    @property
    def guess(self) -> float:
        """Seconds of training, roughly."""
        dataset = find_dataset(self.data)
        size = dataset.mean_nodes + dataset.mean_edges / 20
        graphs = self.amount.graphs
        if dataset.kind == "real":
            graphs = min(graphs, len(members(dataset.name, "train", dataset.graphs, 0)))
        cost, width = COST[self.learner.model]
        share = self.amount.settings.get("width", width) / width
        return 0.3 + float(graphs * self.amount.epochs * (VISIT + size * cost * share))

    def arguments(self, folder: RunFolder) -> dict[str, Any]:
        """Return what `train` is given beside problem and set."""
        return {
            "model": self.learner.model,
            "settings": {**self.learner.settings, **self.amount.settings},
            "epochs": self.amount.epochs,
            "num_graphs": self.amount.graphs,
            "num_validation": folder.scale.validation,
            "validate_every": folder.scale.validate_every,
            "seed": SEED,
            **self.learner.options,
            **self.amount.options,
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


def record_of(folder: RunFolder, network: Network) -> dict[str, Any]:
    """Return how a network was trained and what it was worth on validation graphs."""
    content = json.loads((folder.network(network.name) / MODEL).read_text(encoding="utf-8"))
    return dict(content["record"])


def forget_state(path: Path) -> None:
    """Delete what only a resumption needs, thrice as large as the network; the JSON file goes first."""
    for file in [path / STATE, *sorted(path.glob("state-*.safetensors"))]:
        file.unlink(missing_ok=True)
