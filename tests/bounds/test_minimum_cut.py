"""Minimum cuts as bounds: against all sets, against networkx, and where they must not be used."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import annealco
from annealco.bounds.minimum_cut import MINIMUM_CUT
from annealco.energy import Instance, Linear, Pairs
from annealco.energy.structure import structure_of
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.bounds.references import ledger, random_graph
from tests.problems.brute_force import best_score


def prove(instance, seconds=60.0, **settings):
    book = ledger(seconds, **settings)
    MINIMUM_CUT.prove(instance, book, seed=0)
    return book


def random_cut(seed):
    """A graph of up to 9 nodes with edge weights of one of four kinds, and options, of which some fit no set."""
    rng = np.random.default_rng(seed)
    graph = random_graph(seed, int(rng.integers(2, 10)), rng.uniform(0.2, 0.9))
    count = graph.num_edges
    weight = [np.ones(count), rng.integers(0, 9, count), rng.random(count), rng.random(count) * 1e12][seed % 4]
    options = {"volume": tuple(sorted(rng.integers(0, 2 * count + 1, 2).tolist()))}
    if seed % 3 == 0:
        options["seed_node"] = int(rng.integers(graph.num_nodes))
    if seed % 5 == 0:
        options["price"] = float(rng.normal())
    return PROBLEMS["cut"].with_options(**options), graph.with_weights(edge_weight=weight)


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_small_cuts_are_proven_as_trying_all_sets_says(first):
    compared = 0
    for seed in range(first, first + 100):
        problem, graph = random_cut(seed)
        best = best_score(problem, graph)
        if best is None or not graph.num_edges:
            continue
        compared += 1
        cost = prove(problem.declare(graph)).cost
        assert cost <= best + 1e-12 * abs(best), seed
        assert cost == pytest.approx(best, rel=1e-8, abs=1e-8 * (1 + graph.edge_weight.sum())), seed
    assert compared > 50


def test_without_a_range_the_minimum_cut_of_networkx_is_proven():
    """Fields pull nodes to either side; networkx has them as arcs from and to terminals."""
    rng = np.random.default_rng(3)
    graph = random_graph(3, 40, 0.15)
    field, strength = rng.integers(-9, 10, 40).astype(float), rng.integers(0, 6, graph.num_edges).astype(float)
    directed = nx.DiGraph()
    for node, each in enumerate(field.tolist()):
        directed.add_edge(*(("s", node) if each < 0 else (node, "t")), capacity=abs(each))
    for (low, high), each in zip(graph.edges.T.tolist(), strength.tolist(), strict=True):
        directed.add_edge(low, high, capacity=each)
        directed.add_edge(high, low, capacity=each)
    least = nx.minimum_cut_value(directed, "s", "t") + field[field < 0].sum()
    linear = field + np.bincount(graph.edges.ravel(), np.tile(strength, 2), minlength=40)
    ptr = graph.node_ptr
    instance = Instance(ptr, (Linear(ptr, linear), Pairs(ptr, graph.edges, -2 * strength)))
    book = prove(instance, step=1.0)
    assert (book.cost, book.complete) == (least, True)


def test_the_cut_of_the_readme_is_proven():
    [solution] = annealco.solve(["examples/graphs/regions.edges"], "cut", volume=(80, 140), seed_node=205, moves=20_000)
    assert (solution.value, solution.bound, solution.optimal) == (34.0, 34.0, True)


def test_a_clock_that_is_over_leaves_a_bound_that_holds():
    problem = PROBLEMS["cut"].with_options(volume=(6, 12))
    graph = random_graph(7, 9, 0.5)
    book = prove(problem.declare(graph), seconds=0.0)
    assert book.cost <= best_score(problem, graph)


def test_pairs_that_want_to_differ_are_not_taken():
    graph = Graph.from_edges([[0], [1]])
    assert not MINIMUM_CUT.takes(structure_of(PROBLEMS["max_cut"].declare(graph)))
    negative = graph.with_weights(edge_weight=[-1.0])
    assert not MINIMUM_CUT.takes(structure_of(PROBLEMS["cut"].with_options(volume=(0, 2)).declare(negative)))
    assert MINIMUM_CUT.takes(structure_of(PROBLEMS["cut"].with_options(volume=(0, 2)).declare(graph)))
