import math

import numpy as np
import pytest
from hypothesis import given, settings

from annealco.bounds.clique_cover import cover_of_labels
from annealco.bounds.packing import covers_pairs, packings_of, reachable
from annealco.bounds.structure import read_structure
from annealco.energy import AllPairs, Constraint, Instance, Linear
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.bounds.references import ledger, random_graph
from tests.graph.strategies import graphs
from tests.problems.brute_force import best_score


def packings(name, graph):
    return packings_of(read_structure(PROBLEMS[name].declare(graph)))


def as_graph(packing):
    """The graph whose independent sets, or cliques, a packing is about."""
    low = np.repeat(np.arange(packing.num_nodes), np.diff(packing.rows.start))
    kept = low < packing.rows.node
    return Graph.from_edges(np.stack([low, packing.rows.node])[:, kept], packing.num_nodes, node_weight=packing.weight)


@pytest.mark.parametrize("name", ["mis", "clique", "vertex_cover"])
@given(graph=graphs(max_nodes=6, weighted=True))
@settings(max_examples=40)
def test_a_packing_has_the_same_optimum(name, graph):
    problem = PROBLEMS[name]
    best = best_score(problem, graph)
    for packing in packings(name, graph):
        kind = PROBLEMS["clique" if packing.complemented else "mis"]
        cost = packing.constant - best_score(kind, as_graph(packing))
        assert cost == (best if problem.sense == "min" else -best)


def test_nodes_without_weight_are_left_out():
    graph = random_graph(0, 5, 1.0).with_weights(node_weight=[1, 0, 2, 0, 3])
    (packing,) = packings("mis", graph)
    assert packing.weight.tolist() == [1.0, 2.0, 3.0]


def test_nodes_that_no_pair_binds_count_in_full():
    ptr = np.array([0, 3])
    apart = AllPairs(ptr, np.array([1.0, 1.0, 0.0]))
    instance = Instance(ptr, (Linear(ptr, -np.array([2.0, 3.0, 4.0])),), (Constraint(apart, np.ones(3)),), sense="max")
    (packing,) = packings_of(read_structure(instance))
    assert packing.constant == pytest.approx(-4.0)
    assert packing.weight.tolist() == [2.0, 3.0]


def test_only_covers_of_pairs_by_nodes_that_cost_something_are_packings():
    graph = random_graph(1, 5, 0.6)
    assert covers_pairs(read_structure(PROBLEMS["vertex_cover"].declare(graph)))
    assert not covers_pairs(read_structure(PROBLEMS["mds"].declare(graph)))
    assert not covers_pairs(read_structure(PROBLEMS["mis"].declare(graph)))


def test_an_offer_names_the_kind_and_keeps_the_floor():
    graph = random_graph(2, 4, 1.0)
    (packing,), book = packings("mis", graph), ledger(step=1.0)
    packing.offer(book, cover_of_labels(np.zeros(4, np.int64), np.ones(4)), "by hand")
    assert (book.cost, book.method) == (-1.0, "clique cover, by hand")
    book = ledger(step=1.0)
    packing.within(np.ones(4, dtype=bool), floor=-3.0).offer(
        book, cover_of_labels(np.zeros(4, np.int64), np.ones(4)), "x"
    )
    assert book.cost == -3.0


@given(graph=graphs(max_nodes=7, weighted=True))
@settings(max_examples=40)
def test_what_is_out_of_reach_cannot_beat_the_target(graph):
    best = best_score(PROBLEMS["clique"], graph)
    (packing,) = packings("clique", graph)
    for target in (-best, -best + 0.25, -best / 2):
        rest = reachable(packing, target, step=0.25)
        left = rest.constant - best_score(PROBLEMS["clique"], as_graph(rest))
        assert min(rest.floor, left) <= -best or left == -best
        assert min(rest.floor, left) == (-best if rest.num_nodes == packing.num_nodes else min(target, left))


def test_without_a_target_everything_is_within_reach():
    (packing,) = packings("clique", random_graph(3, 6, 0.5))
    assert reachable(packing, math.inf, 1.0) is packing
