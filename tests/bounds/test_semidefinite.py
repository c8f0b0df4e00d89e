import math
from itertools import product

import numpy as np
import pytest

from annealco.bounds.semidefinite import Balance, Relaxation, prove_semidefinite
from annealco.bounds.spins import Spins, spins_of
from annealco.bounds.structure import read_structure
from annealco.graph.generators import erdos_renyi, generate
from annealco.problems import PROBLEMS
from tests.bounds.references import least_coupling, ledger, random_graph


def as_spins(seed, size, density=0.6):
    graph = random_graph(seed, size, density)
    return Spins(size, graph.edges, np.random.default_rng(seed).normal(size=graph.num_edges), 1.5, 0.0)


def prove(spins, balance=None, seconds=2.0):
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
    spins = spins_of(read_structure(PROBLEMS["max_cut"].declare(generate("er-small", count=1, seed=0))))
    relaxation = Relaxation(spins, Balance(np.zeros(spins.num_spins), 0.0), seed=0)
    rough = relaxation.certify(ledger())
    while relaxation.advance(20):
        pass
    assert relaxation.converged
    assert rough < relaxation.certify(ledger())


def test_the_spectral_bound_of_a_cut_is_beaten():
    graph = generate("ba-small", count=1, seed=1)
    instance = PROBLEMS["cut"].declare(graph)
    structure = read_structure(instance)
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
    spins = spins_of(read_structure(PROBLEMS["max_cut"].declare(graph)))
    assert prove(spins, seconds=0.0).cost == -math.inf
