import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from annealco.bounds.clique_cover import certified_price
from annealco.bounds.greedy_cover import greedy_clique_cover, greedy_cover_in_time, part_of_greedy_cover
from annealco.graph.generators import rb_graph
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.bounds.references import is_clique, ledger, random_graph, rows_of, sets_of
from tests.graph.strategies import graphs
from tests.problems.brute_force import best_score


@given(graphs(max_nodes=8, weighted=True))
@settings(max_examples=60)
def test_cliques_are_cliques_and_pay_for_every_node(graph):
    cover = greedy_clique_cover(rows_of(graph), graph.node_weight)
    cliques = sets_of(cover.start, cover.member)
    assert all(is_clique(graph, clique) for clique in cliques)
    for node, weight in enumerate(graph.node_weight.tolist()):
        paid = sum(price for price, clique in zip(cover.price.tolist(), cliques, strict=True) if node in clique)
        assert paid == weight
    assert certified_price(cover, graph.node_weight) >= best_score(PROBLEMS["mis"], graph)


def test_a_tree_is_covered_optimally():
    for seed in range(10):
        tree = nx.random_labeled_tree(30, seed=seed)
        graph = Graph.from_edges(np.array(tree.edges).T, 30)
        matching = nx.max_weight_matching(tree, maxcardinality=True)
        assert len(greedy_clique_cover(rows_of(graph), np.ones(30)).price) == 30 - len(matching)


def test_disjoint_cliques_are_found():
    graph = Graph.from_edges(np.array([(u, v) for u in range(30) for v in range(u) if u // 6 == v // 6]).T, 30)
    assert len(greedy_clique_cover(rows_of(graph), np.ones(30)).price) == 5


@pytest.mark.parametrize("num_nodes", [0, 1, 3])
def test_without_edges_every_node_is_its_own_clique(num_nodes):
    cover = greedy_clique_cover(rows_of(random_graph(0, num_nodes, 0.0)), np.ones(num_nodes))
    assert sorted(cover.member.tolist()) == list(range(num_nodes))
    assert len(cover.price) == num_nodes


def test_dense_graphs_with_more_candidates_than_are_compared():
    graph = random_graph(5, 300, 0.7)
    cover = greedy_clique_cover(rows_of(graph), np.ones(300))
    assert sorted(cover.member.tolist()) == list(range(300))
    assert all(is_clique(graph, clique) for clique in sets_of(cover.start, cover.member)[:5])
    assert len(cover.price) < 60


def test_chunks_do_not_change_the_cover_and_no_time_gives_none():
    graph = random_graph(2, 80, 0.3, weights="real")
    rows, weight = rows_of(graph), graph.node_weight
    whole, parts = greedy_clique_cover(rows, weight), greedy_cover_in_time(rows, weight, ledger())
    assert all(np.array_equal(one, other) for one, other in zip(whole, parts, strict=True))
    assert greedy_cover_in_time(rows, weight, ledger(seconds=0)) is None


def test_part_of_a_cover_is_the_beginning_of_the_whole_one():
    graph = rb_graph(np.random.default_rng(0), num_groups=40, group_size=20, tightness=0.5)
    rows, weight = rows_of(graph), np.random.default_rng(1).uniform(1, 9, graph.num_nodes)
    whole = greedy_clique_cover(rows, weight)
    # How far two milliseconds go depends on the machine, and on what else it does.
    tried = (part_of_greedy_cover(rows, weight, ledger(0.0005 * 1.3**number)) for number in range(40))
    part = next(each for each in tried if len(each.price) > 0)
    assert len(part.price) < len(whole.price)
    assert part.price.tolist() == whole.price[: len(part.price)].tolist()
    assert part.member.tolist() == whole.member[: part.start[-1]].tolist()
    # What is left out pays for itself, so the bound is weaker but holds.
    assert certified_price(whole, weight) <= certified_price(part, weight) <= weight.sum() * (1 + 1e-12)
    assert part_of_greedy_cover(rows, weight, ledger(60)).price.tolist() == whole.price.tolist()
