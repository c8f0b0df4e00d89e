"""The network of Karalias and Loukas, *Erdős goes neural* (2020), which the paper trains too.

The input is the indicator of one random seed node a graph. Layer k of graph isomorphism layers is followed by a mask:
only the ball of k hops around the seed passes. Every node is its own neighbour. Where the instance forces nodes into
the set, as cuts with a seed node do, these are the seed, whatever was drawn. Other inputs, and layers without a mask,
are readings that the paper leaves open. Two variants:

* ``wide``, theirs for cliques: 4 layers of width 512 with trained ε, graph size norm 1/√n, BatchNorm; head 512→64→1;
* ``deep``, theirs for cuts: 6 layers of width 64 (256 for large graphs) with ε = 0, BatchNorm; optionally a layer of
  attention with 8 heads; head with BatchNorm and dropout.

Both have skip connections from the second layer on and leaky ReLUs. Heads: ``sigmoid`` gives logits as they are;
``min-max``, theirs, scales the outputs of each graph to 0..1 and reads them as probabilities. A size norm of 1/√n per
graph is what they describe; their released code leaves it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from annealco.arrays import segment_sum
from annealco.energy import Instance
from annealco.energy.structure import structure_of
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.models.model import BatchNorm, Model, ModelInput, as_samples
from annealco.models.neighbours import NeighbourSums, neighbour_sums
from annealco.optional import require

if TYPE_CHECKING:
    from annealco.models.erdos_layers import SampledGAT

NUM_HEADS = 8
"""Of the layer of attention."""

LEAST_PROBABILITY = 1e-6
"""Min–max scaling gives probabilities 0 and 1, whose logits are infinite: they end here."""


@dataclass(frozen=True)
class Shape:
    """What tells a variant from another.

    Attributes:
        width: of all layers.
        num_layers: of graph isomorphism.
        hidden: width inside the head; None for that of the layers.
        train_eps: whether ε is learned.
        size_norm: whether features are divided by the root of the graph's size.
        first_norm: whether the first layer too is followed by BatchNorm.
        head_norm: whether the head has BatchNorm and dropout.
    """

    width: int
    num_layers: int
    hidden: int | None
    train_eps: bool
    size_norm: bool
    first_norm: bool
    head_norm: bool


VARIANTS = {
    "wide": Shape(512, 4, hidden=64, train_eps=True, size_norm=True, first_norm=True, head_norm=False),
    "deep": Shape(64, 6, hidden=None, train_eps=False, size_norm=False, first_norm=False, head_norm=True),
}
OUTPUT_HEADS = ("sigmoid", "min-max")
NUM_INPUTS = {"seed": 1, "random": 4, "seed+degree": 2, "random+degree": 5}
"""Columns of the input of a node, by what it is; the degree comes last."""


class Erdos(Model):
    """Graph isomorphism layers around a random seed node.

    Args:
        variant: ``wide`` or ``deep``.
        width: of the layers, where not the variant's own.
        attention: width of a head of the layer of attention, 0 for none; theirs is 64, and 24 at width 256.
        head: ``sigmoid`` or ``min-max``.
        mask: whether layer k lets only the ball of k hops around the seed pass; without a seed nothing is masked.
        features: input of a node: ``seed``; ``random``, four normal numbers instead, which tell nothing of nodes that
            are forced into the set; or ``seed+degree``, ``random+degree``, with the degree divided by the mean of the
            graph.
    """

    name = "erdos"

    def __init__(
        self,
        *,
        variant: str = "wide",
        width: int | None = None,
        attention: int = 0,
        head: str = "sigmoid",
        mask: bool = True,
        features: str = "seed",
    ) -> None:
        # PyG takes seconds to import: only when a network of it is built.
        require("the network erdos", "torch_geometric")
        from annealco.models.erdos_layers import SampledGAT, SummingGIN

        if variant not in VARIANTS:
            raise InputError(f"unknown variant {variant!r}; choose one of {', '.join(VARIANTS)}")
        if head not in OUTPUT_HEADS:
            raise InputError(f"unknown head {head!r}; choose one of {', '.join(OUTPUT_HEADS)}")
        if features not in NUM_INPUTS:
            raise InputError(f"unknown features {features!r}; choose one of {', '.join(NUM_INPUTS)}")
        if (width is not None and width < 1) or attention < 0:
            raise InputError(f"width must be at least 1 and attention not negative, they are {width} and {attention}")
        super().__init__(variant=variant, width=width, attention=attention, head=head, mask=mask, features=features)
        self.shape, self.head, self.mask, self.features = VARIANTS[variant], head, mask, features
        width = width or self.shape.width
        hidden = self.shape.hidden or width
        self.layers = nn.ModuleList(
            SummingGIN(width if layer else NUM_INPUTS[features], width, train_eps=self.shape.train_eps)
            for layer in range(self.shape.num_layers)
        )
        self.norms = nn.ModuleList(
            BatchNorm(width) if layer or self.shape.first_norm else nn.Identity()
            for layer in range(self.shape.num_layers)
        )
        self.attention: SampledGAT | None = SampledGAT(width, attention, heads=NUM_HEADS) if attention else None
        self.inner = nn.Linear(NUM_HEADS * attention if attention else width, hidden)
        self.inner_norm = nn.Sequential(BatchNorm(hidden), nn.Dropout(0.5)) if self.shape.head_norm else None
        self.outer = nn.Linear(hidden, 1)

    def draw_features(self, graph: Graph, num_samples: int, generator: torch.Generator | None = None) -> Tensor:
        """Draw the input of every node and sample, [num_nodes, num_samples, k]: a seed node a graph, or numbers."""
        if self._is_random:
            columns = torch.randn(graph.num_nodes, num_samples, NUM_INPUTS[self.features], generator=generator)
        else:
            columns = self._draw_seeds(graph, num_samples, generator)
        if self.features.endswith("degree"):
            columns[:, :, -1] = torch.as_tensor(relative_degree(graph)).unsqueeze(1)
        return columns.to(**self.place)

    @property
    def _is_random(self) -> bool:
        return self.features.startswith("random")

    def _draw_seeds(self, graph: Graph, num_samples: int, generator: torch.Generator | None) -> Tensor:
        counts = torch.tensor(np.diff(graph.node_ptr)).unsqueeze(1)
        starts = torch.tensor(graph.node_ptr[:-1]).unsqueeze(1)
        uniform = torch.rand(graph.num_graphs, num_samples, generator=generator, dtype=torch.float64)
        seeds = starts + torch.minimum((uniform * counts).long(), counts - 1)
        kept = counts.squeeze(1) > 0
        columns = torch.zeros(graph.num_nodes, num_samples, NUM_INPUTS[self.features])
        columns[:, :, 0].scatter_(0, seeds[kept], 1.0)
        return columns

    def forward(self, batch: ModelInput) -> Tensor:
        """Return the logits; of the instance only nodes that are forced into the set are looked at."""
        graph = batch.graph
        given = as_samples(graph, batch.features, NUM_INPUTS[self.features])
        ball: Tensor | None = None
        if not self._is_random:
            given = at_forced(graph, batch.instance, given)
            ball = given[:, :, :1] if self.mask else None
        elif len(structure_of(batch.instance).forced):
            raise InputError("random features tell nothing of nodes that are forced into the set: set features='seed'")
        neighbours = neighbour_sums(graph, given.device, given.dtype, loops=True)
        scale = self._scale(graph, given)
        values = given
        for number, (layer, norm) in enumerate(zip(self.layers, self.norms, strict=True)):
            ball = _grow(ball, neighbours)
            out = leaky_relu(layer(values, neighbours), inplace=True)
            out = values + out if number else out
            out = _times(out, scale if ball is None else _times(ball, scale))
            values = norm(out.flatten(0, 1)).view(out.shape)
        if self.attention is not None:
            ball = _grow(ball, neighbours)
            values = _times(leaky_relu(self.attention(values, graph)), ball)
        logits = self._read(graph, values, ball)
        return logits if batch.features.dim() == 3 else logits.squeeze(1)

    def prepare(self, graph: Graph, instance: Instance) -> None:  # noqa: ARG002
        """Make the neighbour sums of this batch."""
        neighbour_sums(graph, **self.place, loops=True)

    def _scale(self, graph: Graph, given: Tensor) -> Tensor | None:
        """Return the size norm, 1/√n, [num_nodes, 1, 1]."""
        if not self.shape.size_norm:
            return None
        size = np.diff(graph.node_ptr)[graph.graph_of_node]
        return torch.tensor(size**-0.5, device=given.device, dtype=given.dtype).view(-1, 1, 1)

    def _read(self, graph: Graph, values: Tensor, ball: Tensor | None) -> Tensor:
        inner = _times(leaky_relu(self.inner(values)), ball)
        if self.inner_norm is not None:
            inner = self.inner_norm(inner.flatten(0, 1)).view(inner.shape)
        out = self.outer(inner)
        if self.head == "sigmoid":
            # Outside of the ball the logit is the bias: a masked one would stand for probability 1/2.
            return out.squeeze(2)  # type: ignore[no-any-return]
        return min_max_logits(graph, _times(leaky_relu(out), ball).squeeze(2))


def relative_degree(graph: Graph) -> NDArray[np.float32]:
    """Return the degree of each node divided by the mean of its graph, [num_nodes]; nodes are their own neighbours."""
    degree = (graph.degree + 1).astype(np.float64)
    mean = segment_sum(degree, graph.node_ptr) / np.maximum(np.diff(graph.node_ptr), 1)
    return (degree / mean[graph.graph_of_node]).astype(np.float32)


def at_forced(graph: Graph, instance: Instance, given: Tensor) -> Tensor:
    """Return the input with the forced nodes as the seed in graphs that have some, and what is given elsewhere."""
    nodes = structure_of(instance).forced
    if not len(nodes):
        return given
    kept = ~np.isin(graph.graph_of_node, graph.graph_of_node[nodes])
    seed = given[:, :, :1] * torch.as_tensor(kept, device=given.device).view(-1, 1, 1)
    seed[torch.as_tensor(nodes, device=given.device)] = 1.0
    return torch.cat([seed, given[:, :, 1:]], dim=2)


def _grow(ball: Tensor | None, neighbours: NeighbourSums) -> Tensor | None:
    """Return the indicator of the nodes within one more hop, [num_nodes, num_samples, 1]; None once it is all nodes."""
    if ball is None:
        return None
    with torch.no_grad():
        inside = neighbours.sum(ball) > 0.5
        return None if bool(inside.all()) else inside.to(ball.dtype)


def _times(values: Tensor, factor: Tensor | None) -> Tensor:
    return values if factor is None else values * factor


def min_max_logits(graph: Graph, values: Tensor) -> Tensor:
    """Scale [num_nodes, num_samples] to probabilities 0..1 in each graph, and return their logits."""
    owner = torch.tensor(graph.graph_of_node, device=values.device).unsqueeze(1).expand_as(values)
    empty = values.new_zeros(graph.num_graphs, values.shape[1])
    least = empty.scatter_reduce(0, owner, values, "amin", include_self=False).gather(0, owner)
    most = empty.scatter_reduce(0, owner, values, "amax", include_self=False).gather(0, owner)
    probability = (values - least) / (most + LEAST_PROBABILITY - least)
    return torch.logit(probability.clamp(LEAST_PROBABILITY, 1 - LEAST_PROBABILITY))
