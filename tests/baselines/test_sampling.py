from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch

from annealco.baselines import sampling
from annealco.baselines.sampling import PENALTY, Sampler, _progress, best_of, cooling, new_sampler, sample
from annealco.baselines.search_methods import anneal_and_decode
from annealco.errors import InputError
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from tests.baselines.instances import solved_instances
from tests.fake_clock import FakeClock
from tests.problems.sums import SUMS


@pytest.mark.parametrize("name", SUMS)
def test_gains_are_differences_of_the_energy(name: str) -> None:
    rng = np.random.default_rng(1)
    for graph in small_graphs(rng, num_random=4)[-4:]:
        instance = SUMS[name].declare(graph)
        energy = instance.energy(PENALTY)
        bits = rng.integers(0, 2, (graph.num_nodes, 3)).astype(np.float32)
        sampler = new_sampler(instance, flips=2, adjusted=False, seed=0)
        gain = sampler.at(torch.tensor(bits)).gain.numpy()
        np.testing.assert_allclose(
            sampler.value(torch.tensor(bits)).numpy()[0], energy.value(bits.T)[:, 0], atol=1e-4, rtol=1e-4
        )
        for node in range(graph.num_nodes):
            flipped = bits.copy()
            flipped[node] = 1 - flipped[node]
            change = energy.value(bits.T)[:, 0] - energy.value(flipped.T)[:, 0]
            np.testing.assert_allclose(gain[node], change, atol=1e-3)


def test_corrected_steps_visit_sets_as_often_as_they_should() -> None:
    graphs = Graph.batch([Graph.from_edges([[0, 1], [1, 2]]), Graph.from_edges([[0], [1]])])
    instance = PROBLEMS["mis"].declare(graphs)
    sampler = new_sampler(instance, flips=1, adjusted=True, seed=3)
    temperature = torch.tensor([[0.7], [1.3]])
    state = sampler.at(torch.zeros(5, 600))
    counts = np.zeros(32)
    for number in range(400):
        state = sampler.step(state, temperature)
        if number >= 40:
            counts += np.bincount((state.bits.T.numpy() @ [16, 8, 4, 2, 1]).astype(int), minlength=32)
    states = np.array(list(product([0, 1], repeat=5)))
    chance = np.exp(-(instance.energy(PENALTY).value(states) / temperature.numpy().T).sum(axis=1))
    np.testing.assert_allclose(counts / counts.sum(), chance / chance.sum(), atol=0.006)


def test_about_as_many_nodes_are_flipped_as_asked_for() -> None:
    instance = PROBLEMS["mis"].declare(generate("rb-small", count=3, seed=2))
    sampler = new_sampler(instance, flips=5, adjusted=False, seed=0)
    state = sampler.at(torch.randint(0, 2, (instance.num_nodes, 4), generator=torch.Generator().manual_seed(1)).float())
    chance = torch.sigmoid(sampler.flip_logit(state, torch.full((3, 1), 1e-3)))
    per_graph = torch.zeros(3, 4).index_add(0, sampler.owner, (chance >= 0.5).float())
    assert torch.all(per_graph >= 5)


def test_it_beats_mean_field_annealing_on_forced_graphs() -> None:
    graphs = generate("rb-small", count=12, seed=0)
    planted = graphs.graph_data["planted_size"]
    instance = PROBLEMS["mis"].declare(graphs)
    sampled = instance.value(sample(instance, num_steps=300, seed=0)) / planted
    cooled = instance.value(anneal_and_decode(instance, seed=0, threads=1)) / planted
    assert sampled.mean() > 0.93
    assert sampled.mean() > cooled.mean() + 0.05


@pytest.mark.parametrize("name", SUMS)
def test_small_optima_are_mostly_found_and_all_sets_feasible(name: str) -> None:
    reached = []
    for problem, graph, best in list(solved_instances(name, num_random=4, seed=6))[::3]:
        found = sample(problem.declare(graph), num_steps=60, seed=1)
        value = problem.score(graph, np.flatnonzero(found).tolist())
        assert value is not None
        reached.append(value == pytest.approx(best))
    assert np.mean(reached) > 0.8


def test_the_seed_repeats_a_run() -> None:
    instance = PROBLEMS["mds"].declare(generate("ba-small", count=2, seed=1))
    runs = [sample(instance, num_steps=30, num_restarts=4, seed=seed, adjusted=True) for seed in (1, 1, 2)]
    assert runs[0].tolist() == runs[1].tolist()
    assert runs[0].tolist() != runs[2].tolist()
    assert [number for number, _ in _progress(3, None)] == [0, 1, 2]
    assert [progress for _, progress in _progress(3, None)] == [0.0, 0.5, 1.0]


def test_seconds_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, step = FakeClock(), Sampler.step
    monkeypatch.setattr(sampling, "time", clock)
    progress = []
    for number, share in _progress(None, 20.0):
        progress.append((number, share))
        clock.now += 5
    assert progress == [(0, 0.0), (1, 0.25), (2, 0.5), (3, 0.75), (4, 1.0)]

    def step_of_five_seconds(*arguments):
        clock.now += 5
        return step(*arguments)

    monkeypatch.setattr(Sampler, "step", step_of_five_seconds)
    begun, instance = clock.now, PROBLEMS["mds"].declare(generate("ba-small", count=2, seed=1))
    found = sample(instance, seconds=20.0, num_restarts=4)
    assert clock.now - begun == 25
    assert not instance.violations(found).any()


def test_the_best_feasible_row_of_each_graph_is_taken() -> None:
    graphs = Graph.batch([Graph.from_edges([[0, 0], [1, 2]]), Graph.from_edges([[0], [1]])])
    instance = PROBLEMS["mis"].declare(graphs)
    rows = np.array([[1, 0, 0, 0, 1], [0, 1, 1, 1, 1]], dtype=bool)
    assert best_of(instance, rows, 1)[:3].tolist() == [False, True, True]
    first, last = cooling(instance)
    assert np.all(first >= last)
    assert np.all(last > 0)


def test_bad_arguments_are_refused() -> None:
    instance = PROBLEMS["mis"].declare(Graph.from_edges([[0], [1]]))
    with pytest.raises(InputError, match="either steps or seconds"):
        sample(instance)
    with pytest.raises(InputError, match="at least 1"):
        sample(instance, num_steps=1, flips=0)
    assert sample(PROBLEMS["mis"].declare(Graph.from_edges(np.zeros((2, 0), int), 0)), num_steps=1).tolist() == []
