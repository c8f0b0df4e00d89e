"""Packings: what instances are relaxed to, and bounds on them, by cliques, linear programs and branching."""

import math
from fractions import Fraction
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from annealco._core import (
    Clock,
    IteratedGreedy,
    PartitionSearch,
    StopFlag,
    cover_pairs,
    greedy_colouring,
    overfilled_cliques,
    within_reach,
)
from annealco.bounds import packing as packing_module
from annealco.bounds.packing import (
    CliqueCover,
    ListedPacking,
    OddCycles,
    Packing,
    certified_price,
    cover_of_labels,
    covers_pairs,
    greedy_cover,
    greedy_partition,
    labels_of_cover,
    packings_of,
    price_cliques,
    prove_packing,
    reachable,
)
from annealco.energy import AllPairs, Constraint, Instance, Linear
from annealco.energy.structure import structure_of
from annealco.graph.generators import barabasi_albert, generate, random_regular
from annealco.graph.graph import Graph
from annealco.graph.interop import to_networkx
from annealco.graph.operations import complement
from annealco.problems import PROBLEMS
from tests.bounds.references import is_clique, joined_sets, ledger, over, random_graph, rows_of, sets_of
from tests.budgets import ANY_MOMENT
from tests.graph.strategies import graphs
from tests.problems.brute_force import best_score


def packings(name, graph):
    listed = packings_of(structure_of(PROBLEMS[name].declare(graph)))
    return [each.build(Clock()) for each in listed]


def prove(name, graph, **settings):
    book = ledger(**settings)
    for packing in packings_of(structure_of(PROBLEMS[name].declare(graph))):
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
    (listed,) = packings_of(structure_of(instance))
    packing = listed.build(Clock())
    assert packing.constant == pytest.approx(-4.0)
    assert packing.weight.tolist() == [2.0, 3.0]


def test_only_covers_of_pairs_by_nodes_that_cost_something_are_packings():
    graph = random_graph(1, 5, 0.6)
    assert covers_pairs(structure_of(PROBLEMS["vertex_cover"].declare(graph)))
    assert not covers_pairs(structure_of(PROBLEMS["mds"].declare(graph)))
    assert not covers_pairs(structure_of(PROBLEMS["mis"].declare(graph)))


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
    packing = Packing(
        graph.node_weight, rows, complemented=False, node=np.arange(graph.num_nodes), size=graph.num_nodes
    )
    label = greedy_partition(rows, colours=False, clock=Clock())
    return price_cliques(packing, rows, label, book, seconds=math.inf, seed=0), book


@pytest.mark.parametrize("seed", range(6))
def test_the_program_is_no_worse_than_greedy_and_no_better_than_possible(seed):
    graph = random_graph(seed, 12, 0.3 + 0.05 * seed)
    graph = graph.with_weights(node_weight=np.random.default_rng(seed).uniform(0.5, 3, 12))
    cover, book = price(graph)
    greedy, _ = greedy_cover(rows_of(graph), graph.node_weight, Clock())
    most = np.ones(len(cover.price)) if cover.most is None else cover.most
    sets = zip(sets_of(cover.start, cover.member), most.tolist(), strict=True)
    assert all(is_clique(graph, each) if limit == 1 else len(each) == 2 * limit + 1 for each, limit in sets)
    assert -book.cost <= certified_price(greedy, graph.node_weight) + 1e-9
    assert -book.cost >= best_score(PROBLEMS["mis"], graph)


def test_a_cycle_of_five_is_worth_two():
    """By its pairs alone it would be two and a half."""
    _, book = price(random_graph(0, 5, 0.0))
    assert book.cost == pytest.approx(-5.0)
    _, book = price(Graph.from_edges([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]]))
    assert book.cost == pytest.approx(-2.0)
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


