"""A trained network that proposes: what `train` returns, `load` reads and `solve` takes."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from annealco._core import StopFlag
from annealco.arguments import checked
from annealco.energy import Instance
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.models.build import rebuild
from annealco.models.compiled_field import (
    CORE_STEP,
    NUM_RESTARTS,
    TORCH_STEP,
    StepSeconds,
    given_settings,
    is_compiled,
    proposal_settings,
)
from annealco.models.model import Model, ModelInput


def propose(
    model: Model,
    graph: Graph,
    instance: Instance,
    num_restarts: int,
    seed: int,
    *,
    seconds: float = math.inf,
    stop: StopFlag | None = None,
) -> NDArray[np.float32]:
    """Return the logits that independent restarts of a network in evaluation mode propose, [num_proposals, num_nodes].

    A restart proposes once, or after every round of a long run. Logits depend on the seed alone where time does not
    run out, and threads may ask one network at once. On the processor the compiled core runs what it knows.
    """
    compiled = model.compiled()
    if compiled is not None and is_compiled(instance):
        threads = torch.get_num_threads()
        return compiled.propose(graph, instance, num_restarts, seed, seconds=seconds, stop=stop, num_threads=threads)
    until = time.perf_counter() + seconds
    generator = model.generator(seed)

    def is_over() -> bool:
        return time.perf_counter() >= until or (stop is not None and stop.is_set())

    with torch.no_grad():
        features = model.draw_features(graph, num_restarts, generator).to(**model.place)
        logits = model.proposals(ModelInput(graph, instance, features), generator, is_over)
    return np.ascontiguousarray(logits.T.cpu().numpy())


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A network with its weights, and how to run it.

    Calling it with a graph and an instance gives logits, [num_proposals, num_nodes], which is what `solve` asks of a
    model; `solve` sets restarts and seed itself.

    Attributes:
        model: the network, which is put in evaluation mode.
        problem: the name of the problem it was trained for.
        num_restarts: proposals per graph.
        seed: of the random features that tell restarts apart.
        seconds: no further step of a recurrent network is begun after these; one is always made.
        stop: nor once this is set, by a signal handler say.
        record: how it was trained: recipe, metrics, version of the package.
        history: the table of its run as columns, each with an entry per epoch (None where nothing was measured), such
            as ``epoch``, ``loss`` and ``ratio``; empty where the folder has no ``log.csv``. ``pandas.DataFrame`` takes
            it as it is.
    """

    model: Model
    problem: str
    num_restarts: int = NUM_RESTARTS
    seed: int = 0
    seconds: float = math.inf
    stop: StopFlag | None = None
    record: Mapping[str, Any] = field(default_factory=dict)
    history: Mapping[str, Sequence[float | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.num_restarts < 1:
            raise InputError(f"restarts must be at least 1, they are {self.num_restarts}")
        self.model.eval()

    @property
    def name(self) -> str:
        """The name of the network."""
        return self.model.name

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the network; none where nobody knows them."""
        return self.model.settings or {}

    @property
    def step_seconds(self) -> StepSeconds:
        """What a first step takes, in the core or in PyTorch."""
        return TORCH_STEP if self.model.compiled() is None else CORE_STEP

    def __repr__(self) -> str:
        number = sum(each.numel() for each in self.model.parameters())
        epochs = f", {len(next(iter(self.history.values())))} epochs" if self.history else ""
        return f"TrainedModel({self.name} for {self.problem}, {number:,} parameters{epochs})"

    def __call__(self, graph: Graph, instance: Instance) -> NDArray[np.float32]:
        return propose(self.model, graph, instance, self.num_restarts, self.seed, seconds=self.seconds, stop=self.stop)

    @checked
    def with_settings(
        self,
        *,
        num_restarts: int | None = None,
        seed: int | None = None,
        num_steps: int | None = None,
        round_steps: int | None = None,
        fresh: float | None = None,
        seconds: float | None = None,
        stop: StopFlag | None = None,
    ) -> Self:
        """Return the same weights, run otherwise; what is not given stays.

        Args:
            num_restarts: proposals per graph.
            seed: of the random features.
            num_steps: steps of a recurrent network: more than in training cost more and are often better; `field`
                proposes after every round of them.
            round_steps: steps of a round of `field`.
            fresh: share of the nodes that start anew between its rounds.
            seconds: for the steps of a recurrent network.
            stop: ends these steps once it is set.

        Raises:
            InputError: where the network has no such setting, and for what is out of range.
        """
        changed = given_settings(num_steps=num_steps, round_steps=round_steps, fresh=fresh)
        how = proposal_settings(num_restarts, seed, seconds, stop)
        return replace(self, model=_changed(self.model, changed), **how)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a folder, from which `load` reads it."""
        from annealco.training.checkpoint import save_model

        save_model(path, self.model, problem=self.problem, record=self.record)


def _changed(model: Model, settings: Mapping[str, Any]) -> Model:
    if not settings:
        return model
    if settings.get("num_steps", 1) < 1:
        raise InputError(f"steps must be at least 1, they are {settings['num_steps']}")
    if "num_steps" not in (model.settings or {}):
        raise InputError(f"model {model.name} has no number of steps to choose")
    return rebuild(model, **settings)
