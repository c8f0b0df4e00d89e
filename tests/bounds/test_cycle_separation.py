import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco.bounds.cycle_separation import SHORT, short_cycles
from annealco.bounds.incidence import incidence_of
from tests.bounds.references import random_graph, sets_of


def all_cycles(graph):
    import networkx as nx

    from annealco.graph.interop import to_networkx

    number = {tuple(edge): place for place, edge in enumerate(graph.edges.T.tolist())}
    for nodes in nx.simple_cycles(to_networkx(graph)):
        yield [number[tuple(sorted(pair))] for pair in zip(nodes, nodes[1:] + nodes[:1], strict=True)]


@given(st.integers(0, 10_000), st.integers(3, 7), st.floats(0.3, 1.0))
@settings(max_examples=60)
def test_a_short_cycle_is_found_exactly_where_there_is_one(seed, size, density):
    graph, rng = random_graph(seed, size, density), np.random.default_rng(seed)
    differ, length = rng.random(graph.num_edges) < 0.5, rng.uniform(0, 0.6, graph.num_edges)
    found = sets_of(
        *short_cycles(incidence_of(graph.edges, size), differ, length, np.arange(size), np.zeros(size, np.int64))
    )
    for cycle in found:
        assert len(set(cycle)) == len(cycle)
        assert np.count_nonzero(differ[cycle]) % 2 == 1
        assert np.all(np.bincount(graph.edges[:, cycle].ravel(), minlength=size) % 2 == 0)
        assert length[cycle].sum() < 1
    exists = any(
        np.count_nonzero(differ[cycle]) % 2 == 1 and length[cycle].sum() < SHORT - 1e-9 for cycle in all_cycles(graph)
    )
    assert bool(found) >= exists


def test_a_walk_that_goes_back_on_itself_leaves_only_its_cycle():
    edges = np.array([[0, 1, 1, 2], [1, 2, 3, 3]])
    differ, shared = np.ones(4, dtype=bool), np.zeros(4, np.int64)
    found = sets_of(*short_cycles(incidence_of(edges, 4), differ, np.full(4, 0.1), np.array([0]), shared))
    assert [sorted(cycle) for cycle in found] == [[1, 2, 3]]
