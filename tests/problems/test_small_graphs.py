import numpy as np

from annealco.problems.small_graphs import SHAPES, small_graphs


def test_graphs_cover_the_kinds_that_break_problems():
    graphs = small_graphs(np.random.default_rng(0))
    assert {graph.num_nodes for graph in graphs} >= {0, 1, 2, 5, 7}
    assert any(graph.num_nodes > 1 and graph.num_edges == 0 for graph in graphs)
    assert any((graph.degree == 0).any() and graph.num_edges for graph in graphs)
    assert any((graph.node_weight == 0).any() for graph in graphs)
    assert any((graph.node_weight % 1 != 0).any() for graph in graphs)
    assert any((graph.edge_weight < 0).any() for graph in graphs)
    assert all(graph.num_nodes <= 7 for graph in graphs)
    assert len(graphs) > 40 + len(SHAPES)


def test_the_same_seed_gives_the_same_graphs():
    one, two = (small_graphs(np.random.default_rng(3)) for _ in range(2))
    assert all(left.equals(right) for left, right in zip(one, two, strict=True))
