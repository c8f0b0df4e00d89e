import math

import networkx as nx
import numpy as np
import pytest

from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import check_problem
from annealco.problems.conductance import CONDUCTANCE, conductance
from annealco.problems.cut import CUT
from annealco.problems.small_graphs import small_graphs
from tests.problems.brute_force import best_score

# Two triangles joined by an edge: volume 14, the natural cut is one triangle, of volume 7.
BARBELL = Graph.from_edges([[0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5]])
LONERS = Graph.from_edges(np.zeros((2, 0), int), 3)


def test_conductance_against_networkx():
    graph = nx.barbell_graph(4, 1)
    ours = Graph.from_edges(np.array(graph.edges).T)
    for nodes in ([0, 1, 2, 3], [4], [0, 5, 7]):
        expected = nx.cut_size(graph, nodes) / nx.volume(graph, nodes)
        assert conductance(ours, nodes) == pytest.approx(expected)
        assert CONDUCTANCE.score(ours, nodes, volume=(1, 26)) == pytest.approx(expected)
    assert conductance(ours, []) == math.inf
    assert conductance(LONERS, [0, 1]) == math.inf


def test_a_set_needs_a_volume_in_the_box_and_the_seed_node():
    assert CONDUCTANCE.score(BARBELL, [0, 1, 2]) == pytest.approx(1 / 7)
    assert CONDUCTANCE.score(BARBELL, [0]) is None
    assert CONDUCTANCE.score(BARBELL, [0, 1, 2], seed_node=5) is None
    assert CONDUCTANCE.score(BARBELL, [], volume=(0, 14)) is None
    assert CUT.score(BARBELL, [], volume=(0, 14)) == 0


def test_the_declaration_is_that_of_the_cut_without_sets_that_have_no_volume():
    for graph in small_graphs(np.random.default_rng(3)):
        if graph.num_edges:
            ours, plain = (problem.declare(graph, volume=(0, 5)) for problem in (CONDUCTANCE, CUT))
            bits = np.array([[0] * graph.num_nodes, [1] * graph.num_nodes])
            assert np.array_equal(ours.value(bits), plain.value(bits))
            assert (ours.violations(bits)[0, 0], plain.violations(bits)[0, 0]) == (1, 0)


@pytest.mark.parametrize("options", [{}, {"volume": (0, 9)}, {"seed_node": 0}, {"volume": (1, 12), "seed_node": 1}])
def test_the_contract_holds_with_options(options):
    big = [graph for graph in small_graphs(np.random.default_rng(5)) if graph.num_edges >= 5]
    check_problem(CONDUCTANCE.with_options(**options), big[:25])


def test_at_the_price_of_the_optimum_nothing_is_below_0():
    """Dinkelbach's theorem, by trying all sets: and at any higher price something is."""
    for graph in small_graphs(np.random.default_rng(4), num_random=20):
        best = best_score(CONDUCTANCE, graph) if graph.num_edges else None
        if best is not None:
            assert best_score(CONDUCTANCE.at_price(best), graph) == pytest.approx(0, abs=1e-9)
            assert best_score(CONDUCTANCE.at_price(best + 0.01), graph) < 0


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"volume": (8, 4)}, "no set has a volume in 8:4, all nodes have 14"),
        ({"volume": (20, 30)}, "no set has a volume in 20:30"),
        ({"volume": (0, 0)}, "no set has a volume above 0 in 0:0"),
        ({"volume": (0, 1)}, "no set has a volume in 1:1, degrees add up to none of these"),
        ({"volume": "4:8"}, "volume must be D0, D1"),
        ({"seed_node": 6}, "seed node 6 does not exist, there are 6 nodes"),
        ({"seed_node": 2, "volume": (1, 2)}, "seed node 2 has degree 3, above the largest volume 2"),
    ],
)
def test_impossible_options_are_refused(options, rule):
    with pytest.raises(InputError, match=rule):
        CONDUCTANCE.declare(BARBELL, **options)


def test_a_graph_without_edges_has_nothing_to_divide_by():
    with pytest.raises(InputError, match=r"^no set has a volume above 0 in 0:0"):
        CONDUCTANCE.declare(LONERS)
    with pytest.raises(InputError, match=r"^graph 1: no set has a volume above 0"):
        CONDUCTANCE.declare(Graph.batch([BARBELL, LONERS]))


def test_each_graph_can_have_its_own_box_and_seed():
    both = Graph.batch([BARBELL, BARBELL])
    instance = CONDUCTANCE.declare(both, volume=[[4, 8], [0, 3]], seed_node=[0, 5])
    assert instance.violations([1, 1, 1, 0, 0, 0] + [0] * 6).tolist() == [0, 2]
