import numpy as np
import pytest

from annealco.graph.graph import Graph
from annealco.problems.mis import MIS
from annealco.problems.small_graphs import small_graphs
from annealco.problems.vertex_cover import VERTEX_COVER
from tests.problems.brute_force import best_score


def test_score_of_a_weighted_path():
    path = Graph.from_edges([[0, 1], [1, 2]], node_weight=[2, 5, 4])
    assert VERTEX_COVER.score(path, {1}) == 5
    assert VERTEX_COVER.score(path, {0, 2}) == 6
    assert VERTEX_COVER.score(path, {0}) is None


def test_what_a_cover_leaves_out_is_independent():
    for graph in small_graphs(np.random.default_rng(2), num_random=10, max_nodes=6):
        total = graph.node_weight.sum()
        assert best_score(VERTEX_COVER, graph) == pytest.approx(total - best_score(MIS, graph))
