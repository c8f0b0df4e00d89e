"""What a network is: a map from a batch of graphs to the logits of its nodes.

`Model` is the protocol: ``forward(batch)`` returns logits, [num_nodes] or [num_nodes, num_samples], and knows neither
the loss nor how sets are decoded. A `ModelInput` is the batch. It has the names of this package (``graph``,
``instance``, ``features``) and those that PyG layers use (``x``, ``edge_index``, ``batch``). Any other ``nn.Module``
becomes a `Model` by `annealco.models.adapters`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import batch_norm

from annealco.arrays import FloatArray, segment_sum
from annealco.energy import Instance
from annealco.energy.instance import objective_scale
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.models.compiled_field import CompiledField

NUM_RANDOM = 5
"""Random columns of ``x``: what tells restarts apart."""

NUM_INPUTS = 8
"""All columns of ``x``: five random numbers, degree, weight and field."""

MOST_FIELD = 5.0
"""The field in ``x`` is cut off here, in units of the node."""


Draws = torch.Generator | np.random.Generator | None
"""What random numbers are drawn with; None is torch's own generator."""


def never() -> bool:
    """Tell that there is no end."""
    return False


@dataclass(frozen=True, eq=False)
class ModelInput:
    """A batch of graphs for a network.

    ``x``, ``edge_index`` and ``batch`` are made when they are asked for.

    Attributes:
        graph: one or many graphs side by side.
        instance: the problem on them.
        features: random numbers that the network drew, [num_nodes, num_samples, k], or [num_nodes, k] of one sample.

    Example:
        >>> from annealco.energy import Linear
        >>> path = Graph.from_edges([[0, 1], [1, 2]])
        >>> instance = Instance(path.node_ptr, (Linear(path.node_ptr, -np.ones(3)),))
        >>> batch = ModelInput(path, instance, torch.zeros(3, NUM_RANDOM))
        >>> batch.x.shape, batch.edge_index.tolist(), batch.batch.tolist()
        (torch.Size([3, 8]), [[0, 1, 1, 2], [1, 2, 0, 1]], [0, 0, 0])
    """

    graph: Graph
    instance: Instance
    features: Tensor

    @property
    def num_nodes(self) -> int:
        """Number of nodes of all graphs."""
        return self.graph.num_nodes

    @property
    def num_graphs(self) -> int:
        """Number of graphs."""
        return self.graph.num_graphs

    @cached_property
    def x(self) -> Tensor:
        """Node features, [num_nodes, NUM_INPUTS] or [num_nodes, num_samples, NUM_INPUTS].

        The random numbers; log(1 + degree); the node's weight divided by the mean of its graph; and the energy's field
        where every node is chosen with probability 1/2, in units of what a flip of the node changes the objective by.
        The field is what tells problems, forced nodes and penalties apart.
        """
        fixed = self.features.new_tensor(_node_columns(self.graph, self.instance))
        if self.features.dim() == 3:
            fixed = fixed.unsqueeze(1).expand(-1, self.features.shape[1], -1)
        return torch.cat([self.features, fixed], dim=-1)

    @cached_property
    def edge_index(self) -> Tensor:
        """Both directions of every edge, [2, 2 · num_edges]."""
        both = np.concatenate([self.graph.edges, self.graph.edges[::-1]], axis=1).astype(np.int64)
        return torch.as_tensor(both, device=self.features.device)

    @cached_property
    def edge_weight(self) -> Tensor:
        """Weights of both directions of every edge, [2 · num_edges]."""
        return self.features.new_tensor(np.concatenate([self.graph.edge_weight] * 2))

    @cached_property
    def batch(self) -> Tensor:
        """The graph of each node, [num_nodes]."""
        return torch.as_tensor(self.graph.graph_of_node.astype(np.int64), device=self.features.device)

    def sample(self, number: int) -> ModelInput:
        """Return the batch with the features of one sample, [num_nodes, k]."""
        one = ModelInput(self.graph, self.instance, self.features[:, number])
        # Edges do not depend on the sample: they are made once for all.
        one.__dict__.update(edge_index=self.edge_index, batch=self.batch)
        return one


def _node_columns(graph: Graph, instance: Instance) -> FloatArray:
    """Return degree, weight and field of the nodes, [num_nodes, 3]."""
    sizes = np.diff(graph.node_ptr)
    mean = segment_sum(np.abs(graph.node_weight), graph.node_ptr) / np.maximum(sizes, 1)
    weight = graph.node_weight / np.repeat(np.where(mean > 0, mean, 1.0), sizes)
    with torch.no_grad():
        field = instance.energy().field(torch.zeros(graph.num_nodes, dtype=torch.float64)).numpy()
    field = np.clip(field / objective_scale(instance), -MOST_FIELD, MOST_FIELD)
    return np.stack([np.log1p(graph.degree), weight, field], axis=1)


class Model(nn.Module, ABC):
    """A network that proposes, for each node, the logit of being chosen.

    Samples are columns: restarts differ in their random features and share every product with the graph.

    Attributes:
        name: in the registry `MODELS`, or the place of the class.
        batch_size: graphs per training step, unless told otherwise.
        learning_rate: likewise.
        loss: what training lowers, likewise: the name of a loss.
        settings: constructor arguments, so that ``build_model(model.name, **model.settings)`` is the same network;
            None where nobody knows them, and the network can be loaded only into a module that is given.
        progress: how far training has come, from 0 to 1; set before every step.
        in_core: whether the compiled core may run it in training, where it knows the network and its precision.
    """

    name: ClassVar[str]
    batch_size: ClassVar[int] = 32
    learning_rate: ClassVar[float] = 1e-3
    loss: ClassVar[str] = "energy"

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        self.settings: dict[str, Any] | None = settings
        self.progress = 0.0
        self.in_core = True

    def generator(self, seed: int) -> Any:
        """Return what `draw_features` and `proposals` draw with, for a seed of any size."""
        # Torch knows seeds of 64 bits; larger ones are mixed down.
        small = seed if seed < 2**64 else int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
        return torch.Generator().manual_seed(small)

    def compiled(self) -> CompiledField | None:
        """Return the network as the compiled core runs it, with the weights of now; None where it does not."""
        return None

    @property
    def is_single(self) -> bool:
        """Whether the network is on the processor and in single precision."""
        return self.place == {"device": torch.device("cpu"), "dtype": torch.float32}

    @abstractmethod
    def draw_features(self, graph: Graph, num_samples: int, generator: Any = None) -> Tensor:
        """Draw the random node features of restarts, [num_nodes, num_samples, k]."""

    @abstractmethod
    def forward(self, batch: ModelInput) -> Tensor:
        """Return logits: [num_nodes, num_samples], or [num_nodes] for features of one sample, [num_nodes, k]."""

    def proposals(
        self,
        batch: ModelInput,
        generator: Any = None,  # noqa: ARG002 (of networks that draw along the way)
        is_over: Callable[[], bool] = never,  # noqa: ARG002 (of networks that go step by step)
    ) -> Tensor:
        """Return all logits that samples [num_nodes, num_samples, k] lead to, [num_nodes, num_proposals].

        A network that goes step by step begins no further step once ``is_over``, but always makes one. On a GPU steps
        are queued rather than done, and more of them are begun.
        """
        return cast("Tensor", self(batch))

    def outputs(self, batch: ModelInput) -> list[tuple[float, Tensor]]:
        """Return the logits that training takes its loss at, with weights that sum to 1."""
        return [(1.0, self(batch))]

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
