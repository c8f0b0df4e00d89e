from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from annealco._core import StopFlag
from annealco.bounds.ledger import Ledger
from annealco.bounds.quadratic import must_disagree, prove_quadratic
from annealco.bounds.semidefinite import Spins
from annealco.energy import Range
from annealco.energy.structure import structure_of
from annealco.graph.generators import barabasi_albert, random_regular
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.bounds.references import ledger, random_graph
from tests.bounds.test_semidefinite import quadratics
from tests.budgets import FAR
from tests.graph.strategies import graphs
from tests.problems.brute_force import best_score


def prove(instance, seconds=60.0, **settings):
    book = ledger(seconds, **settings)
    prove_quadratic(structure_of(instance), book, seed=0)
    return book


@given(graphs(min_nodes=2, max_nodes=8, weighted=True, signed=True))
@settings(max_examples=30)
def test_maximum_cuts_are_bounded_and_mostly_proven(graph):
    best = best_score(PROBLEMS["max_cut"], graph)
    book = prove(PROBLEMS["max_cut"].declare(graph), step=0.25, target=-best)
    assert book.cost <= -best
    assert book.cost >= -best - 0.15 * np.abs(graph.edge_weight).sum() - 0.25


@given(quadratics())
@settings(max_examples=40)
def test_any_quadratic_objective_is_bounded(instance):
    bits = (np.arange(2**instance.num_nodes)[:, None] >> np.arange(instance.num_nodes)) & 1
    best = float(instance.value(bits).min())
    book = prove(instance, step=0.5, target=best)
    assert book.cost <= best


@pytest.mark.parametrize(("rows", "columns"), [(3, 5), (6, 7)])
def test_a_planar_graph_is_proven_optimal_by_its_cycles(rows, columns):
    """Cycle inequalities describe the cuts of planar graphs (Barahona and Mahjoub, 1986)."""
    import networkx as nx

    grid = nx.convert_node_labels_to_integers(nx.triangular_lattice_graph(rows, columns))
    graph = Graph.from_edges(np.array(grid.edges).T, grid.number_of_nodes())
    book = prove(PROBLEMS["max_cut"].declare(graph), step=1.0)
    triangles = sum(nx.triangles(grid).values()) // 3
    # Every triangle leaves an edge uncut, and one edge can be that of two triangles at most.
    assert -book.cost <= graph.num_edges - triangles / 2
    assert "cycle" in book.method or "semidefinite" in book.method


def test_a_range_that_no_union_of_components_fits_costs_an_edge():
    path = Graph.from_edges([[0, 1, 2], [1, 2, 3]]).with_weights(edge_weight=[3.0, 2.0, 4.0])
    instance = PROBLEMS["cut"].with_options(volume=(2, 4)).declare(path)
    assert prove(instance, step=1.0, target=2.0).cost == 2.0


def test_a_large_graph_gets_a_quick_bound_and_cycles_with_time():
    graph = barabasi_albert(np.random.default_rng(0), num_nodes=20_000, attachment=4)
    instance = PROBLEMS["max_cut"].declare(graph)
    quick, slow = prove(instance, seconds=0.0, step=1.0), prove(instance, step=1.0)
    assert -quick.cost == graph.num_edges
    assert slow.method == "cycle packing"
    assert -slow.cost < 0.99 * graph.num_edges


def test_sparse_graphs_are_bounded_better_by_cycles_than_by_the_relaxation():
    graph = random_regular(np.random.default_rng(1), num_nodes=60, degree=3)
    book = prove(PROBLEMS["max_cut"].declare(graph), step=1.0)
    assert book.method.startswith("cycle")


def box(weight, lower, upper):
    return Range(
        np.array([0, len(weight)]), np.asarray(weight, float), np.array([lower]), np.array([upper]), np.ones(1)
    )


@pytest.mark.parametrize("seed", range(40))
def test_it_is_told_whether_a_union_of_components_is_in_the_range(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(seed, 9, 0.12)
    weight, chosen = rng.integers(0, 6, 9), np.flatnonzero(rng.random(9) < 0.15)
    lower = float(rng.integers(0, weight.sum() + 1))
    upper = lower + float(rng.integers(0, 3))
    agreeing = [
        bits
        for bits in product((0, 1), repeat=9)
        if all(bits[u] == bits[v] for u, v in graph.edges.T.tolist()) and all(bits[node] for node in chosen)
    ]
    possible = any(
        lower <= sum(w * b for w, b in zip(weight.tolist(), bits, strict=True)) <= upper for bits in agreeing
    )
    spins = Spins(9, graph.edges, np.full(graph.num_edges, -0.5), 0.0, 0.0)
    assert must_disagree(spins, box(weight, lower, upper), chosen, ledger()) == (not possible)


def test_nothing_is_claimed_of_other_couplings_or_weights():
    edge, chosen = np.array([[0], [1]]), np.zeros(0, np.int64)
    agree, differ = (Spins(2, edge, np.array([value]), 0.0, 0.0) for value in (-0.5, 0.5))
    assert must_disagree(agree, box([1, 1], 1.0, 1.0), chosen, ledger())
    assert not must_disagree(differ, box([1, 1], 1.0, 1.0), chosen, ledger())
    assert not must_disagree(agree, box([0.5, 0.5], 0.5, 0.5), chosen, ledger())
    stop = StopFlag()
    stop.set()
    assert not must_disagree(agree, box([1, 1], 1.0, 1.0), chosen, Ledger(seconds=FAR, stop=stop))


def test_many_equal_components_are_no_trouble():
    spins, chosen = Spins(300_000, np.zeros((2, 0), np.int64), np.zeros(0), 0.0, 0.0), np.zeros(0, np.int64)
    assert not must_disagree(spins, box(np.full(300_000, 2.0), 4001.0, 4002.0), chosen, ledger())
    assert must_disagree(spins, box(np.full(300_000, 2.0), 4001.0, 4001.0), chosen, ledger())