def test_no_time_gives_the_quick_bound_and_a_stop_the_cheapest():
    graph = random_graph(0, 60, 0.3)
    for name in ("mis", "clique", "vertex_cover"):
        assert "greedy" in prove(name, graph, seconds=0.0).method
        stop = StopFlag()
        stop.set()
        book = prove(name, graph, stop=stop)
        assert book.method == ("neighbourhoods" if name == "clique" else "pairs")
        assert book.cost <= prove(name, graph, seconds=0.0).cost


NOTHING = (np.zeros(1, np.int64), np.zeros(0, np.int32))


def cover(graph, weight=None, clock=None):
    return greedy_cover(rows_of(graph), graph.node_weight if weight is None else weight, clock or Clock())


def colouring(graph, weight):
    return greedy_colouring(rows_of(graph), weight, Clock())


def is_partition(graph, label, *, colours):
    """Whether no two nodes of a class are joined, or all of them are, and no class is left out."""
    classes = [np.flatnonzero(label == each).tolist() for each in range(label.max(initial=-1) + 1)]
    joined = joined_sets(graph)
    if colours:
        return all(classes) and all(v not in joined[u] for each in classes for u in each for v in each)
    return all(classes) and all(is_clique(graph, each) for each in classes)


# Certified prices.


@st.composite
def priced_sets(draw):
    size = draw(st.integers(1, 6))
    sets = draw(st.lists(st.sets(st.integers(0, size - 1), min_size=1), max_size=6))
    weight = draw(st.lists(st.floats(0, 10), min_size=size, max_size=size))
    price = draw(st.lists(st.floats(-1, 10), min_size=len(sets), max_size=len(sets)))
    return np.array(weight), [sorted(each) for each in sets], np.array(price)


@given(priced_sets())
def test_a_price_is_certified_whatever_the_prices_are(case):
    weight, sets, price = case
    start = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    priced = CliqueCover(start, np.array([node for each in sets for node in each], np.int32), price)
    paid = [max(Fraction(0), Fraction(each)) for each in price.tolist()]
    received = [
        sum((p for p, each in zip(paid, sets, strict=True) if i in each), start=Fraction(0)) for i in range(len(weight))
    ]
    least = sum(paid, start=Fraction(0)) + sum(
        max(Fraction(0), Fraction(w) - r) for w, r in zip(weight.tolist(), received, strict=True)
    )
    proven = certified_price(priced, weight)
    assert least <= Fraction(proven)
    assert proven <= float(least) * (1 + 1e-12) + 1e-12


def test_a_price_is_certified_for_many_roundings_too():
    rng = np.random.default_rng(0)
    sets = [np.sort(rng.choice(50, 20, replace=False)) for _ in range(400)]
    price, weight = rng.random(400) * 10.0 ** rng.integers(-12, 3, 400), rng.uniform(0, 3000, 50)
    priced = CliqueCover(np.arange(0, 8001, 20), np.concatenate(sets).astype(np.int32), price)
    exact = sum(map(Fraction, price.tolist()))
    for node in range(50):
        paid = sum((Fraction(p) for p, each in zip(price.tolist(), sets, strict=True) if node in each), Fraction(0))
        exact += max(Fraction(0), Fraction(weight[node]) - paid)
    proven = Fraction(certified_price(priced, weight))
    assert exact <= proven <= exact * (1 + Fraction(1, 10**12))


def test_classes_cost_their_heaviest_member_exactly():
    weight = np.array([1.0, 4.0, 3.5, 0.0])
    priced = cover_of_labels(np.array([2, 0, 2, 1]), weight)
    assert priced.price.tolist() == [4.0, 0.0, 3.5]
    assert certified_price(priced, weight) == 7.5


def test_labels_of_a_partition_come_back():
    label = np.array([2, 0, 2, 1, 0])
    assert labels_of_cover(cover_of_labels(label, np.ones(5))).tolist() == label.tolist()


# Greedy covers.


