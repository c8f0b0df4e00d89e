import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco._core import Clock, Couplings, MixingMethod
from annealco.bounds.semidefinite import (
    Balance,
    SpinMatrix,
    Spins,
    certified_cost,
    certified_shift,
    prove_semidefinite,
    spins_of,
)
from annealco.energy import Instance, Linear, Pairs
from annealco.energy.structure import structure_of
from annealco.graph.generators import erdos_renyi, generate
from annealco.problems import PROBLEMS
from tests.bounds.references import least_coupling, ledger, random_graph


@st.composite
def quadratics(draw):
    size = draw(st.integers(1, 5))
    pairs = draw(
        st.lists(
            st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)).filter(lambda p: p[0] != p[1]), max_size=8
        )
    )
    linear = draw(st.lists(st.integers(-8, 8), min_size=size, max_size=size))
    value = draw(st.lists(st.integers(-8, 8), min_size=len(pairs), max_size=len(pairs)))
    ptr = np.array([0, size])
    ends = np.array(pairs, np.int32).reshape(-1, 2).T
    return Instance(ptr, (Linear(ptr, np.array(linear, float)), Pairs(ptr, ends, np.array(value, float) / 2)))


@given(quadratics())
@settings(max_examples=80)
def test_spins_have_the_costs_of_bits(instance):
    spins, size = spins_of(structure_of(instance)), instance.num_nodes
    for bits in product((0, 1), repeat=size):
        s = np.array([2 * bit - 1 for bit in bits] + [1] * (spins.num_spins - size))
        cost = spins.constant + float((spins.coupling * s[spins.pairs[0]] * s[spins.pairs[1]]).sum())
        assert cost == instance.value(bits)[0]
        assert spins.satisfied <= cost
    assert spins.satisfied == spins.constant - np.abs(spins.coupling).sum()


@pytest.mark.parametrize("name", ["max_cut", "cut"])
@pytest.mark.parametrize("weights", [None, "integer", "real"])
def test_cuts_have_no_fields_in_spite_of_rounding(name, weights):
    for seed in range(5):
        graph = random_graph(seed, 9, 0.5, weights=weights)
        spins = spins_of(structure_of(PROBLEMS[name].declare(graph)))
        assert spins.num_spins == 9
        sign = 1 if name == "max_cut" else -1
        assert np.allclose(np.sort(spins.coupling), np.sort(sign * graph.edge_weight[graph.edge_weight != 0] / 2))


def test_a_cut_of_positive_weights_is_at_least_zero_exactly():
    graph = random_graph(3, 12, 0.5)
    graph = graph.with_weights(edge_weight=np.random.default_rng(0).random(graph.num_edges))
    assert spins_of(structure_of(PROBLEMS["cut"].declare(graph))).satisfied == 0.0


def as_spins(seed, size, density=0.6):
    graph = random_graph(seed, size, density)
    return Spins(size, graph.edges, np.random.default_rng(seed).normal(size=graph.num_edges), 1.5, 0.0)


def prove(spins, balance=None, seconds=60.0):
    book = ledger()
    prove_semidefinite(spins, book, balance=balance, seconds=seconds, seed=0)
    return book


@pytest.mark.parametrize("seed", range(8))
def test_the_bound_is_below_every_choice_and_not_far(seed):
    spins = as_spins(seed, 9)
    book, best = prove(spins), 1.5 + least_coupling(spins)
    assert book.cost <= best
    assert book.cost >= best - 0.3 * np.abs(spins.coupling).sum()
    assert book.method == "semidefinite relaxation"


