"""The network of Karalias and Loukas, *Erdős goes neural* (2020), which the paper trains too.

The input is the indicator of one random seed node a graph. Layer k of graph isomorphism layers is followed by a mask:
only the ball of k hops around the seed passes. Every node is its own neighbour. Where the instance forces nodes into
the set, as cuts with a seed node do, these are the seed, whatever was drawn. Two variants:

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
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

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


class Erdos(Model):
    """Graph isomorphism layers around a random seed node.

    Args:
        variant: ``wide`` or ``deep``.
        width: of the layers, where not the variant's own.
        attention: width of a head of the layer of attention, 0 for none; theirs is 64, and 24 at width 256.
        head: ``sigmoid`` or ``min-max``.
    """

    name = "erdos"

    def __init__(
        self, *, variant: str = "wide", width: int | None = None, attention: int = 0, head: str = "sigmoid"
    ) -> None:
        # PyG takes seconds to import: only when a network of it is built.
        require("the network erdos", "torch_geometric")
        from annealco.models.erdos_layers import SampledGAT, SummingGIN

        if variant not in VARIANTS:
            raise InputError(f"unknown variant {variant!r}; choose one of {', '.join(VARIANTS)}")
        if head not in OUTPUT_HEADS:
            raise InputError(f"unknown head {head!r}; choose one of {', '.join(OUTPUT_HEADS)}")
        if (width is not None and width < 1) or attention < 0:
            raise InputError(f"width must be at least 1 and attention not negative, they are {width} and {attention}")
        super().__init__(variant=variant, width=width, attention=attention, head=head)
        self.shape, self.head = VARIANTS[variant], head
        width = width or self.shape.width
        hidden = self.shape.hidden or width
        self.layers = nn.ModuleList(
            SummingGIN(width if layer else 1, width, train_eps=self.shape.train_eps)
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
        """Draw a seed node a graph and sample, as indicators [num_nodes, num_samples, 1]."""
        counts = torch.tensor(np.diff(graph.node_ptr)).unsqueeze(1)
        starts = torch.tensor(graph.node_ptr[:-1]).unsqueeze(1)
        uniform = torch.rand(graph.num_graphs, num_samples, generator=generator, dtype=torch.float64)
        seeds = starts + torch.minimum((uniform * counts).long(), counts - 1)
        kept = counts.squeeze(1) > 0
        features = torch.zeros(graph.num_nodes, num_samples)
        features.scatter_(0, seeds[kept], 1.0)
        return features.unsqueeze(2).to(**self.place)

    def forward(self, batch: ModelInput) -> Tensor:
        """Return the logits; of the instance only nodes that are forced into the set are looked at."""
        graph = batch.graph
        given = at_forced(graph, batch.instance, as_samples(graph, batch.features, 1))
        neighbours = neighbour_sums(graph, given.device, given.dtype, loops=True)
        ball, scale = given, self._scale(graph, given)
        values = given
        for number, (layer, norm) in enumerate(zip(self.layers, self.norms, strict=True)):
            ball = _grow(ball, neighbours)
            out = leaky_relu(layer(values, neighbours), inplace=True)
            out = values + out if number else out
            out = _masked(out, ball, scale)
            values = norm(out.flatten(0, 1)).view(out.shape)
        if self.attention is not None:
            ball = _grow(ball, neighbours)
            values = _masked(leaky_relu(self.attention(values, graph)), ball, None)
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

    def _read(self, graph: Graph, values: Tensor, ball: Tensor) -> Tensor:
        inner = _masked(leaky_relu(self.inner(values)), ball, None)
        if self.inner_norm is not None:
            inner = self.inner_norm(inner.flatten(0, 1)).view(inner.shape)
        out = self.outer(inner)
        if self.head == "sigmoid":
            # Outside of the ball the logit is the bias: a masked one would stand for probability 1/2.
            return out.squeeze(2)  # type: ignore[no-any-return]
        return min_max_logits(graph, _masked(leaky_relu(out), ball, None).squeeze(2))


def at_forced(graph: Graph, instance: Instance, given: Tensor) -> Tensor:
    """Return the indicators of the forced nodes in graphs that have some, and what is given elsewhere."""
    nodes = structure_of(instance).forced
    if not len(nodes):
        return given
    kept = ~np.isin(graph.graph_of_node, graph.graph_of_node[nodes])
    result = given * torch.as_tensor(kept, device=given.device).view(-1, 1, 1)
    result[torch.as_tensor(nodes, device=given.device)] = 1.0
    return result


def _grow(ball: Tensor, neighbours: NeighbourSums) -> Tensor:
    """Return the indicator of the nodes within one more hop, [num_nodes, num_samples, 1]."""
    with torch.no_grad():
        return (neighbours.sum(ball) > 0.5).to(ball.dtype)


def _masked(values: Tensor, ball: Tensor, scale: Tensor | None) -> Tensor:
    """Return values · ball · scale; a ball that holds all nodes costs nothing."""
    factor = None if bool(ball.all()) else ball
    if scale is not None:
        factor = scale if factor is None else factor * scale
    return values if factor is None else values * factor


def min_max_logits(graph: Graph, values: Tensor) -> Tensor:
    """Scale [num_nodes, num_samples] to probabilities 0..1 in each graph, and return their logits."""
    owner = torch.tensor(graph.graph_of_node, device=values.device).unsqueeze(1).expand_as(values)
    empty = values.new_zeros(graph.num_graphs, values.shape[1])
    least = empty.scatter_reduce(0, owner, values, "amin", include_self=False).gather(0, owner)
    most = empty.scatter_reduce(0, owner, values, "amax", include_self=False).gather(0, owner)
    probability = (values - least) / (most + LEAST_PROBABILITY - least)
    return torch.logit(probability.clamp(LEAST_PROBABILITY, 1 - LEAST_PROBABILITY))
