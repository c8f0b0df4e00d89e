import numpy as np
import pytest

from annealco.bounds.mixing import mix, start_mixing
from annealco.bounds.spins import Spins
from tests.bounds.references import least_coupling, random_graph


def as_spins(seed, size, density=0.6):
    graph = random_graph(seed, size, density)
    return Spins(size, graph.edges, np.random.default_rng(seed).normal(size=graph.num_edges), 0.0, 0.0)


def value(spins, mixing, penalty=0.0):
    vector = mixing.vector
    pairs = (vector[spins.pairs[0]] * vector[spins.pairs[1]]).sum(axis=1)
    total = mixing.load @ vector
    return float(spins.coupling @ pairs + penalty * total @ total)


@pytest.mark.parametrize("penalty", [0.0, 0.3])
def test_every_round_lowers_the_sum_by_what_it_says(penalty):
    spins = as_spins(0, 20)
    load = np.random.default_rng(1).uniform(0, 2, 20)
    mixing = start_mixing(spins, load, seed=0)
    for _ in range(10):
        before = value(spins, mixing, penalty)
        lowered = mix(mixing, penalty, 1)
        assert before - value(spins, mixing, penalty) == pytest.approx(lowered, abs=1e-9)
        assert lowered >= -1e-9
    assert np.allclose(np.linalg.norm(mixing.vector, axis=1), 1)
    assert np.allclose(mixing.total, load @ mixing.vector)


def test_the_relaxation_is_below_every_choice_of_spins():
    for seed in range(5):
        spins = as_spins(seed, 9)
        mixing = start_mixing(spins, np.zeros(9), seed=0)
        mix(mixing, 0.0, 500)
        assert value(spins, mixing) <= least_coupling(spins) + 1e-6
        # At the optimum the pulls are the dual: half their sum is the value.
        assert value(spins, mixing) == pytest.approx(-mixing.pull.sum() / 2, abs=1e-6)


def test_two_spins_that_want_to_differ_do():
    spins = Spins(2, np.array([[0], [1]]), np.array([3.0]), 0.0, 0.0)
    mixing = start_mixing(spins, np.zeros(2), seed=1)
    mix(mixing, 0.0, 1)
    assert value(spins, mixing) == pytest.approx(-3.0)


def test_a_penalty_balances_vectors_that_would_agree():
    graph = random_graph(2, 10, 1.0)
    spins = Spins(10, graph.edges, np.full(graph.num_edges, -0.1), 0.0, 0.0)
    mixing = start_mixing(spins, np.ones(10), seed=0)
    mix(mixing, 10.0, 200)
    assert mixing.total @ mixing.total < 1e-6
