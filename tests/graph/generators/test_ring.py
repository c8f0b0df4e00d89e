"""The ring has no special node."""

import networkx as nx

from annealco.graph.generators.ring import ring_with_chords


def test_all_nodes_are_alike_and_nothing_is_a_tree():
    graph = ring_with_chords(40)
    assert graph.degree.tolist() == [4] * 40
    same = nx.Graph(graph.edges.T.tolist())
    assert nx.is_connected(same)
    assert nx.triangles(same) == dict.fromkeys(range(40), 0)
