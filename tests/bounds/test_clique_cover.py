"""Covers by priced cliques, colourings, and partitions into few classes."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from annealco.bounds.clique_cover import (
    CliqueCover,
    certified_price,
    cover_of_labels,
    greedy_cover,
    greedy_partition,
    labels_of_cover,
)
from annealco.graph.generators import barabasi_albert, generate
from annealco.graph.graph import Graph
from annealco.graph.interop import to_networkx
from annealco.problems import PROBLEMS
from tests.bounds.references import is_clique, joined_sets, over, random_graph, rows_of, sets_of
from tests.graph.strategies import graphs
from tests.problems.brute_force import best_score

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