@pytest.mark.parametrize("seed", range(8))
def test_a_range_raises_the_bound_but_not_above_what_lies_in_it(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(seed, 9, 0.6)
    spins, load = Spins(9, graph.edges, -rng.random(graph.num_edges), 0.0, 0.0), rng.integers(1, 5, 9).astype(float)
    most = float(rng.integers(0, 4)) ** 2
    inside = [
        sum(value * s[u] * s[v] for (u, v), value in zip(graph.edges.T.tolist(), spins.coupling.tolist(), strict=True))
        for s in product((-1, 1), repeat=9)
        if (load @ s) ** 2 <= most
    ]
    book = prove(spins, Balance(load, most))
    assert book.cost <= min(inside, default=math.inf)
    assert book.cost > prove(spins).cost


def test_unconverged_vectors_prove_something_too():
    spins = spins_of(structure_of(PROBLEMS["max_cut"].declare(generate("er-small", count=1, seed=0))))
    balance, couplings = Balance(np.zeros(spins.num_spins), 0.0), spins.couplings
    mixing = MixingMethod(couplings, balance.load, balance.most, 0)
    rough = certified_cost(spins, couplings, balance, mixing, ledger())
    assert mixing.run(Clock())
    assert rough < certified_cost(spins, couplings, balance, mixing, ledger())


def test_the_spectral_bound_of_a_cut_is_beaten():
    graph = generate("ba-small", count=1, seed=1)
    instance = PROBLEMS["cut"].declare(graph)
    structure = structure_of(instance)
    box, degree = structure.ranges[0], graph.degree.astype(float)
    laplacian = np.diag(degree)
    laplacian[graph.edges[0], graph.edges[1]] = laplacian[graph.edges[1], graph.edges[0]] = -1
    scaled = laplacian / np.sqrt(np.outer(degree, degree))
    volume, lower, upper = degree.sum(), float(box.lower[0]), float(box.upper[0])
    spectral = np.linalg.eigvalsh(scaled)[1] * min(v * (volume - v) / volume for v in (lower, upper))
    most = max((2 * v - volume) ** 2 for v in (lower, upper))
    assert prove(spins_of(structure), Balance(degree, most)).cost > spectral


def test_no_time_proves_nothing():
    graph = erdos_renyi(np.random.default_rng(0), num_nodes=600, edge_probability=0.02)
    spins = spins_of(structure_of(PROBLEMS["max_cut"].declare(graph)))
    assert prove(spins, seconds=0.0).cost == -math.inf


def as_spin_matrix(matrix):
    low, high = np.triu_indices(len(matrix), 1)
    strength = 2 * matrix[low, high]
    couplings = Couplings(len(matrix), low.astype(np.int32), high.astype(np.int32), strength)
    largest = float(np.abs(strength).max(initial=0.0))
    return SpinMatrix(couplings, largest, np.diag(matrix).copy(), np.zeros(len(matrix)), 0.0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [1, 5, 40, 130])
def test_a_shift_makes_up_for_the_least_eigenvalue_and_little_more(seed, size):
    matrix = np.random.default_rng(seed).normal(size=(size, size))
    matrix = matrix + matrix.T
    shift = certified_shift(as_spin_matrix(matrix), 0.0, ledger(), first=1e-9)
    least = float(np.linalg.eigvalsh(matrix)[0])
    assert shift >= -least - 1e-12
    assert shift <= 12 * max(-least, 1e-9)


def test_a_definite_matrix_needs_next_to_nothing():
    matrix = as_spin_matrix(np.diag(np.arange(1.0, 6.0)))
    assert certified_shift(matrix, 0.0, ledger(), first=1e-8) < 2e-8
    assert certified_shift(matrix, 0.25, ledger(), first=1e-8) > 0.25


def test_out_of_time_nothing_is_proven():
    assert certified_shift(as_spin_matrix(np.eye(3)), 0.0, ledger(-1), first=1e-8) is None
    assert certified_shift(as_spin_matrix(-np.eye(600)), 0.0, ledger(0.0), first=1e-8) is None


def test_numbers_that_are_too_large_prove_nothing():
    matrix = as_spin_matrix(np.eye(2))
    assert certified_shift(matrix._replace(diagonal=np.array([np.inf, 1.0])), 0.0, ledger(), first=1.0) is None
    assert certified_shift(matrix._replace(load=np.full(2, 1e200), penalty=1.0), 0.0, ledger(), first=1.0) is None


@pytest.mark.parametrize("size", [63, 64, 65, 200])
def test_a_shift_is_found_next_to_the_least_eigenvalue(size):
    basis = np.linalg.qr(np.random.default_rng(size).normal(size=(size, size)))[0]
    spectrum = np.linspace(-0.5, 1.0, size)
    matrix = (basis * spectrum) @ basis.T
    matrix = as_spin_matrix((matrix + matrix.T) / 2)
    assert certified_shift(matrix, 0.0, ledger(), first=0.5001) < 0.51
    assert certified_shift(matrix, 0.0, ledger(), first=0.4999) > 0.51
