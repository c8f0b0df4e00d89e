"""Mean-field annealing against its equation and against enumeration."""

import numpy as np
import pytest
import torch

from annealco.energy import Instance, Linear, Pairs
from annealco.errors import InputError
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.decode import decode
from annealco.search.mean_field import mean_field_annealing
from tests.problems.sums import PRICED, SUMS
from tests.search.instances import best_cost, cost_of, declared, mixture


@pytest.mark.parametrize("name", SUMS)
def test_at_a_constant_temperature_it_settles_on_the_mean_field_equation(name):
    _, instance = declared(name, 1, num_random=10)
    temperature = float(instance.lipschitz().max())  # Hot enough for one solution and quick convergence.
    found = mean_field_annealing(instance, schedule=np.full(300, temperature))
    field = instance.energy().field(torch.logit(torch.tensor(found))).numpy()
    assert found == pytest.approx(1 / (1 + np.exp(field / temperature)), abs=1e-6)


def test_linear_energies_are_solved_exactly_at_every_temperature():
    ptr, weight = np.array([0, 4]), np.array([-2.0, -0.5, 0.5, 3.0])
    found = mean_field_annealing(Instance(ptr, (Linear(ptr, weight),)), schedule=[7.0, 0.3])
    assert found == pytest.approx(1 / (1 + np.exp(weight / 0.3)), abs=1e-12)


def test_cold_results_are_almost_bits_and_stay_finite():
    for seed in range(4):
        instance = mixture(np.random.default_rng(seed), weighted_all_pairs=bool(seed % 2))
        found = mean_field_annealing(instance, num_restarts=3)
        assert np.all((found >= 0) & (found <= 1))
        assert np.mean(np.minimum(found, 1 - found) < 1e-3) > 0.9


@pytest.mark.parametrize("name", SUMS)
def test_decoded_results_are_often_optimal_on_small_graphs(name):
    rng = np.random.default_rng(0)
    graphs = small_graphs(rng, num_random=20)
    reached = 0
    for graph in graphs:
        instance = SUMS[name].declare(graph)
        rows = decode(instance, mean_field_annealing(instance, num_restarts=4))
        cost = cost_of(instance, rows)[:, 0].min()
        assert np.all(instance.violations(rows) == 0)
        assert cost >= best_cost(instance) - 1e-9
        reached += cost <= best_cost(instance) + 1e-9
    # Where volume earns something, sets at both ends of the box are near optima.
    assert reached >= (0.85 if name == PRICED else 0.9) * len(graphs)


def test_it_beats_decoding_of_nothing_learnt():
    graphs = generate("rb-small", count=6, seed=0)
    instance = PROBLEMS["mis"].declare(graphs)
    annealed = decode(instance, mean_field_annealing(instance))
    plain = decode(instance, np.full(graphs.num_nodes, 0.5))
    assert instance.value(annealed).sum() > instance.value(plain).sum()


def test_seeds_restarts_batches_and_threads():
    rng = np.random.default_rng(0)
    graphs = small_graphs(rng, num_random=5)
    batch = Graph.batch(graphs)
    instance = PROBLEMS["mds"].declare(batch)
    rows = mean_field_annealing(instance, num_restarts=3, seed=5, num_threads=1)
    assert np.array_equal(rows, mean_field_annealing(instance, num_restarts=3, seed=5, num_threads=4))
    assert np.array_equal(rows[0], mean_field_annealing(instance, seed=5))
    assert not np.array_equal(rows[0], mean_field_annealing(instance, seed=6))
    for pick in (3, 12, 20):
        own = slice(batch.node_ptr[pick], batch.node_ptr[pick + 1])
        alone = mean_field_annealing(PROBLEMS["mds"].declare(graphs[pick]), num_restarts=3, seed=5)
        # A batch may keep pairs as sets where a graph alone does not.
        assert np.allclose(rows[:, own], alone, rtol=0, atol=1e-12)


def test_schedules_may_be_arrays_functions_or_one_a_graph():
    ptr = np.array([0, 1, 2])
    instance = Instance(ptr, (Linear(ptr, np.ones(2)),))
    last = 1 / (1 + np.exp(1 / np.array([0.5, 2.0])))
    assert mean_field_annealing(instance, schedule=[9.0, 0.5])[0] == pytest.approx(last[0])
    assert mean_field_annealing(instance, schedule=lambda progress: 2.5 - 2 * progress)[0] == pytest.approx(last[0])
    assert mean_field_annealing(instance, schedule=[[9.0, 9.0], [0.5, 2.0]]) == pytest.approx(last)


def test_wrong_schedules_are_refused():
    instance = PROBLEMS["mis"].declare(Graph.from_edges(np.array([[0], [1]]), 2))
    for schedule in ([0.0], [-1.0, 1.0], [np.nan], np.ones((2, 3)), np.ones((1, 1, 1))):
        with pytest.raises(InputError, match="temperatures above 0"):
            mean_field_annealing(instance, schedule=schedule)
    with pytest.raises(InputError, match="num_sweeps"):
        mean_field_annealing(instance, num_sweeps=0)
    with pytest.raises(InputError, match="num_restarts"):
        mean_field_annealing(instance, num_restarts=0)


def test_graphs_without_nodes():
    assert mean_field_annealing(PROBLEMS["mis"].declare(Graph.batch([])), num_restarts=2).shape == (2, 0)


def test_equal_nodes_are_told_apart_by_the_start():
    ptr = np.array([0, 2])
    apart = Instance(ptr, (Linear(ptr, -np.ones(2)), Pairs(ptr, np.array([[0], [1]]), np.full(1, 2.0))))
    assert sorted(mean_field_annealing(apart).round(6).tolist()) == [0.0, 1.0]
