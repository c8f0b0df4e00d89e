"""Runs that take a second: a tiny network on graphs of a dozen nodes."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from annealco.graph.generators import erdos_renyi
from annealco.graph.graph import Graph
from annealco.training.checkpoint import read_bundle
from annealco.training.loop import Run
from annealco.training.recipe import Recipe
from annealco.training.train import train
from annealco.training.trained import TrainedModel
from tests.training.tiny_model import TinyModel

EPOCHS, NUM_BATCHES = 4, 3


def small_graphs(count: int = 18, seed: int = 0, weighted: bool = False) -> Graph:
    """Random graphs of different sizes, split into 11, 3 and 4 where there are 18."""
    rng = np.random.default_rng(seed)
    graphs = Graph.batch(
        [erdos_renyi(rng, num_nodes=int(rng.integers(8, 14)), edge_probability=0.3) for _ in range(count)]
    )
    if weighted:
        return graphs.with_weights(
            node_weight=rng.uniform(0.5, 2.0, graphs.num_nodes), edge_weight=rng.uniform(0.5, 2.0, graphs.num_edges)
        )
    return graphs


def new_recipe(**changed: Any) -> Recipe:
    """A recipe of the paper's schedule, by epochs."""
    given: dict[str, Any] = {"tau0": 10.0, "tau_last": 0.001, "loss": "energy", "batch_size": 4, "learning_rate": 0.5}
    given |= {"schedule": "linear", "rate": "decay", "anneal_by": "epoch", "epochs": 5}
    settings = {"width": 4, "num_steps": 3}
    return Recipe("mis", changed.pop("data", {}), "tiny", settings, **{**given, **changed})


def new_model() -> TinyModel:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return TinyModel()


def small_train(out: Path | None = None, **options: Any) -> TrainedModel:
    """Train for four epochs of three batches, of sizes 4, 4 and 3."""
    given: dict[str, Any] = {
        "model": new_model(),
        "epochs": EPOCHS,
        "batch_size": 4,
        "learning_rate": 0.02,
        "out": out,
        "progress": False,
        "picture": False,
    }
    return train("mis", small_graphs(), **{**given, **options})


def interrupt_at(monkeypatch: pytest.MonkeyPatch, epoch: int, step: int) -> None:
    """Let a run be interrupted, as by Ctrl-C, when it counts this step of this epoch; steps from 1."""
    usual = Run.count_step

    def interrupting(self: Run, *arguments: Any) -> None:
        if (self.epoch, self.step + 1) == (epoch, step):
            os.kill(os.getpid(), signal.SIGINT)
        usual(self, *arguments)

    monkeypatch.setattr(Run, "count_step", interrupting)


def final_tensors(out: Path) -> dict[str, torch.Tensor]:
    """All weights and moments of a run, of the last step and of the best network."""
    state, model = read_bundle(out / "state.json")[1], read_bundle(out / "model.json")[1]
    return state | {f"best {name}": tensor for name, tensor in model.items()}


def assert_same_run(first: Path, second: Path) -> None:
    """Two runs have the same weights, moments and history, bit for bit."""
    expected, found = final_tensors(first), final_tensors(second)
    assert expected.keys() == found.keys()
    for name, tensor in expected.items():
        assert torch.equal(tensor, found[name]), name
    histories = [read_bundle(folder / "state.json")[0]["history"] for folder in (first, second)]
    for row, other in zip(*histories, strict=True):
        timeless = {"seconds": None, "cpu_seconds": None}
        assert {**row, **timeless} == {**other, **timeless}
