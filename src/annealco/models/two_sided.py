"""Two recurrences in one: the one of sparse graphs and the one of dense graphs, which have little in common.

A dense graph is seen by the pairs that are not joined (`sparse_side`). There a clique is an independent set, which
`field` knows from sparse graphs; on a sparse graph it is something else, and what is learned of the one is lost on the
other. So each side has weights of its own, and which of them are meant is read off the graph: dense is one with more
than half of all pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy

import numpy as np
import torch
from torch import Tensor

from annealco.energy import Instance
from annealco.graph.graph import Graph
from annealco.graph.operations import sparse_side
from annealco.models.compiled_field import DEFAULTS, CompiledField, FieldSettings
from annealco.models.field import Field
from annealco.models.model import Draws, Model, ModelInput, never


class TwoSided(Model):
    """A `field` for sparse graphs and one for dense graphs.

    Args:
        width: of a node's state, in both.
        num_steps: of a run, in both.
        round_steps: steps of a round of a long run.
        fresh: share of the nodes that start anew between rounds.
    """

    name = "two_sided"
    batch_size = Field.batch_size
    learning_rate = Field.learning_rate

    def __init__(
        self,
        *,
        width: int = DEFAULTS.width,
        num_steps: int = DEFAULTS.num_steps,
        round_steps: int = DEFAULTS.round_steps,
        fresh: float = DEFAULTS.fresh,
    ) -> None:
        settings = FieldSettings(width, num_steps, round_steps, fresh).check()
        super().__init__(**settings.told())
        self.sparse, self.dense = (Field(**settings._asdict()) for _ in range(2))

    def generator(self, seed: int) -> np.random.Generator:
        """Return what both draw with."""
        return self.sparse.generator(seed)

    def compiled(self) -> CompiledField | None:
        """Return both as the core runs them."""
        sides = [side.compiled() for side in (self.sparse, self.dense)]
        weights = tuple(each for side in sides if side is not None for each in side.weights)
        rounds = (self.sparse.round_steps, self.sparse.fresh)
        return CompiledField(weights, self.sparse.num_steps, *rounds) if len(weights) == 2 else None

    def draw_features(self, graph: Graph, num_samples: int, generator: Draws = None) -> Tensor:
        """Draw what either begins with, [num_nodes, num_samples, NUM_FEATURES]."""
        return self.sparse.draw_features(graph, num_samples, generator)

    def forward(self, batch: ModelInput) -> Tensor:
        """Return the logits of each graph's own network."""
        [logits] = self._by_side(batch.graph, lambda field: [field(batch)])
        return logits

    def proposals(self, batch: ModelInput, generator: Draws = None, is_over: Callable[[], bool] = never) -> Tensor:
        """Return what each graph's own network proposes, and of two kinds of graphs at once as much as both have."""

        def proposed(field: Field) -> list[Tensor]:
            # Both draw the same numbers, as if each had all graphs.
            return [field.proposals(batch, copy(generator), is_over)]

        def copy(given: Draws) -> Draws:
            return given.clone_state() if isinstance(given, torch.Generator) else deepcopy(given)

        [logits] = self._by_side(batch.graph, proposed)
        return logits

    def outputs(self, batch: ModelInput) -> list[tuple[float, Tensor]]:
        """Return the outputs of each graph's own network, after equally many steps of both."""
        self.sparse.progress = self.dense.progress = self.progress
        num_steps = self.sparse.draw_steps() if self.training else self.sparse.num_steps
        shares: list[float] = []

        def later(field: Field) -> list[Tensor]:
            weighted = field.later_outputs(batch, num_steps)
            shares[:] = [share for share, _ in weighted]
            return [logits for _, logits in weighted]

        logits = self._by_side(batch.graph, later)
        # Of a batch of one kind the other side learns nothing, which must be said: several processes wait for every
        # gradient, and an optimiser that was never given one has no state to go on from.
        nothing = torch.stack([0.0 * each.sum() for each in self.parameters()]).sum()
        return [(share, each + nothing) for share, each in zip(shares, logits, strict=True)]

    def prepare(self, graph: Graph, instance: Instance) -> None:
        """Make what is fixed on this batch, which is the same for both."""
        self.sparse.prepare(graph, instance)

    def _by_side(self, graph: Graph, run: Callable[[Field], Sequence[Tensor]]) -> list[Tensor]:
        """Run the network of each side that is there, and take every node's logits from its own."""
        dense = sparse_side(graph).complemented
        if dense.all() or not dense.any():
            return list(run(self.dense if dense.any() else self.sparse))
        at_dense = torch.from_numpy(dense[graph.graph_of_node])
        return [_choose(at_dense, *each) for each in zip(run(self.dense), run(self.sparse), strict=True)]


def _choose(first: Tensor, one: Tensor, other: Tensor) -> Tensor:
    """Return the rows of one where ``first`` says so, and the others' of the other; columns that both have."""
    if one.dim() == 1:
        return torch.where(first.to(one.device), one, other)
    columns = min(one.shape[1], other.shape[1])
    return torch.where(first.to(one.device)[:, None], one[:, :columns], other[:, :columns])
