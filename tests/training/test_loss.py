from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch

import annealco
from annealco.energy.schedules import cooling, temperatures
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.models import MODELS
from annealco.problems import PROBLEMS
from annealco.training.loss import LOSSES, annealed_loss, entropy, free_energy
from tests.problems.sums import SUMS
from tests.training.small_runs import small_graphs

STEP = 1e-6


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_gradients_are_finite_differences(name: str, weighted: bool, temperature: float) -> None:
    graphs = small_graphs(3, seed=1, weighted=weighted)
    energy = SUMS[name].declare(graphs).energy()
    logits = torch.tensor(np.random.default_rng(2).normal(size=graphs.num_nodes), dtype=torch.float64)
    leaf = logits.clone().requires_grad_()
    free_energy(energy, leaf, temperature).sum().backward()
    assert leaf.grad is not None
    for node in range(graphs.num_nodes):
        up, down = logits.clone(), logits.clone()
        up[node] += STEP
        down[node] -= STEP
        slope = (free_energy(energy, up, temperature) - free_energy(energy, down, temperature)).sum() / (2 * STEP)
        assert leaf.grad[node].item() == pytest.approx(slope.item(), rel=1e-6, abs=1e-7)


def test_it_is_the_divergence_from_the_boltzmann_distribution() -> None:
    graph = Graph.from_edges([[0, 1, 2, 0], [1, 2, 3, 3]], node_weight=[1.0, 2.0, 0.5, 1.5])
    energy, temperature = PROBLEMS["mis"].declare(graph).energy(), 0.8
    logits = torch.tensor([0.3, -1.0, 2.0, 0.1], dtype=torch.float64)
    chance = torch.sigmoid(logits).numpy()
    states = np.array(list(itertools.product([0, 1], repeat=4)))
    q = np.prod(np.where(states == 1, chance, 1 - chance), axis=1)
    boltzmann = np.exp(-energy.value(states)[:, 0] / temperature)
    total = boltzmann.sum()
    divergence = float(np.sum(q * np.log(q / (boltzmann / total))))
    expected = temperature * (divergence - math.log(total))
    assert free_energy(energy, logits, temperature).item() == pytest.approx(expected, rel=1e-12)


