"""The mixing method, and the factorisation that proves what it proposes."""

import numpy as np
import pytest

from annealco._core import Clock, Couplings, MixingMethod, StopFlag, is_positive_definite
from annealco.bounds.semidefinite import Spins
from tests.bounds.references import least_coupling, random_graph


def as_spins(seed, size, density=0.6):
    graph = random_graph(seed, size, density)
    return Spins(size, graph.edges, np.random.default_rng(seed).normal(size=graph.num_edges), 0.0, 0.0)


def start(spins, load=None, *, most=0.0, seed=0):
    return MixingMethod(spins.couplings, np.zeros(spins.num_spins) if load is None else load, most, seed)


def value(spins, mixing, load=0.0):
    vectors = mixing.vectors
    pairs = (vectors[spins.pairs[0]] * vectors[spins.pairs[1]]).sum(axis=1)
    total = np.broadcast_to(load, spins.num_spins) @ vectors
    return float(spins.coupling @ pairs + mixing.penalty * total @ total)


@pytest.mark.parametrize("loaded", [False, True])
def test_every_sweep_lowers_the_sum_by_what_it_says(loaded):
    spins = as_spins(0, 20)
    load = np.random.default_rng(1).uniform(0, 2, 20) * loaded
    mixing = start(spins, load)
    assert (mixing.penalty > 0) == loaded
    for _ in range(10):
        before = value(spins, mixing, load)
        lowered = mixing.sweep(Clock())
        assert before - value(spins, mixing, load) == pytest.approx(lowered, abs=1e-9)
        assert lowered >= -1e-9
    assert np.allclose(np.linalg.norm(mixing.vectors, axis=1), 1)


def test_the_relaxation_is_below_every_choice_of_spins():
    for seed in range(5):
        spins = as_spins(seed, 9)
        mixing = start(spins)
        assert mixing.run(Clock())
        assert mixing.converged
        assert value(spins, mixing) <= least_coupling(spins) + 1e-6
        # At the optimum the pulls are the dual: half their sum is the value.
        assert value(spins, mixing) == pytest.approx(-mixing.pull.sum() / 2, abs=1e-4)


def test_two_spins_that_want_to_differ_do():
    spins = Spins(2, np.array([[0], [1]]), np.array([3.0]), 0.0, 0.0)
    mixing = start(spins, seed=1)
    mixing.sweep(Clock())
    assert value(spins, mixing) == pytest.approx(-3.0)


def test_a_penalty_balances_vectors_that_would_agree():
    graph = random_graph(2, 10, 0.5)
    spins = Spins(10, graph.edges, np.full(graph.num_edges, -0.1), 0.0, 0.0)
    balanced, free = start(spins, np.ones(10)), start(spins, np.ones(10), most=100.0)
    balanced.run(Clock())
    free.run(Clock())
    assert np.square(np.ones(10) @ balanced.vectors).sum() < 0.1
    assert np.square(np.ones(10) @ free.vectors).sum() > 99.9
    assert free.penalty < balanced.penalty


def test_vectors_depend_on_the_seed_alone():
    spins = as_spins(3, 40)
    one, same, other = (start(spins, seed=seed) for seed in (5, 5, 6))
    for mixing in (one, same, other):
        mixing.run(Clock())
    assert np.array_equal(one.vectors, same.vectors)
    assert not np.array_equal(one.vectors, other.vectors)


def test_a_stop_ends_it_before_it_has_converged():
    stop = StopFlag()
    stop.set()
    mixing = start(as_spins(0, 50))
    before = mixing.vectors
    assert not mixing.run(Clock(stop=stop))
    assert not mixing.converged
    assert np.array_equal(before, mixing.vectors)


@pytest.mark.parametrize("size", [1, 2, 31, 32, 33, 100])
@pytest.mark.parametrize("seed", range(3))
def test_a_factor_exists_exactly_above_the_least_eigenvalue(size, seed):
    rng = np.random.default_rng([seed, size])
    matrix = rng.normal(size=(size, size))
    matrix = matrix + matrix.T
    low, high = np.triu_indices(size, 1)
    couplings = Couplings(size, low.astype(np.int32), high.astype(np.int32), 2 * matrix[low, high])
    load, penalty = rng.normal(size=size), 0.3
    least = np.linalg.eigvalsh(matrix + penalty * np.outer(load, load))[0]
    for shift, expected in ((1e-9, True), (-1e-9, False)):
        diagonal = np.diag(matrix) - least + shift
        assert is_positive_definite(couplings, diagonal, load, penalty, Clock()) is expected


def test_what_is_no_number_has_no_factor():
    couplings = Couplings(2, np.zeros(1, np.int32), np.ones(1, np.int32), np.ones(1))
    load = np.array([1e200, 1.0])
    assert is_positive_definite(couplings, np.ones(2), load, 1.0, Clock()) is False


def test_out_of_time_nothing_is_told():
    couplings = Couplings(0, np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))
    assert is_positive_definite(couplings, np.zeros(0), np.zeros(0), 0.0, Clock()) is True
    single = Couplings(1, np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))
    assert is_positive_definite(single, np.ones(1), np.zeros(1), 0.0, Clock(seconds=0.0)) is None


@pytest.mark.parametrize(
    ("num_spins", "low", "high", "strength"),
    [
        (2, [0], [2], [1.0]),
        (2, [-1], [1], [1.0]),
        (2, [1], [1], [1.0]),
        (2, [0], [1], [np.nan]),
        (2, [0], [1], [np.inf]),
        (2, [0, 0], [1], [1.0]),
        (2, [0], [1], []),
        (-1, [], [], []),
        (2**31, [], [], []),
    ],
)
def test_couplings_are_checked(num_spins, low, high, strength):
    with pytest.raises(ValueError, match="couplings"):
        Couplings(num_spins, np.array(low, np.int32), np.array(high, np.int32), np.array(strength, float))


def test_arguments_are_checked():
    couplings = Couplings(2, np.zeros(1, np.int32), np.ones(1, np.int32), np.ones(1))
    for load in (np.ones(3), np.array([1.0, np.nan])):
        with pytest.raises(ValueError, match="loads"):
            MixingMethod(couplings, load, 0.0, 0)
        with pytest.raises(ValueError, match="loads"):
            is_positive_definite(couplings, np.ones(2), load, 0.0, Clock())
    with pytest.raises(ValueError, match="limit of the square"):
        MixingMethod(couplings, np.ones(2), np.nan, 0)
    with pytest.raises(ValueError, match="diagonal"):
        is_positive_definite(couplings, np.array([np.inf, 1.0]), np.ones(2), 0.0, Clock())