@given(graphs(max_nodes=8, weighted=True))
@settings(max_examples=60)
def test_cliques_are_cliques_and_pay_for_every_node(graph):
    found, whole = cover(graph)
    cliques = sets_of(found.start, found.member)
    assert whole
    assert all(is_clique(graph, clique) for clique in cliques)
    for node, weight in enumerate(graph.node_weight.tolist()):
        paid = sum(price for price, clique in zip(found.price.tolist(), cliques, strict=True) if node in clique)
        assert paid == weight
    assert certified_price(found, graph.node_weight) >= best_score(PROBLEMS["mis"], graph)


def test_a_tree_is_covered_optimally():
    for seed in range(10):
        tree = nx.random_labeled_tree(30, seed=seed)
        graph = Graph.from_edges(np.array(tree.edges).T, 30)
        matching = nx.max_weight_matching(tree, maxcardinality=True)
        assert len(cover(graph)[0].price) == 30 - len(matching)


def test_disjoint_cliques_are_found():
    graph = Graph.from_edges(np.array([(u, v) for u in range(30) for v in range(u) if u // 6 == v // 6]).T, 30)
    assert len(cover(graph)[0].price) == 5


@pytest.mark.parametrize("num_nodes", [0, 1, 3])
def test_without_edges_every_node_is_its_own_clique(num_nodes):
    found, whole = cover(random_graph(0, num_nodes, 0.0))
    assert whole
    assert sorted(found.member.tolist()) == list(range(num_nodes))
    assert len(found.price) == num_nodes


@pytest.mark.parametrize(("num_nodes", "density"), [(90, 0.7), (300, 0.7), (300, 0.3)])
def test_more_candidates_than_are_compared_at_once(num_nodes, density):
    graph = random_graph(5, num_nodes, density)
    found, _ = cover(graph)
    assert sorted(found.member.tolist()) == list(range(num_nodes))
    assert all(is_clique(graph, clique) for clique in sets_of(found.start, found.member))
    assert len(found.price) < num_nodes * (0.2 if density > 0.5 else 0.4)


def test_without_time_a_cover_is_not_whole_and_what_it_leaves_out_pays_for_itself():
    graph = random_graph(2, 80, 0.3, weights="real")
    found, whole = cover(graph, clock=over())
    assert not whole
    assert len(found.price) < len(cover(graph)[0].price)
    assert certified_price(found, graph.node_weight) >= certified_price(cover(graph)[0], graph.node_weight)
    assert greedy_partition(rows_of(graph), colours=False, clock=over()) is None
    assert greedy_partition(rows_of(graph), colours=True, clock=over()) is None


@pytest.mark.parametrize("colours", [False, True])
def test_greedy_partitions_are_partitions(colours):
    graph = random_graph(3, 40, 0.4)
    assert is_partition(graph, greedy_partition(rows_of(graph), colours=colours, clock=Clock()), colours=colours)


# Colourings.


@given(graphs(max_nodes=9, weighted=True))
@settings(max_examples=60)
def test_neighbours_never_share_a_colour(graph):
    assert is_partition(graph, colouring(graph, graph.node_weight), colours=True)


def test_equal_weights_need_one_colour_more_than_the_largest_core_at_most():
    for seed in range(20):
        graph = random_graph(seed, 40, 0.1 + 0.02 * seed)
        core = max(nx.core_number(to_networkx(graph)).values())
        assert colouring(graph, np.full(40, 2.5)).max() <= core


def test_heavier_nodes_get_earlier_colours():
    weight = np.array([3.0, 1.0, 6.0, 2.0, 5.0, 4.0])
    assert colouring(random_graph(1, 6, 1.0), weight).tolist() == [3, 5, 0, 4, 1, 2]
    many = np.random.default_rng(0).permutation(3000).astype(float) + 1
    assert np.array_equal(np.argsort(colouring(random_graph(1, 50, 1.0), many[:50])), np.argsort(-many[:50]))


@given(graphs(max_nodes=8, weighted=True), st.integers(0, 30))
@settings(max_examples=60)
def test_no_heavier_clique_holds_a_node_out_of_reach(graph, limit):
    kept = within_reach(rows_of(graph), graph.node_weight, limit + 0.125, Clock()).astype(bool)
    best = best_score(PROBLEMS["clique"], graph)
    assert kept.any() or best <= limit + 0.125
    joined = joined_sets(graph)
    for node in np.flatnonzero(~kept).tolist():
        around = sorted(joined[node] | {node})
        assert sum(graph.node_weight[each] for each in around if kept[each] or each == node) <= limit + 0.125


def test_what_is_within_reach_is_the_core():
    graph = random_graph(3, 60, 0.1)
    for limit in range(1, 7):
        kept = within_reach(rows_of(graph), np.ones(60), limit + 0.5, Clock())
        assert set(np.flatnonzero(kept).tolist()) == set(nx.k_core(to_networkx(graph), limit).nodes)
    assert within_reach(rows_of(graph), np.ones(60), 5.5, over()).all()


# Partitions into fewer classes.


@pytest.mark.parametrize("colours", [False, True])
def test_passes_never_make_a_partition_larger(colours):
    graph = random_graph(0, 120, 0.4)
    label = greedy_partition(rows_of(graph), colours=colours, clock=Clock())
    search = IteratedGreedy(rows_of(graph), np.ones(120), label, colours=colours, seed=0)
    prices = [search.price]
    for _ in range(50):
        search.run(0.0, Clock(moves=1))
        prices.append(search.price)
        assert is_partition(graph, search.cheapest, colours=colours)
    assert prices[0] == label.max() + 1
    assert prices == sorted(prices, reverse=True)
    assert prices[-1] == search.cheapest.max() + 1 < prices[0]


@pytest.mark.parametrize("kind", [IteratedGreedy, PartitionSearch])
@pytest.mark.parametrize("colours", [False, True])
def test_the_seed_and_the_moves_alone_decide_what_is_found(kind, colours):
    graph = random_graph(7, 90, 0.4)
    weight = np.random.default_rng(0).uniform(1, 3, 90)
    label = greedy_partition(rows_of(graph), colours=colours, clock=Clock())
    searches = [kind(rows_of(graph), weight, label, colours=colours, seed=5) for _ in range(2)]
    patience = [] if kind is IteratedGreedy else [None]
    searches[0].run(0.0, *patience, Clock(moves=60))
    for moves in (1, 30, 29):
        searches[1].run(0.0, *patience, Clock(moves=moves))
    assert np.array_equal(searches[0].cheapest, searches[1].cheapest)
    assert searches[0].price == pytest.approx(cover_of_labels(searches[0].cheapest, weight).price.sum())
    assert is_partition(graph, searches[0].cheapest, colours=colours)


@pytest.mark.parametrize("number", range(5))
def test_the_groups_of_forced_graphs_are_found(number):
    graph = generate("rb-small", count=1, seed=3, start=number)
    groups = int(graph.graph_data["num_groups"][0])
    label = greedy_partition(rows_of(graph), colours=False, clock=Clock())
    search = PartitionSearch(rows_of(graph), np.ones(graph.num_nodes), label, colours=False, seed=0)
    search.run(float(groups), None, Clock(moves=500_000))
    assert search.num_classes == groups == search.price
    assert is_partition(graph, search.label, colours=False)


def test_a_search_keeps_the_cheapest_partition_beside_the_smallest():
    graph = random_graph(9, 60, 0.5)
    weight = np.random.default_rng(1).uniform(0, 1, 60) ** 4
    label = greedy_partition(rows_of(graph), colours=True, clock=Clock())
    search = PartitionSearch(rows_of(graph), weight, label, colours=True, seed=0)
    search.run(0.0, 5, Clock())
    assert search.label.max() + 1 == search.num_classes < label.max() + 1
    assert cover_of_labels(search.cheapest, weight).price.sum() <= cover_of_labels(search.label, weight).price.sum()


def test_patience_ends_a_search_that_has_no_aim():
    graph = random_graph(0, 6, 1.0)
    search = PartitionSearch(rows_of(graph), np.ones(6), np.arange(6, dtype=np.int32), colours=True, seed=0)
    clock = Clock()
    search.run(0.0, 3, clock)
    assert search.num_classes == 6
    assert 3 * 10 * 6 < clock.moves < 4 * 10 * 6


@pytest.mark.parametrize("num_nodes", [0, 1, 4])
def test_one_class_cannot_become_fewer(num_nodes):
    rows, label = rows_of(random_graph(0, num_nodes, 0.0)), np.zeros(num_nodes, np.int32)
    search = PartitionSearch(rows, np.ones(num_nodes), label, colours=True, seed=0)
    clock = Clock()
    search.run(0.0, None, clock)
    assert (search.num_classes, clock.moves) == (min(num_nodes, 1), 0)
    passes = IteratedGreedy(rows, np.ones(num_nodes), label, colours=True, seed=0)
    passes.run(0.0, Clock(moves=2))
    assert passes.cheapest.tolist() == [0] * num_nodes


def test_a_stop_ends_a_search_and_keeps_what_it_has():
    graph, stop = random_graph(7, 90, 0.4), StopFlag()
    stop.set()
    label = greedy_partition(rows_of(graph), colours=True, clock=Clock())
    for kind, patience in ((IteratedGreedy, []), (PartitionSearch, [None])):
        search = kind(rows_of(graph), np.ones(90), label, colours=True, seed=0)
        search.run(0.0, *patience, Clock(stop=stop))
        assert is_partition(graph, search.cheapest, colours=True)


# Cliques that hold all pairs, and cliques that a solution overfills.


@given(graphs(max_nodes=9), st.booleans())
@settings(max_examples=60)
def test_every_edge_is_in_some_clique(graph, begun):
    given_sets = cover(graph, np.ones(graph.num_nodes))[0][:2] if begun else NOTHING
    more = sets_of(*cover_pairs(rows_of(graph), *given_sets, 1000, Clock()))
    assert all(is_clique(graph, clique) for clique in more)
    cliques = [set(each) for each in [*sets_of(*given_sets), *more]]
    assert all(any({u, v} <= each for each in cliques) for u, v in graph.edges.T.tolist())


def test_pairs_of_more_nodes_than_a_word_has_bits():
    graph = barabasi_albert(np.random.default_rng(0), num_nodes=150, attachment=5)
    cliques = [set(each) for each in sets_of(*cover_pairs(rows_of(graph), *NOTHING, 10_000, Clock()))]
    assert all(is_clique(graph, sorted(each)) for each in cliques)
    assert all(any({u, v} <= each for each in cliques) for u, v in graph.edges.T.tolist())


def test_nothing_is_added_to_a_clique_that_covers_all():
    whole = np.array([0, 5]), np.arange(5, dtype=np.int32)
    start, member = cover_pairs(rows_of(random_graph(0, 5, 1.0)), *whole, 5, Clock())
    assert (start.tolist(), member.tolist()) == ([0], [])
    assert cover_pairs(rows_of(random_graph(0, 5, 1.0)), *whole, 4, Clock()) is None


def test_too_many_members_or_too_little_time_give_none():
    rows = rows_of(random_graph(0, 12, 0.5))
    needed = len(cover_pairs(rows, *NOTHING, 1000, Clock())[1])
    assert len(cover_pairs(rows, *NOTHING, needed, Clock())[1]) == needed
    assert cover_pairs(rows, *NOTHING, needed - 1, Clock()) is None
    assert cover_pairs(rows, *NOTHING, 1000, over()) is None


@given(graphs(max_nodes=9), st.integers(0, 100))
@settings(max_examples=60)
def test_what_is_overfilled_is_a_maximal_clique(graph, seed):
    rng = np.random.default_rng(seed)
    value = rng.random(graph.num_nodes) * (rng.random(graph.num_nodes) < 0.8)
    joined = joined_sets(graph)
    for clique in sets_of(*overfilled_cliques(rows_of(graph), value, seed, 1000, Clock())):
        assert is_clique(graph, clique)
        assert value[clique].sum() > 1
        assert not set.intersection(*(joined[node] for node in clique))


def test_an_overfilled_edge_is_always_noticed():
    for seed in range(20):
        graph = random_graph(seed, 14, 0.3)
        value = np.random.default_rng(seed).random(14)
        found = sets_of(*overfilled_cliques(rows_of(graph), value, 0, 1000, Clock()))
        overfull = [(u, v) for u, v in graph.edges.T.tolist() if value[u] + value[v] > 1.001]
        assert bool(found) >= bool(overfull)


def test_a_feasible_point_overfills_nothing_and_few_cliques_are_enough():
    rows = rows_of(random_graph(1, 20, 0.5))
    assert overfilled_cliques(rows, np.full(20, 0.05), 0, 1000, Clock())[0].tolist() == [0]
    assert len(overfilled_cliques(rows, np.full(20, 0.9), 0, 1000, Clock())[0]) > 2
    assert len(overfilled_cliques(rows, np.full(20, 0.9), 0, 1, Clock())[0]) == 2
    assert len(overfilled_cliques(rows, np.full(20, 0.9), 0, 1000, over())[0]) == 1


@pytest.mark.parametrize("name", ["mis", "clique", "vertex_cover"])
@pytest.mark.parametrize("weights", [None, "integer", "real"])
def test_theta_numbers_bound_independent_sets_cliques_and_covers(name, weights):
    for seed, density in ((0, 0.2), (1, 0.5), (2, 0.8)):
        graph = random_graph(seed, 12, density, weights=weights)
        sign, best = (1.0 if name == "vertex_cover" else -1.0), best_score(PROBLEMS[name], graph)
        (packing,) = packings(name, graph)
        book = ledger()
        packing_module._prove_theta(packing, book, seconds=math.inf)
        assert book.method == "theta number"
        assert sign * best - 0.3 * graph.node_weight.sum() <= book.cost <= sign * best


def test_a_packing_that_cliques_do_not_price_is_proven_by_its_theta_number():
    """Sets of 3 of 10 numbers that have to meet: 36 of 120, where each three disjoint ones are a clique, so 40."""
    triples = [set(each) for each in combinations(range(10), 3)]
    apart = [(i, j) for i, j in combinations(range(120), 2) if not triples[i] & triples[j]]
    packing = packings("mis", Graph.from_edges(np.array(apart).T, 120))[0]
    book = ledger(target=-36.0, step=1.0)
    packing_module._prove_theta(packing, book, seconds=math.inf)
    assert book.closed
    assert book.method == "theta number"


@pytest.mark.parametrize("name", ["mis", "vertex_cover"])
@pytest.mark.parametrize("weights", [None, "integer", "real"])
def test_reductions_keep_the_optimum_and_lead_to_a_set_that_has_it(name, weights):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        graph = random_graph(seed, int(rng.integers(1, 13)), rng.choice([0.0, 0.2, 0.4, 0.8]), weights=weights)
        problem = PROBLEMS[name]
        sign, best = (1.0 if name == "vertex_cover" else -1.0), best_score(problem, graph)
        for listed in packings_of(structure_of(problem.declare(graph))):
            rest = listed.reduced(ledger())
            assert len(rest.weight) == 0
            assert rest.constant <= sign * best
            assert rest.constant == pytest.approx(sign * best, rel=1e-12, abs=1e-12)
            chosen = rest.lift(np.zeros(0, bool))
            assert problem.score(graph, np.flatnonzero(chosen).tolist()) == pytest.approx(best)


@pytest.mark.parametrize("name", ["mis", "vertex_cover"])
def test_what_reductions_leave_is_bounded_and_led_back(name, monkeypatch):
    """Without time for reductions and small parts, so that all is left; the optimum is that of networkx."""
    for name_of, value in (("MAX_PART", 0), ("REDUCE_SHARE", 0.0), ("SETUP_SECONDS", -1.0)):
        monkeypatch.setattr(f"annealco.bounds.hitting_sets.{name_of}", value)
    num_left = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        graph = random_regular(rng, num_nodes=24, degree=7)
        graph = graph.with_weights(node_weight=rng.integers(10, 12 + seed, 24))
        other = nx.complement(to_networkx(graph))
        nx.set_node_attributes(other, dict(enumerate(graph.node_weight.astype(int).tolist())), "weight")
        heaviest = nx.max_weight_clique(other, "weight")[1]
        sign, best = (1.0, graph.node_weight.sum() - heaviest) if name == "vertex_cover" else (-1.0, heaviest)
        instance = PROBLEMS[name].declare(graph)
        (listed,) = packings_of(structure_of(instance))
        rest = listed.reduced(ledger())
        num_left += len(rest.weight) > 0
        assert prove(name, graph, step=1.0).cost == sign * best
        packing = rest.build(Clock())
        some = packing.lifted(np.zeros(packing.num_nodes, bool))
        assert float(instance.violations(some)[0]) == 0
    assert num_left > 4


def test_odd_cycles_are_priced_and_closed_by_branching():
    """Rings side by side: no clique prices one of k nodes below k / 2, its cycle does at (k − 1) / 2."""
    rings = nx.disjoint_union_all([nx.cycle_graph(size) for size in (5, 7, 9, 8, 11)])
    graph = Graph.from_edges(np.array(list(rings.edges)).T, len(rings))
    (packing,) = packings("mis", graph)
    label, book = greedy_partition(packing.rows, colours=False, clock=Clock()), ledger()
    priced = price_cliques(packing, packing.rows, label, book, seconds=math.inf, seed=0)
    assert -book.cost == pytest.approx(2 + 3 + 4 + 4 + 5)
    assert sorted(priced.most[priced.price > 1e-9].tolist())[-1] == 5.0
    book = ledger(target=-18.0, step=1.0)
    book.offer(-20.0, "a guess")
    packing_module._branch(packing, packing.rows, priced, book)
    assert book.cost == -18.0


@pytest.mark.parametrize("weights", [None, "integer", "real"])
def test_prices_of_cycles_hold_for_every_independent_set(weights):
    for seed in range(15):
        graph = random_graph(seed, 11, 0.3, weights=weights)
        weight = graph.node_weight + (weights is not None)
        graph = graph.with_weights(node_weight=weight)
        (packing,) = packings("mis", graph)
        label, book = greedy_partition(packing.rows, colours=False, clock=Clock()), ledger()
        price_cliques(packing, packing.rows, label, book, seconds=math.inf, seed=0)
        assert -book.cost >= best_score(PROBLEMS["mis"], graph)


def test_what_is_found_are_odd_cycles_that_hold_too_much():
    rng = np.random.default_rng(0)
    for seed in range(20):
        graph = random_graph(seed, 14, 0.2)
        joined = joined_sets(graph)
        solution = rng.uniform(0.3, 0.5, 14)
        cycles = OddCycles(rows_of(graph))
        found = cycles.overfilled(solution, np.arange(14, dtype=np.int32), 200, Clock())
        for members, most in zip(sets_of(found.start, found.member), found.most.tolist(), strict=True):
            assert len(members) == 2 * most + 1
            assert solution[members].sum() > most
            ring = nx.Graph([(u, v) for u in members for v in members if v in joined[u]])
            assert any(len(each) == len(members) for each in nx.simple_cycles(ring, length_bound=len(members)))


def test_any_prices_of_limited_sets_prove_a_bound():
    rng = np.random.default_rng(4)
    for _ in range(50):
        price, most = rng.random(3) * 10.0 ** rng.integers(-200, 200, 3), rng.integers(1, 9, 3).astype(float)
        cover = CliqueCover(np.array([0, 2, 4, 6]), np.arange(6, dtype=np.int32), price, most)
        exact = sum(Fraction(p) * Fraction(m) for p, m in zip(price.tolist(), most.tolist(), strict=True))
        proven = Fraction(certified_price(cover, np.zeros(6)))
        assert exact <= proven <= exact * (1 + Fraction(1, 10**14))
