import networkx as nx
import numpy as np
import pytest

from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.search.budget import Budget, Trace
from annealco.search.forms import ENERGY, VIOLATION
from annealco.search.tabu import TabuSearch
from annealco.search.tabu_moves import PATIENCE, TENURE
from annealco.search.tabu_restart import (
    LEAST_PATIENCE,
    LONGEST_REST,
    NUM_PATIENCES,
    PATIENCE_A_NODE,
    SHORTEST_REST,
    collect_region,
    restart,
)


def search_on(name: str, graph: Graph) -> TabuSearch:
    return TabuSearch(PROBLEMS[name].declare(graph), np.zeros(graph.num_nodes, bool), 1)


@pytest.mark.parametrize("name", ["max_cut", "mds"])
def test_regions_are_connected_and_as_large_as_asked(name):
    graph = generate("ba-small", count=1, seed=1)
    whole = nx.Graph(graph.edges.T.tolist())
    search = search_on(name, graph)
    for limit in (1, 2, 17, graph.num_nodes):
        assert collect_region(search.forms, search.state, limit) == limit
        region = search.state.region[:limit].tolist()
        assert len(set(region)) == limit
        # Members of one set of a cover have a common neighbour, which need not be in the region.
        near = whole if name == "max_cut" else nx.power(whole, 2)
        assert nx.is_connected(near.subgraph(region))


def test_a_region_ends_with_its_component():
    graph = Graph.from_edges([[0, 1, 3], [1, 2, 4]], 5)
    search = search_on("max_cut", graph)
    assert {collect_region(search.forms, search.state, 5) for _ in range(30)} == {2, 3}


@pytest.mark.parametrize("name", ["cut", "max_cut"])
def test_a_restart_keeps_the_best_and_all_sums(name):
    graph = generate("ba-small", count=1, seed=2)
    search = search_on(name, graph)
    search.run(Budget(moves=500), -np.inf, Trace())
    patience = max(LEAST_PATIENCE, PATIENCE_A_NODE * graph.num_nodes)
    for _ in range(20):
        cost = float(search.incumbent.cost[0])
        restart(search.forms, search.state)
        best, found = search.best()
        assert found <= cost
        sign = 1 if name == "cut" else -1
        assert PROBLEMS[name].score(graph, np.flatnonzero(best)) == pytest.approx(sign * found)
        bits, instance = search.state.bits, PROBLEMS[name].declare(graph)
        assert bits.value[0, ENERGY] == pytest.approx(instance.energy().value(bits.chosen)[0])
        assert bits.value[0, VIOLATION] == pytest.approx(instance.violations(bits.chosen)[0])
        assert SHORTEST_REST <= search.state.number[TENURE] < LONGEST_REST
        assert search.state.number[PATIENCE] in {patience << k for k in range(NUM_PATIENCES)}
