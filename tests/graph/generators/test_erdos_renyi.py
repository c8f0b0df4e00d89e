from __future__ import annotations

import math
import tracemalloc
from collections import Counter
from itertools import chain, combinations

import numpy as np
import pytest
from scipy import stats

from annealco.errors import InputError
from annealco.graph.generators import erdos_renyi


@pytest.mark.parametrize("probability", [0.2, 0.5, 0.8])
def test_every_graph_on_four_nodes_has_its_exact_probability(probability: float) -> None:
    pairs = list(combinations(range(4), 2))
    outcomes = list(chain.from_iterable(combinations(pairs, size) for size in range(7)))
    rng = np.random.default_rng(1)
    repeats = 4000
    drawn = [erdos_renyi(rng, num_nodes=4, edge_probability=probability) for _ in range(repeats)]
    seen = Counter(tuple(map(tuple, graph.edges.T.tolist())) for graph in drawn)
    assert set(seen) <= set(outcomes)
    expected = np.array([probability ** len(edges) * (1 - probability) ** (6 - len(edges)) for edges in outcomes])
    observed = np.array([seen[edges] for edges in outcomes])
    # The outcomes too rare for the test are taken together.
    rare = expected * repeats < 5
    expected = np.append(expected[~rare], expected[rare].sum())
    observed = np.append(observed[~rare], observed[rare].sum())
    kept = expected > 0
    assert stats.chisquare(observed[kept], expected[kept] * repeats).pvalue > 1e-3


@pytest.mark.parametrize(("nodes", "probability"), [(60, 0.03), (60, 0.5), (200, 0.15), (50, 0.97)])
def test_edge_counts_are_binomial(nodes: int, probability: float) -> None:
    rng = np.random.default_rng(2)
    pairs = nodes * (nodes - 1) // 2
    counts = [erdos_renyi(rng, num_nodes=nodes, edge_probability=probability).num_edges for _ in range(200)]
    deviation = math.sqrt(pairs * probability * (1 - probability))
    assert np.mean(counts) == pytest.approx(pairs * probability, abs=4 * deviation / math.sqrt(200))
    assert np.std(counts) == pytest.approx(deviation, rel=0.25)


def test_pairs_are_equally_likely() -> None:
    rng = np.random.default_rng(3)
    hits = np.zeros((9, 9))
    for _ in range(1500):
        low, high = erdos_renyi(rng, num_nodes=9, edge_probability=0.3).edges
        hits[low, high] += 1
    counts = hits[np.triu_indices(9, 1)]
    assert hits.sum() == counts.sum()
    # A pair's count is binomial, so the sum of squared deviations over npq follows chi-square with 36 degrees.
    assert stats.chi2.sf(((counts - 450) ** 2 / (1500 * 0.3 * 0.7)).sum(), 36) > 1e-3


@pytest.mark.parametrize(
    ("nodes", "probability", "edges"),
    [(0, 0.5, 0), (1, 0.5, 0), (2, 1.0, 1), (30, 0.0, 0), (30, 1.0, 435), (30, 1e-300, 0)],
)
def test_extremes(nodes: int, probability: float, edges: int) -> None:
    graph = erdos_renyi(np.random.default_rng(0), num_nodes=nodes, edge_probability=probability)
    assert (graph.num_nodes, graph.num_edges) == (nodes, edges)


def test_a_million_nodes_take_memory_in_proportion_to_the_edges() -> None:
    tracemalloc.start()
    graph = erdos_renyi(np.random.default_rng(4), num_nodes=10**6, edge_probability=8e-6)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert graph.num_edges == pytest.approx(4 * 10**6, rel=0.01)
    assert peak < 100 * (graph.num_edges + graph.num_nodes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_nodes": -1}, "num_nodes must be at least 0, not -1"),
        ({"edge_probability": -0.1}, "edge_probability must be between 0 and 1, not -0.1"),
        ({"edge_probability": 1.5}, "edge_probability must be between 0 and 1, not 1.5"),
        ({"edge_probability": math.nan}, "edge_probability must be between 0 and 1, not nan"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(InputError) as caught:
        erdos_renyi(np.random.default_rng(0), **{"num_nodes": 3, "edge_probability": 0.5, **arguments})
    assert str(caught.value) == message
