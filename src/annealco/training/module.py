"""The step of annealed training, for Lightning to run.

For a batch of graphs the network gives Q_θ, and θ follows the gradient of

    L_τ(θ) = mean over graphs of  E_{Q_θ}[f] − τ H(Q_θ),

by default with f and τ in units of each graph (`annealco.training.temperature`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from lightning.pytorch import LightningModule
from torch import Tensor

from annealco.models import Model
from annealco.training.batches import Batch, Batches, Share
from annealco.training.free_energy import entropy, free_energy
from annealco.training.losses import LOSSES
from annealco.training.recipe import Recipe
from annealco.training.state import State
from annealco.training.temperature import units


class AnnealedTraining(LightningModule):
    """A network, its loss and its optimizer.

    Attributes:
        model: the network.
        temperature: τ of the next step.
        number: the next step's number in the whole run, which all random numbers of the step are drawn from.
    """

    def __init__(self, model: Model, recipe: Recipe, batches: Batches, state: State | None = None) -> None:
        super().__init__()
        self.model = model
        self.recipe = recipe
        self.batches = batches
        self.state = state
        self.temperature = recipe.tau0
        self.number = 0

    def __reduce__(self) -> tuple[Any, ...]:
        # Networks may remember what they computed for a batch, which need not and often cannot travel to a process.
        parts = (type(self.model), self.model.settings, self.model.state_dict())
        return _from_parts, (*parts, self.recipe, self.batches, self.state)

    @property
    def share(self) -> Share:
        """Which of the processes this is."""
        return Share(self.trainer.global_rank, self.trainer.world_size)

    def training_step(self, batch: Batch, _index: int) -> dict[str, Tensor]:
        """Return the loss, and the sums over this process's graphs of loss, energy, entropy and 1."""
        features = self._draw_features(batch)
        energy = LOSSES[self.recipe.loss].of(batch.instance, self.recipe.penalty_scale)
        weights, outputs = zip(*self.model.outputs(batch.graph, batch.instance, features), strict=True)

        # L_τ = E_Q[f] − τ H(Q) of every graph, sample and output that the network learns from.
        logits = torch.stack(outputs, dim=2)
        unit = self._units(batch, logits)
        losses = free_energy(energy, logits, self.temperature * unit) / unit
        losses = losses @ losses.new_tensor(weights)

        counted = torch.as_tensor(batch.weight, device=self.device)
        total = (losses.mean(1) * counted).sum()
        # Lightning averages gradients over processes: what is summed here must be the share of the mean of all.
        loss = total * (self.share.world_size / batch.whole.num_graphs)
        return {"loss": loss, "sums": self._measure(batch, outputs[-1].detach(), counted, total.detach())}

    def _units(self, batch: Batch, logits: Tensor) -> float | Tensor:
        """Return what temperature and loss of each graph are counted in: 1, or [num_graphs, 1, 1]."""
        return logits.new_tensor(units(batch.instance))[:, None, None] if self.recipe.in_units else 1.0

    def _draw_features(self, batch: Batch) -> Tensor:
        """Draw features for the whole batch, and return those of this process's nodes."""
        seed = step_seed(self.recipe.seed, self.number)
        # For whatever else a network draws: the same in every process.
        torch.manual_seed(seed)
        features = self.model.draw_features(batch.whole, self.recipe.samples, torch.Generator().manual_seed(seed))
        return features[batch.nodes].to(self.device)

    def _measure(self, batch: Batch, logits: Tensor, counted: Tensor, loss: Tensor) -> Tensor:
        energy = batch.instance.energy(self.recipe.penalty_scale)
        with torch.no_grad():
            means = [each.mean(1) for each in (energy.expectation(logits), entropy(energy.node_ptr, logits))]
            return torch.stack([loss, *((each * counted).sum() for each in means), counted.sum()]).double()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Return Adam, where it was if the run is resumed."""
        optimizer = torch.optim.Adam(self.model.parameters(), lr=self.recipe.learning_rate)
        if self.state is not None:
            self.state.restore(self.model, optimizer)
        return optimizer

    def train_dataloader(self) -> Batches:
        """Return the batches; Lightning asks when it knows which process this is."""
        self.batches.share = self.share
        return self.batches

    def transfer_batch_to_device(self, batch: Batch, _device: torch.device, _dataloader_idx: int) -> Batch:
        """Return the batch: its arrays go where logits are when they are first used."""
        return batch


def _from_parts(
    kind: Callable[..., Model], settings: dict[str, Any], weights: dict[str, Tensor], *rest: Any
) -> AnnealedTraining:
    model = kind(**settings)
    model.load_state_dict(weights)
    return AnnealedTraining(model, *rest)


def step_seed(seed: int, number: int) -> int:
    """Return the seed of a step; those of different runs and steps are unrelated."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0] >> 1)
