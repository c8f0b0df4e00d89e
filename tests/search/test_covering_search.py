"""Scouts find what lies far from the first good set, and how a run is cut up makes no difference."""

import math

import numpy as np
import pytest

from annealco.graph.generators import erdos_renyi
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.search.budget import Budget, Trace
from annealco.search.covering_search import CoveringSearch
from annealco.search.hitting_set import as_hitting_set


def two_cliques(small: int, large: int) -> Graph:
    """Return two cliques of which every node has one neighbour in the other."""
    rows = [(a, b) for size, base in ((small, 0), (large, small)) for a in range(base, base + size) for b in range(a)]
    inside = [(b, a) for a, b in rows if b >= (small if a >= small else 0)]
    across = [(node, small + node) for node in range(small)]
    return Graph.from_edges(np.array(inside + across).T, small + large)


def covering(graph: Graph, start: np.ndarray, seed: int = 0) -> CoveringSearch:
    return CoveringSearch(as_hitting_set(PROBLEMS["clique"].declare(graph)), start, seed)


@pytest.mark.parametrize("seed", range(5))
def test_a_larger_clique_far_away_is_found(seed):
    graph = two_cliques(28, 39)
    search = covering(graph, np.arange(67) < 28, seed)
    _, best, cost = search.run(Budget(moves=20_000), -math.inf, Trace())
    assert cost == -39.0
    assert np.flatnonzero(best).tolist() == list(range(28, 67))
    assert search.scouts > 0


def test_without_scouts_it_would_not_be():
    search = covering(two_cliques(28, 39), np.arange(67) < 28)
    search.patience = 10**9
    assert search.run(Budget(moves=20_000), -math.inf, Trace())[2] == -28.0


def test_scouts_become_rare():
    graph = erdos_renyi(np.random.default_rng(0), num_nodes=50, edge_probability=0.5)
    search = covering(graph, np.zeros(50, bool))
    search.run(Budget(moves=20_000), -math.inf, Trace())
    first = search.scouts
    search.run(Budget(moves=20_000), -math.inf, Trace())
    assert 5 <= first < 15
    assert search.scouts - first <= 4


@pytest.mark.parametrize("seed", range(3))
def test_how_moves_are_cut_up_makes_no_difference(seed):
    graph = erdos_renyi(np.random.default_rng(seed), num_nodes=60, edge_probability=0.7)
    whole, parts = (covering(graph, np.zeros(60, bool), seed) for _ in range(2))
    assert whole._advance(30_000, -math.inf)
    rng = np.random.default_rng(seed)
    left = 30_000
    while left:
        some = min(left, int(rng.integers(1, 2_000)))
        assert parts._advance(some, -math.inf)
        left -= some
    assert whole.scouts == parts.scouts > 0
    for one, other in zip(whole.state, parts.state, strict=True):
        for left_array, right_array in zip(
            one if isinstance(one, tuple) else [one], other if isinstance(other, tuple) else [other], strict=True
        ):
            assert np.array_equal(left_array, right_array)


def test_a_target_ends_the_search_of_a_scout_too():
    search = covering(two_cliques(28, 39), np.arange(67) < 28)
    moves, _, cost = search.run(Budget(moves=10**7), -39.0, Trace())
    assert cost == -39.0
    assert moves < 10**6


def test_what_reductions_solve_needs_no_search():
    search = covering(Graph.from_edges(np.array([[0, 0, 1], [1, 2, 2]]), 3), np.zeros(3, bool))
    assert search.solved
    assert search.run(Budget(moves=10), -math.inf, Trace())[2] == -3.0
