import numpy as np
import pytest

from annealco.bounds.clique_cover import certified_price, labels_of_cover
from annealco.bounds.clique_pricing import price_cliques
from annealco.bounds.greedy_cover import greedy_clique_cover
from annealco.bounds.packing import Packing
from annealco.problems import PROBLEMS
from tests.bounds.references import is_clique, ledger, random_graph, rows_of, sets_of
from tests.problems.brute_force import best_score


def price(graph, seconds=60.0):
    rows, book = rows_of(graph), ledger()
    packing = Packing(graph.node_weight, rows, complemented=False)
    label = labels_of_cover(greedy_clique_cover(rows, np.ones(graph.num_nodes)))
    return price_cliques(packing, rows, label, book, seconds=seconds, seed=0), book


@pytest.mark.parametrize("seed", range(6))
def test_the_program_is_no_worse_than_greedy_and_no_better_than_possible(seed):
    graph = random_graph(seed, 12, 0.3 + 0.05 * seed)
    graph = graph.with_weights(node_weight=np.random.default_rng(seed).uniform(0.5, 3, 12))
    cover, book = price(graph)
    greedy = greedy_clique_cover(rows_of(graph), graph.node_weight)
    assert all(is_clique(graph, clique) for clique in sets_of(cover.start, cover.member))
    assert -book.cost <= certified_price(greedy, graph.node_weight) + 1e-9
    assert -book.cost >= best_score(PROBLEMS["mis"], graph)


def test_a_cycle_of_five_is_worth_two_and_a_half():
    _, book = price(random_graph(0, 5, 0.0))
    assert book.cost == pytest.approx(-5.0)
    cycle = random_graph(0, 5, 0.0)
    cycle = type(cycle).from_edges([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]])
    _, book = price(cycle)
    assert book.cost == pytest.approx(-2.5)
    assert book.method == "clique cover, linear program"


def test_without_time_a_greedy_cover_is_returned():
    graph = random_graph(1, 10, 0.5)
    cover, book = price(graph, seconds=0.0)
    assert certified_price(cover, graph.node_weight) == pytest.approx(cover.price.sum())
    assert book.cost == -np.inf
