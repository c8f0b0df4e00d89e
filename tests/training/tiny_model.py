"""A network small enough to train in a moment: a linear map of random features, degree and field, a few times over."""

from __future__ import annotations

import os
import signal
from multiprocessing import parent_process

import torch
from torch import Tensor, nn

from annealco.graph.graph import Graph
from annealco.models import Model
from annealco.models.model import ModelInput


class TinyModel(Model):
    name = "tiny"

    def __init__(self, width: int = 4, num_steps: int = 3) -> None:
        super().__init__(width=width, num_steps=num_steps)
        self.first = nn.Linear(width + 1, 1)
        self.update = nn.Linear(2, 1)
        self.num_steps = num_steps
        self.width = width

    def draw_features(self, graph: Graph, num_samples: int, generator: torch.Generator | None = None) -> Tensor:
        return torch.randn(graph.num_nodes, num_samples, self.width, generator=generator)

    def outputs(self, batch: ModelInput) -> list[tuple[float, Tensor]]:
        graph, instance, features = batch.graph, batch.instance, batch.features
        energy = instance.energy()
        degree = torch.tensor(graph.degree, dtype=features.dtype).log1p()
        degree = degree.reshape(-1, *[1] * (features.dim() - 1)).expand(*features.shape[:-1], 1)
        logits = self.first(torch.cat([features, degree], dim=-1)).squeeze(-1)
        found = [logits]
        # A random number of steps, as networks that sample it do.
        steps = int(torch.randint(self.num_steps, self.num_steps + 2, ())) if self.training else self.num_steps
        for _ in range(steps):
            field = energy.field(logits).clamp(-5, 5)
            logits = self.update(torch.stack([logits, field], dim=-1)).squeeze(-1)
            found.append(logits)
        return [(1.0 / len(found), each) for each in found]

    def forward(self, batch: ModelInput) -> Tensor:
        return self.outputs(batch)[-1][1]


class DyingModel(TinyModel):
    """The same network, which kills the process that trains it if another one started that."""

    def outputs(self, batch: ModelInput) -> list[tuple[float, Tensor]]:
        if parent_process() is not None:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().outputs(batch)
