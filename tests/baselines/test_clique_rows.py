from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from annealco.baselines import clique_rows as module
from annealco.baselines.clique_rows import clique_rows


def cliques_of(graph: nx.Graph) -> list[set[int]]:
    pairs = np.array(sorted((min(e), max(e)) for e in graph.edges), dtype=np.int32).reshape(-1, 2).T
    start, member = clique_rows(pairs, len(graph))
    return [set(each.tolist()) for each in np.split(member, start[1:-1])] if len(start) > 1 else []


@pytest.mark.parametrize("density", [0.1, 0.5, 0.9])
def test_rows_are_maximal_cliques_that_cover_every_pair(density: float) -> None:
    for seed in range(10):
        graph = nx.gnp_random_graph(14, density, seed=seed)
        rows = cliques_of(graph)
        maximal = {frozenset(each) for each in nx.find_cliques(graph)}
        assert all(frozenset(row) in maximal for row in rows)
        assert len(rows) == len({frozenset(row) for row in rows}) <= graph.number_of_edges()
        assert all(any({u, v} <= row for row in rows) for u, v in graph.edges)


def test_a_clique_is_one_row() -> None:
    assert cliques_of(nx.complete_graph(30)) == [set(range(30))]
    assert sorted(map(sorted, cliques_of(nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(3))))) == [
        [0, 1, 2, 3],
        [4, 5, 6],
    ]


def test_nothing_conflicts_in_no_rows() -> None:
    assert cliques_of(nx.empty_graph(5)) == cliques_of(nx.empty_graph(0)) == []


def test_large_graphs_keep_their_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_DENSE_NODES", 3)
    assert sorted(map(sorted, cliques_of(nx.complete_graph(4)))) == sorted(map(list, nx.complete_graph(4).edges))
