"""Packings: what instances are relaxed to, and bounds on them, by cliques, linear programs and branching."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import Bounds, LinearConstraint, milp

from annealco._core import Clock, StopFlag
from annealco.bounds import packing as packing_module
from annealco.bounds.clique_cover import certified_price, cover_of_labels, greedy_cover, greedy_partition
from annealco.bounds.packing import (
    ListedPacking,
    Packing,
    covers_pairs,
    packings_of,
    price_cliques,
    prove_packing,
    reachable,
)
from annealco.bounds.structure import read_structure
from annealco.energy import AllPairs, Constraint, Instance, Linear
from annealco.graph.generators import barabasi_albert, generate
from annealco.graph.graph import Graph
from annealco.graph.operations import complement
from annealco.problems import PROBLEMS
from tests.bounds.references import is_clique, ledger, over, random_graph, rows_of, sets_of
from tests.budgets import ANY_MOMENT
from tests.graph.strategies import graphs
from tests.problems.brute_force import best_score


def packings(name, graph):
    listed = packings_of(read_structure(PROBLEMS[name].declare(graph)))
    return [each.build(Clock()) for each in listed]


def prove(name, graph, **settings):
    book = ledger(**settings)
    for packing in packings_of(read_structure(PROBLEMS[name].declare(graph))):
        prove_packing(packing, book, seed=0)
    return book


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
    (listed,) = packings_of(read_structure(instance))
    packing = listed.build(Clock())
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
    packing.within(np.ones(4, dtype=bool), -3.0, Clock()).offer(
        book, cover_of_labels(np.zeros(4, np.int64), np.ones(4)), "x"
    )
    assert book.cost == -3.0


@given(graph=graphs(max_nodes=7, weighted=True))
@settings(max_examples=40)
def test_what_is_out_of_reach_cannot_beat_the_target(graph):
    best = best_score(PROBLEMS["clique"], graph)
    (packing,) = packings("clique", graph)
    for target in (-best, -best + 0.25, -best / 2):
        rest = reachable(packing, target, 0.25, Clock())
        left = rest.constant - best_score(PROBLEMS["clique"], as_graph(rest))
        assert min(rest.floor, left) <= -best or left == -best
        assert min(rest.floor, left) == (-best if rest.num_nodes == packing.num_nodes else min(target, left))


def test_without_a_target_everything_is_within_reach():
    (packing,) = packings("clique", random_graph(3, 6, 0.5))
    assert reachable(packing, math.inf, 1.0, Clock()) is packing


def test_without_time_nothing_is_built():
    listed = ListedPacking(np.ones(3), np.array([[0, 1], [1, 2]]), complemented=False, constant=0.0)
    assert listed.build(over()) is None
    assert listed.build(Clock()).weight.tolist() == [1.0, 1.0, 1.0]


# The linear program.


def price(graph, **settings):
    rows, book = rows_of(graph), ledger(**settings)
    packing = Packing(graph.node_weight, rows, complemented=False)
    label = greedy_partition(rows, colours=False, clock=Clock())
    return price_cliques(packing, rows, label, book, seconds=math.inf, seed=0), book


@pytest.mark.parametrize("seed", range(6))
def test_the_program_is_no_worse_than_greedy_and_no_better_than_possible(seed):
    graph = random_graph(seed, 12, 0.3 + 0.05 * seed)
    graph = graph.with_weights(node_weight=np.random.default_rng(seed).uniform(0.5, 3, 12))
    cover, book = price(graph)
    greedy, _ = greedy_cover(rows_of(graph), graph.node_weight, Clock())
    assert all(is_clique(graph, clique) for clique in sets_of(cover.start, cover.member))
    assert -book.cost <= certified_price(greedy, graph.node_weight) + 1e-9
    assert -book.cost >= best_score(PROBLEMS["mis"], graph)


def test_a_cycle_of_five_is_worth_two_and_a_half():
    _, book = price(random_graph(0, 5, 0.0))
    assert book.cost == pytest.approx(-5.0)
    _, book = price(Graph.from_edges([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]]))
    assert book.cost == pytest.approx(-2.5)
    assert book.method == "clique cover, linear program"


def test_without_time_for_the_program_a_plain_cover_is_returned():
    graph = random_graph(1, 10, 0.5)
    cover, book = price(graph, seconds=0.0)
    assert certified_price(cover, graph.node_weight) == pytest.approx(cover.price.sum())
    assert book.cost == -np.inf


# All of it.


@pytest.mark.parametrize("name", ["mis", "clique", "vertex_cover"])
@given(graph=graphs(min_nodes=1, max_nodes=9, weighted=True))
@settings(max_examples=25)
def test_small_graphs_are_proven_exactly(name, graph):
    best = best_score(PROBLEMS[name], graph)
    cost = best if PROBLEMS[name].sense == "min" else -best
    for target in (math.inf, cost):
        book = prove(name, graph, step=0.25, target=target)
        assert book.cost == cost or not np.any(graph.node_weight) or not graph.num_edges


@pytest.mark.parametrize("seed", range(4))
def test_listed_and_unlisted_conflicts_prove_the_same_optimum(seed):
    graph = random_graph(seed, 12, 0.5)
    graph = graph.with_weights(node_weight=np.random.default_rng(seed).integers(1, 9, 12))
    best = best_score(PROBLEMS["mis"], graph)
    assert prove("mis", graph, step=1.0).cost == -best
    assert prove("clique", complement(graph), step=1.0).cost == -best


@pytest.mark.parametrize("seed", range(3))
def test_real_weights_are_proven_up_to_rounding(seed):
    graph = random_graph(seed, 12, 0.5)
    graph = graph.with_weights(node_weight=np.random.default_rng(seed).uniform(0.1, 3, 12))
    best = best_score(PROBLEMS["mis"], graph)
    for each, name in ((graph, "mis"), (complement(graph), "clique")):
        assert -best - 1e-9 <= prove(name, each, target=-best).cost <= -best


def test_groups_of_a_forced_graph_are_a_proof():
    graph = generate("rb-small", count=1, seed=11)
    size = int(graph.graph_data["planted_size"][0])
    book = prove("mis", graph, step=1.0, target=-float(size))
    assert (book.cost, book.method) == (-size, "clique cover, tabu search")


def test_branching_ends_with_the_optimum_of_a_sparse_graph():
    graph = generate("ba-small", count=1, seed=7)
    ends = np.zeros((graph.num_edges, graph.num_nodes))
    ends[np.arange(graph.num_edges)[:, None], graph.edges.T] = 1
    one = LinearConstraint(ends, ub=1)
    solved = milp(-np.ones(graph.num_nodes), integrality=np.ones(graph.num_nodes), bounds=Bounds(0, 1), constraints=one)
    assert prove("mis", graph, step=1.0).cost == round(solved.fun)


@pytest.mark.parametrize("name", ["mis", "clique", "vertex_cover"])
@pytest.mark.parametrize("weights", [None, "integer"])
def test_bounds_of_graphs_without_a_matrix_hold_too(name, weights, monkeypatch):
    monkeypatch.setattr(packing_module, "MAX_DENSE", 4)
    for seed in range(4):
        graph = random_graph(seed, 11, 0.4, weights=weights)
        best = best_score(PROBLEMS[name], graph)
        cost = best if PROBLEMS[name].sense == "min" else -best
        for target in (math.inf, cost):
            assert prove(name, graph, seconds=ANY_MOMENT, step=1.0, target=target).cost <= cost


def test_a_partition_of_a_large_graph_that_meets_the_target_ends_the_proof(monkeypatch):
    monkeypatch.setattr(packing_module, "MAX_DENSE", 4)
    monkeypatch.setattr(packing_module, "MAX_PROGRAM", 0)
    graph = generate("rb-small", count=1, seed=11)
    size = int(graph.graph_data["planted_size"][0])
    start = prove("mis", graph, seconds=0.0, step=1.0).cost
    book = prove("mis", graph, step=1.0, target=start + 1)
    assert start + 1 <= book.cost <= -size
    assert book.method == "clique cover, iterated greedy"


def test_cliques_of_a_large_sparse_graph_are_bounded_by_its_core():
    graph = barabasi_albert(np.random.default_rng(1), num_nodes=20_000, attachment=4)
    quick = prove("clique", graph, seconds=0.0, step=1.0)
    assert -5 <= quick.cost <= -2
    assert quick.method == "colouring, greedy"
    assert prove("clique", graph, step=1.0, target=-5.0).cost == -5.0


def test_no_time_gives_the_quick_bound_and_a_stop_nothing():
    graph = random_graph(0, 60, 0.3)
    for name in ("mis", "clique", "vertex_cover"):
        assert "greedy" in prove(name, graph, seconds=0.0).method
        stop = StopFlag()
        stop.set()
        book = prove(name, graph, stop=stop)
        assert (book.cost, book.method) == (-math.inf, "")
