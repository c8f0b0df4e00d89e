"""Against the rules written down in plain Python, step by step and without a heap."""

from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines.greedy_sets import (
    as_arrays,
    cover_fixed,
    cover_score,
    cover_updated,
    pack_fixed,
    pack_score,
    pack_updated,
    prune,
)
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.covering import as_hitting_set

GRAPHS = small_graphs(np.random.default_rng(5), num_random=40, max_nodes=9)


def sets_of(name: str, graph: Graph):
    sets = as_hitting_set(PROBLEMS[name].declare(graph))
    assert sets is not None
    return as_arrays(sets)


def closed(graph: Graph) -> list[set[int]]:
    return [{node, *graph.neighbours(node).tolist()} for node in range(graph.num_nodes)]


def nodes(bits) -> list[int]:
    return np.flatnonzero(bits).tolist()


def plain_packing(graph: Graph, *, updated: bool) -> list[int]:
    near, left, found = closed(graph), set(range(graph.num_nodes)), []
    weight = graph.node_weight
    while left:
        seen = left if updated else set(range(graph.num_nodes))
        best = min(left, key=lambda node: (-(weight[node] / (1.0 + len(near[node] & seen) - 1)), node))
        found.append(best)
        left -= near[best]
    return sorted(found)


def plain_covering(graph: Graph, *, updated: bool) -> list[int]:
    near, missing, found = closed(graph), set(range(graph.num_nodes)), []

    def price(node):
        gain = len(near[node] & missing) if updated else len(near[node])
        cost = graph.node_weight[node]
        return -gain / cost if cost > 0 else -np.inf

    while missing:
        best = min((node for node in range(graph.num_nodes) if near[node] & missing), key=lambda v: (price(v), v))
        found.append(best)
        missing -= near[best]
    return sorted(found)


@pytest.mark.parametrize("graph", GRAPHS, ids=range(len(GRAPHS)))
def test_rules_are_followed(graph: Graph) -> None:
    packing, covering = sets_of("mis", graph), sets_of("mds", graph)
    assert nodes(pack_fixed(packing)) == plain_packing(graph, updated=False)
    assert nodes(pack_updated(packing)) == plain_packing(graph, updated=True)
    assert nodes(cover_fixed(covering)) == plain_covering(graph, updated=False)
    assert nodes(cover_updated(covering)) == plain_covering(graph, updated=True)


@pytest.mark.parametrize("graph", GRAPHS, ids=range(len(GRAPHS)))
def test_pruning_keeps_a_cover_and_leaves_nothing_idle(graph: Graph) -> None:
    everything = np.ones(graph.num_nodes, bool)
    kept = nodes(prune(sets_of("mds", graph), everything))
    score = PROBLEMS["mds"].score
    assert score(graph, kept) is not None
    assert all(score(graph, [node for node in kept if node != left]) is None for left in kept)
    assert everything.all()


def test_the_heaviest_goes_first() -> None:
    edge = Graph.from_edges([[0], [1]], node_weight=[5.0, 2.0])
    assert nodes(prune(sets_of("mds", edge), np.ones(2, bool))) == [1]


def test_scores() -> None:
    assert pack_score(np.array([6.0, 1.0]), np.array([2, 0])).tolist() == [2.0, 1.0]
    assert cover_score(np.array([2.0, 0.0]), np.array([3, 1])).tolist() == [1.5, np.inf]
