import numpy as np
import pytest

from annealco.bounds.clique_cover import labels_of_cover
from annealco.bounds.cover_search import CoverSearch
from annealco.bounds.greedy_cover import greedy_clique_cover
from annealco.bounds.neighbours import neighbour_matrix
from annealco.graph.generators import generate
from tests.bounds.references import rows_of


def begin(graph, seed=0):
    rows = rows_of(graph)
    clash = ~neighbour_matrix(rows) & ~np.eye(graph.num_nodes, dtype=bool)
    return clash, CoverSearch(clash, labels_of_cover(greedy_clique_cover(rows, np.ones(graph.num_nodes))), seed=seed)


@pytest.mark.parametrize("number", range(5))
def test_the_groups_of_forced_graphs_are_found(number):
    graph = generate("rb-small", count=1, seed=3, start=number)
    groups = int(graph.graph_data["num_groups"][0])
    clash, search = begin(graph)
    for _ in range(400):
        if search.num_classes == groups:
            break
        search.run(500)
    assert search.num_classes == groups
    same = search.label[:, None] == search.label[None, :]
    assert not (same & clash).any()


def test_partitions_only_get_smaller_and_the_seed_repeats_them():
    graph = generate("rb-small", count=1, seed=4)
    _, first = begin(graph, seed=5)
    _, second = begin(graph, seed=5)
    sizes = [first.num_classes]
    for _ in range(20):
        assert first.run(100) == second.run(100) > 0
        sizes.append(first.num_classes)
        assert np.array_equal(first.label, second.label)
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("num_nodes", [0, 1, 4])
def test_one_class_cannot_become_fewer(num_nodes):
    search = CoverSearch(np.zeros((num_nodes,) * 2, dtype=bool), np.zeros(num_nodes, np.int64), seed=0)
    assert search.run(100) == 0
    assert search.num_classes == min(num_nodes, 1)
