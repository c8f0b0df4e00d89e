import math
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco._core import Clock, Couplings, MixingMethod, StopFlag, Theta
from annealco.bounds.semidefinite import (
    Balance,
    SpinMatrix,
    Spins,
    certified_cost,
    certified_shift,
    certified_theta,
    prove_semidefinite,
    prove_theta,
    spins_of,
)
from annealco.energy import Instance, Linear, Pairs
from annealco.energy.structure import structure_of
from annealco.graph.generators import erdos_renyi, generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.bounds.references import least_coupling, ledger, random_graph, rows_of
from tests.problems.brute_force import best_score


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


def theta_of(graph, weight=None, *, limit=0.0, book=None):
    """All bounds that are offered, in order."""
    weight, found = graph.node_weight if weight is None else weight, []
    prove_theta(
        rows_of(graph), weight, ledger() if book is None else book, limit=limit, seconds=math.inf, offer=found.append
    )
    return found


def from_networkx(graph):
    return Graph.from_edges(np.array(list(nx.convert_node_labels_to_integers(graph).edges)).T, len(graph))


THETAS = {
    "pentagon": (nx.cycle_graph(5), 5**0.5),
    "heptagon": (nx.cycle_graph(7), 7 * math.cos(math.pi / 7) / (1 + math.cos(math.pi / 7))),
    "hexagon": (nx.cycle_graph(6), 3.0),
    "Petersen": (nx.petersen_graph(), 4.0),
    "complete": (nx.complete_graph(9), 1.0),
    "bipartite": (nx.complete_bipartite_graph(3, 8), 8.0),
    "Hamming (6 bits, at distance 1)": (nx.hypercube_graph(6), 32.0),
    "Paley of 13": (nx.paley_graph(13).to_undirected(), 13**0.5),
    "icosahedron": (nx.icosahedral_graph(), 12 / (1 + 5**0.5)),
}
"""Graphs of which the theta number is known in closed form."""


@pytest.mark.parametrize("name", THETAS)
def test_theta_numbers_that_are_known(name):
    graph, known = THETAS[name]
    found = theta_of(from_networkx(graph))
    assert found[-1] >= known * (1 - 1e-12)
    assert found[-1] == pytest.approx(known, rel=2e-3)
    assert found == sorted(found, reverse=True)


WEIGHTS = {
    "ones": lambda rng, size: np.ones(size),
    "whole": lambda rng, size: rng.integers(1, 20, size).astype(float),
    "real": lambda rng, size: rng.random(size) + 1e-9,
    "wide": lambda rng, size: np.exp(rng.normal(0, 6, size)),
    "huge": lambda rng, size: rng.random(size) * 1e300 + 1e280,
    "tiny": lambda rng, size: rng.random(size) * 1e-300 + 1e-310,
    "both": lambda rng, size: np.where(rng.random(size) < 0.5, 1e-290, 1e290) * (1 + rng.random(size)),
}


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("density", [0.0, 0.15, 0.4, 0.7, 1.0])
def test_no_theta_number_is_below_an_independent_set(kind, density):
    for seed in range(20):
        rng = np.random.default_rng([seed, int(100 * density)])
        size = int(rng.integers(1, 11))
        weight = WEIGHTS[kind](rng, size)
        graph = random_graph(seed, size, density).with_weights(node_weight=weight)
        best = best_score(PROBLEMS["mis"], graph)
        found = theta_of(graph)
        # A perfect graph's theta number is its heaviest independent set; few graphs of ten nodes have a larger gap.
        assert all(best <= each for each in found)
        assert found[-1] <= 1.3 * best
        if density in (0.0, 1.0):
            assert found[-1] == pytest.approx(best, rel=2e-3)


def test_weights_count_as_copies_of_nodes_do():
    pentagon = from_networkx(nx.cycle_graph(5))
    doubled = np.concatenate([pentagon.edges + np.array([[5 * i], [5 * j]]) for i in (0, 1) for j in (0, 1)], axis=1)
    copies = Graph.from_edges(doubled, 10)
    one, two = theta_of(pentagon, np.full(5, 2.0))[-1], theta_of(copies)[-1]
    assert one == pytest.approx(two, rel=2e-3) == 2 * 5**0.5


def test_a_limit_ends_the_theta_number_soon_and_no_time_or_a_stop_gives_none():
    graph, stop = random_graph(0, 60, 0.3), StopFlag()
    best = theta_of(graph)[-1]
    soon = theta_of(graph, limit=1.2 * best)
    assert best < soon[-1] <= 1.2 * best
    stop.set()
    for book in (ledger(0.0), ledger(stop=stop)):
        assert theta_of(graph, book=book) == []


def test_every_matrix_on_the_way_proves_a_bound_and_moves_count():
    graph = random_graph(1, 70, 0.2)
    best, root = best_score_of_cliques(graph), np.ones(70)
    whole, parts = Theta(rows_of(graph), root), Theta(rows_of(graph), root)
    whole.run(0.0, Clock(moves=12))
    values = []
    for _ in range(12):
        parts.run(0.0, Clock(moves=1))
        values.append(certified_theta(parts, root, ledger()))
    assert all(each >= best for each in values)
    assert values == sorted(values, reverse=True)
    assert not parts.converged
    assert abs(whole.value - parts.value) <= 0.2 * whole.value


def best_score_of_cliques(graph):
    """The largest independent set, by networkx."""
    other = nx.Graph()
    other.add_nodes_from(range(graph.num_nodes))
    other.add_edges_from(graph.edges.T.tolist())
    return nx.max_weight_clique(nx.complement(other), None)[1]


def test_the_same_steps_give_the_same_bits():
    graph = random_graph(2, 90, 0.2)
    both = [Theta(rows_of(graph), np.ones(90)) for _ in range(2)]
    for each in both:
        each.run(0.0, Clock(moves=25))
    assert both[0].value == both[1].value
    assert np.array_equal(both[0].entry, both[1].entry)
