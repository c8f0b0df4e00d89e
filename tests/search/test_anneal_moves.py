"""The moves of annealing: they visit assignments as often as exp(−f / τ) says."""

import numpy as np
import pytest

from annealco.energy import Instance
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.search.anneal import AnnealingSearch
from annealco.search.anneal_moves import anneal
from annealco.search.forms import ENERGY
from tests.problems.sums import CUTS, SUMS
from tests.search.instances import all_assignments, knapsack


def weighted_square() -> Graph:
    square = Graph.from_edges([[0, 0, 0, 1, 2], [1, 2, 3, 2, 3]], 4)
    return square.with_weights(edge_weight=np.array([1.0, 0.7, -0.4, 1.3, 0.9]), node_weight=[1.0, 1.2, 0.8, 1.1])


def tiny(name: str) -> Instance:
    if name == "knapsack":
        return knapsack(np.random.default_rng(3), 4, width=20)
    options = {"volume": (2, 8)} if name in CUTS else {}
    return SUMS[name].with_options(**options).declare(weighted_square())


@pytest.mark.parametrize("name", [*SUMS, "knapsack"])
def test_at_a_constant_temperature_assignments_follow_gibbs(name):
    instance = tiny(name)
    energy = instance.energy().value(all_assignments(4))[:, 0]
    temperature = 0.4 * float(np.ptp(energy))
    expected = np.exp(-(energy - energy.min()) / temperature)
    expected /= expected.sum()
    search = AnnealingSearch(instance, np.zeros(4, bool), 7)
    # A constant schedule that is never used up; every fifth sweep is looked at.
    samples, stride = 20_000, 5
    temperatures = np.full(samples * stride + 1, temperature)
    counts = np.zeros(16)
    for _ in range(samples):
        anneal(search.forms, search.state, temperatures, 4 * stride)
        counts[int(search.state.bits.chosen @ (1 << np.arange(4)))] += 1
    # Samples five sweeps apart are almost independent: χ² of 15 degrees of freedom is below 60 but once in a million.
    assert np.sum((counts - samples * expected) ** 2 / (samples * expected)) < 60


@pytest.mark.parametrize("name", SUMS)
def test_without_temperature_the_energy_never_rises(name):
    graph = generate("er-small", count=1, seed=2)
    instance = SUMS[name].declare(graph)
    search = AnnealingSearch(instance, np.zeros(graph.num_nodes, bool), 0)
    rng = np.random.default_rng(1)
    anneal(search.forms, search.state, np.full(3, 1e6), 3 * graph.num_nodes)
    search.state.place[:] = 0
    before = float(search.state.bits.value[0, ENERGY])
    for _ in range(200):
        anneal(search.forms, search.state, np.full(1000, 1e-9), int(rng.integers(1, 2 * graph.num_nodes)))
        after = float(instance.energy().value(search.state.bits.chosen)[0])
        assert after == pytest.approx(search.state.bits.value[0, ENERGY], rel=1e-9, abs=1e-6)
        assert after <= before + 1e-6
        before = after


def test_exchanges_go_on_where_single_flips_cannot():
    graph = generate("er-small", count=1, seed=3)
    volume = int(graph.degree.sum()) // 3
    widest = int(graph.degree.max())
    instance = PROBLEMS["cut"].with_options(volume=(volume, volume + widest)).declare(graph)
    search = AnnealingSearch(instance, np.zeros(graph.num_nodes, bool), 0)
    start = float(search.incumbent.cost[0])
    anneal(search.forms, search.state, np.full(200, 1e-9), 200 * graph.num_nodes)
    assert search.incumbent.cost[0] < start


def test_moves_that_are_left_are_returned():
    instance = PROBLEMS["max_cut"].declare(weighted_square())
    search = AnnealingSearch(instance, np.zeros(4, bool), 0)
    assert anneal(search.forms, search.state, np.ones(3), 5) == 0
    assert search.state.place.tolist() == [1, 1]
    assert anneal(search.forms, search.state, np.ones(3), 10) == 3
