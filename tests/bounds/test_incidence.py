import numpy as np

from annealco.bounds.incidence import incidence_of
from tests.bounds.references import random_graph


def test_rows_hold_every_pair_at_both_its_nodes():
    graph = random_graph(0, 10, 0.4)
    rows = incidence_of(graph.edges, 10)
    for node in range(10):
        own = slice(rows.start[node], rows.start[node + 1])
        expected = [number for number, edge in enumerate(graph.edges.T.tolist()) if node in edge]
        assert rows.pair[own].tolist() == expected
        assert rows.other[own].tolist() == [sum(graph.edges[:, number].tolist()) - node for number in expected]


def test_no_pairs_give_empty_rows():
    rows = incidence_of(np.zeros((2, 0), np.int32), 3)
    assert rows.start.tolist() == [0, 0, 0, 0]
    assert len(rows.other) == len(rows.pair) == 0
