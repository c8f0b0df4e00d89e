from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch
from lightning.pytorch import Trainer

from annealco.problems import PROBLEMS
from annealco.training.batches import Batches, Share, make_batch
from annealco.training.free_energy import free_energy
from annealco.training.module import AnnealedTraining, step_seed
from annealco.training.recipe import Recipe
from tests.training.small_runs import new_model, small_graphs

GRAPHS = small_graphs(5)


def new_module(world_size: int = 1, rank: int = 0, **options: float) -> AnnealedTraining:
    recipe = Recipe("mis", {}, "tiny", {}, tau0=2.0, samples=2, seed=4, **options)  # type: ignore[arg-type]
    module = AnnealedTraining(new_model(), recipe, Batches(GRAPHS, PROBLEMS["mis"], batch_size=5, seed=4))

    class Place(Trainer):
        """A trainer that says it is one of several."""

        global_rank = rank  # type: ignore[assignment]
        world_size = 1  # type: ignore[assignment]

    Place.world_size = world_size  # type: ignore[assignment]
    module.trainer = Place(accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False)
    module.number = 7
    module.temperature = 0.5
    return module


def batch_of(share: Share, positions: tuple[int, ...] = (0, 1, 2, 3, 4)):  # type: ignore[no-untyped-def]
    return make_batch(GRAPHS, PROBLEMS["mis"], np.array(positions), share)


def test_the_loss_is_the_mean_free_energy_over_graphs_samples_and_outputs() -> None:
    module = new_module(penalty_scale=1.5)
    batch = batch_of(Share())
    found = module.training_step(batch, 0)
    seed = step_seed(4, 7)
    features = module.model.draw_features(batch.whole, 2, torch.Generator().manual_seed(seed))
    torch.manual_seed(seed)
    energy = PROBLEMS["mis"].declare(GRAPHS).energy(1.5)
    outputs = module.model.outputs(GRAPHS, batch.instance, features)
    expected = sum(weight * free_energy(energy, logits, 0.5).mean() for weight, logits in outputs)
    assert found["loss"].item() == pytest.approx(expected.item(), rel=1e-6)  # type: ignore[union-attr]
    loss, mean_energy, entropy, count = found["sums"].tolist()
    assert count == 5
    assert loss == pytest.approx(5 * found["loss"].item(), rel=1e-6)
    assert mean_energy == pytest.approx(energy.expectation(outputs[-1][1]).mean(1).sum().item(), rel=1e-5)
    assert 0 < entropy < GRAPHS.num_nodes


@pytest.mark.parametrize("positions", [(0, 1, 2, 3, 4), (2,)], ids=["five graphs", "one graph"])
def test_the_mean_gradient_of_two_processes_is_that_of_one(positions: tuple[int, ...]) -> None:
    gradients = []
    for world_size in (1, 2):
        parts = []
        for rank in range(world_size):
            module = new_module(world_size, rank)
            module.training_step(batch_of(Share(rank, world_size), positions), 0)["loss"].backward()
            parts.append(torch.cat([each.grad.flatten() for each in module.model.parameters()]))  # type: ignore[union-attr]
        gradients.append(torch.stack(parts).mean(0))
    assert torch.allclose(*gradients, rtol=1e-4, atol=1e-5)


def test_a_step_is_the_same_whatever_was_drawn_before() -> None:
    first = new_module().training_step(batch_of(Share()), 0)["loss"]
    torch.rand(100)
    assert torch.equal(first, new_module().training_step(batch_of(Share()), 0)["loss"])


def test_seeds_of_steps_are_different_and_fit_torch() -> None:
    seeds = {step_seed(seed, number) for seed in (0, 1, 2**63 - 1) for number in range(50)}
    assert len(seeds) == 150
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_it_travels_to_another_process() -> None:
    module = new_module()
    again = pickle.loads(pickle.dumps(module))
    for first, second in zip(module.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(first, second)
    assert again.recipe == module.recipe
