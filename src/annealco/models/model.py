"""What every network is: a map from a graph, an energy and random features to logits, without loss or decoding.

Batch normalisation that also takes a batch of a single row, or of none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import batch_norm

from annealco.energy import Instance
from annealco.errors import InputError
from annealco.graph.graph import Graph


def never() -> bool:
    """Tell that there is no end."""
    return False


class Model(nn.Module, ABC):
    """A network that proposes, for each node, the logit of being chosen.

    Samples are columns: restarts differ in their random features and share every product with the graph.

    Attributes:
        name: in the registry `MODELS`.
        batch_size: graphs a step to train it with, where nothing is said.
        learning_rate: likewise.
        loss: what training lowers, likewise: a name of a loss.
        settings: constructor arguments, so that ``build_model(model.name, **model.settings)`` is the same network.
        progress: how far training has come, from 0 to 1; said before every step.
    """

    name: ClassVar[str]
    batch_size: ClassVar[int] = 32
    learning_rate: ClassVar[float] = 1e-3
    loss: ClassVar[str] = "energy"

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        self.settings: dict[str, Any] = settings
        self.progress = 0.0

    @abstractmethod
    def draw_features(self, graph: Graph, num_samples: int, generator: torch.Generator | None = None) -> Tensor:
        """Draw the random node features of restarts, [num_nodes, num_samples, k]."""

    @abstractmethod
    def forward(self, graph: Graph, instance: Instance, features: Tensor) -> Tensor:
        """Return logits: [num_nodes, num_samples, k] gives [num_nodes, num_samples], [num_nodes, k] [num_nodes]."""

    def proposals(
        self,
        graph: Graph,
        instance: Instance,
        features: Tensor,
        generator: torch.Generator | None = None,  # noqa: ARG002 (of networks that draw along the way)
        is_over: Callable[[], bool] = never,  # noqa: ARG002 (of networks that go step by step)
    ) -> Tensor:
        """Return all logits that samples [num_nodes, num_samples, k] lead to, [num_nodes, num_proposals].

        A network that goes step by step begins no other once ``is_over``; one it always makes. On a GPU steps are
        queued rather than done, and more of them are begun.
        """
        return cast("Tensor", self(graph, instance, features))

    def outputs(self, graph: Graph, instance: Instance, features: Tensor) -> list[tuple[float, Tensor]]:
        """Return the logits that training takes its loss at, with weights that sum to 1."""
        return [(1.0, self(graph, instance, features))]

    def prepare(self, graph: Graph, instance: Instance) -> None:
        """Make what depends on the batch but not on the features, such as its matrices; otherwise made on first use."""

    @property
    def place(self) -> dict[str, Any]:
        """Device and dtype of the network, as keyword arguments for new tensors."""
        first = next(self.parameters())
        return {"device": first.device, "dtype": first.dtype}


def as_samples(graph: Graph, features: Tensor, width: int) -> Tensor:
    """Return features as [num_nodes, num_samples, width], whether samples were given or one only."""
    given = features.unsqueeze(1) if features.dim() == 2 else features
    if given.dim() != 3 or given.shape[0] != graph.num_nodes or given.shape[2] != width:
        want = f"[{graph.num_nodes}, num_samples, {width}] or [{graph.num_nodes}, {width}]"
        raise InputError(f"features must have shape {want}, these have {list(features.shape)}")
    return given


class BatchNorm(nn.BatchNorm1d):
    """Normalise over rows; in training too by the running statistics where there are fewer than two.

    The spread of a single row is 0: there is nothing to normalise by, or to learn the statistics from.
    """

    def forward(self, values: Tensor) -> Tensor:
        """Map [num_rows, width] to the same shape."""
        if self.training and len(values) < 2:
            return batch_norm(values, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps)
        return super().forward(values)