def test_samples_are_columns_and_graphs_may_have_their_own_temperature() -> None:
    graphs = small_graphs(3)
    energy = PROBLEMS["mds"].declare(graphs).energy()
    logits = torch.randn(graphs.num_nodes, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    own = torch.tensor([0.1, 1.0, 10.0], dtype=torch.float64)
    together = free_energy(energy, logits, own[:, None])
    assert together.shape == (3, 2)
    for number, graph in enumerate(graphs):
        alone = PROBLEMS["mds"].declare(graph).energy()
        part = logits[graphs.node_ptr[number] : graphs.node_ptr[number + 1]]
        assert torch.allclose(together[number], free_energy(alone, part, float(own[number]))[0])


def test_entropy_is_largest_when_nothing_is_known_and_survives_large_logits() -> None:
    ptr = np.array([0, 2, 2, 5])
    assert torch.allclose(entropy(ptr, torch.zeros(5)), math.log(2) * torch.tensor([2.0, 0.0, 3.0]))
    assert entropy(ptr, torch.full((5,), 500.0)).tolist() == [0.0, 0.0, 0.0]


def descend(energy, start, levels, rate=0.1):  # type: ignore[no-untyped-def]
    """Follow the gradient in the logits by Adam, at one temperature after the other, and return φ."""
    logits = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([logits], lr=rate)
    for temperature in levels:
        optimizer.zero_grad()
        free_energy(energy, logits, float(temperature)).sum().backward()
        optimizer.step()
    return torch.sigmoid(logits).detach().numpy()


@pytest.mark.parametrize("name", SUMS)
def test_at_high_temperature_training_forgets(name: str) -> None:
    graphs = small_graphs(2, seed=4)
    start = np.random.default_rng(0).normal(0, 3, graphs.num_nodes)
    hot = 1000 * SUMS[name].declare(graphs).lipschitz().max()
    chance = descend(SUMS[name].declare(graphs).energy(), start, [hot] * 600)
    assert np.abs(chance - 0.5).max() < 0.002


# The toy example of the paper: its gradient −1 + 2 Σ φ_j belongs to twice the critical penalty.
TOYS = {
    "two nodes": (Graph.from_edges([[0], [1]], node_weight=[1.0, 1.5]), [3.0, -3.0], [0, 1]),
    "star": (Graph.from_edges([[0] * 5, [1, 2, 3, 4, 5]]), [3.0] + [-3.0] * 5, [0, 1, 1, 1, 1, 1]),
}


@pytest.mark.parametrize("name", TOYS)
def test_annealing_leaves_a_local_optimum_that_descent_stays_in(name: str) -> None:
    graph, bad_start, optimum = TOYS[name]
    instance = PROBLEMS["mis"].declare(graph)
    energy = instance.energy(penalty_scale=2.0)
    cold = descend(energy, bad_start, [0.0] * 1000)
    annealed = descend(energy, bad_start, temperatures(cooling("geometric", float(energy.lipschitz()[0])), 1000))
    assert (cold > 0.5).astype(int).tolist() == [1] + [0] * (graph.num_nodes - 1)
    assert (annealed > 0.5).astype(int).tolist() == optimum
    assert energy.value(annealed > 0.5)[0] < energy.value(cold > 0.5)[0]


GRAPHS = small_graphs(3)


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_one_number_a_graph_and_has_a_gradient(name: str) -> None:
    instance = PROBLEMS["cut" if name in {"l1", "l2"} else "mis"].declare(GRAPHS)
    logits = torch.linspace(-1, 1, 2 * GRAPHS.num_nodes).reshape(-1, 2).requires_grad_()
    loss = LOSSES[name].of(instance, 1.0)
    loss.expectation(logits).sum().backward()
    assert loss.expectation(logits).shape == (3, 2)
    assert logits.grad is not None
    assert logits.grad.abs().max() > 0
    assert (loss.node_ptr == GRAPHS.node_ptr).all()


def test_the_annealed_one_is_the_problem_s_energy() -> None:
    instance, logits = PROBLEMS["mds"].declare(GRAPHS), torch.linspace(-1, 1, GRAPHS.num_nodes)
    assert [name for name, loss in LOSSES.items() if loss.annealed] == ["energy"]
    assert torch.equal(LOSSES["energy"].of(instance, 2.0).expectation(logits), instance.energy(2.0).expectation(logits))


def test_every_network_names_a_loss_that_exists() -> None:
    assert MODELS["run_csp"].loss == "run_csp"
    assert MODELS["field"].loss == MODELS["erdos"].loss == "energy"
    assert all(model.loss in LOSSES for model in MODELS.values())


def test_the_loss_for_a_loop_of_ones_own_is_the_mean_free_energy() -> None:
    graphs = small_graphs(3, seed=4, weighted=True)
    instance = annealco.declare("mds", graphs)
    logits = torch.randn(graphs.num_nodes, 2, requires_grad=True)
    each = free_energy(instance.energy(2.0), logits, 0.3)
    assert annealed_loss(logits, instance, 0.3, penalty_scale=2.0).item() == pytest.approx(each.mean().item())
    assert annealed_loss(logits, instance.energy(2.0), 0.3).item() == pytest.approx(each.mean().item())
    own = annealed_loss(logits, instance, torch.tensor([0.1, 0.2, 0.3]))
    parts = [
        annealed_loss(
            logits[graphs.node_ptr[number] : graphs.node_ptr[number + 1]], annealco.declare("mds", graph), temperature
        )
        for number, (graph, temperature) in enumerate(zip(graphs, (0.1, 0.2, 0.3), strict=True))
    ]
    assert own.item() == pytest.approx(torch.stack(parts).mean().item(), rel=1e-5)
    own.backward()
    assert logits.grad is not None
    for wrong in (torch.zeros(3), torch.zeros(graphs.num_nodes, 2, 2), [0.0] * graphs.num_nodes):
        with pytest.raises(InputError, match=r"logits must have shape \["):
            annealed_loss(wrong, instance, 0.1)  # type: ignore[arg-type]


def test_a_batch_of_pyg_is_declared_in_its_own_order() -> None:
    pytest.importorskip("torch_geometric")
    from annealco.graph.interop import to_pyg

    graphs = small_graphs(3, seed=5)
    instance, other = annealco.declare("mis", to_pyg(graphs)), annealco.declare("mis", graphs)
    chosen = np.random.default_rng(0).random(graphs.num_nodes) < 0.5
    assert instance.value(chosen).tolist() == other.value(chosen).tolist()
    assert instance.violations(chosen).tolist() == other.violations(chosen).tolist()
    with pytest.raises(InputError, match="unknown problem 'tsp'"):
        annealco.declare("tsp", graphs)


@pytest.mark.parametrize(
    "temperature",
    [math.nan, math.inf, -0.1, "1", None, True, torch.tensor(math.nan), torch.tensor([0.1, -1.0]), torch.ones(3)],
    ids=repr,
)
def test_what_is_no_temperature_is_refused(temperature: object) -> None:
    instance = annealco.declare("mis", [[[0], [1]], [[0, 1], [1, 2]]])
    with pytest.raises(InputError, match=r"the temperature must be a finite number from 0 on, or \[2\] of them, it"):
        annealed_loss(torch.zeros(5), instance, temperature)  # type: ignore[arg-type]


def test_temperatures_may_be_numbers_of_any_library() -> None:
    instance = annealco.declare("mis", [[0], [1]])
    wanted = annealed_loss(torch.zeros(2), instance, 1.0).item()
    for one in (1, np.float64(1), torch.tensor(1.0), torch.ones(1), torch.tensor(1)):
        assert annealed_loss(torch.zeros(2), instance, one).item() == pytest.approx(wanted)


def test_other_arguments_of_the_loss_are_checked() -> None:
    instance = annealco.declare("mis", [[0], [1]])
    for scale in (math.nan, math.inf, -1.0, "2", None, True):
        with pytest.raises(InputError, match="the penalty scale must be a finite number from 0 on, it is"):
            annealed_loss(torch.zeros(2), instance, 0.1, penalty_scale=scale)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a penalty scale is for an instance"):
        annealed_loss(torch.zeros(2), instance.energy(), 0.1, penalty_scale=2.0)
    with pytest.raises(InputError, match=r"instance must be what annealco.declare returns, or an energy, it is 'mis'"):
        annealed_loss(torch.zeros(2), "mis", 0.1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"logits must be floating point, these are torch.int64"):
        annealed_loss(torch.zeros(2, dtype=torch.int64), instance, 0.1)
    with pytest.raises(InputError, match="a loss needs a graph and a sample"):
        annealed_loss(torch.zeros(2, 0), instance, 0.1)
    with pytest.raises(InputError, match="a loss needs a graph and a sample, there are 0 graphs"):
        annealed_loss(torch.zeros(0), PROBLEMS["mis"].declare(Graph.batch([])), 0.1)
