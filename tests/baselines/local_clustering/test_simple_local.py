from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines.local_clustering import simple_local
from annealco.baselines.local_clustering.flow_cut import source_side
from annealco.baselines.local_clustering.protocol import Box
from annealco.baselines.local_clustering.reference_set import reference_set
from annealco.baselines.local_clustering.simple_local import improve, improve_near, least_set, quotient
from tests.baselines.local_clustering.graphs import conductance_of, middle, small, subsets


def as_mask(graph, nodes) -> np.ndarray:
    return np.isin(np.arange(graph.num_nodes), nodes)


@pytest.mark.parametrize("graph", small(20, seed=9, num_nodes=7))
@pytest.mark.parametrize("delta", [0.0, 0.1, 1.0])
def test_the_least_quotient_of_all_sets_is_found(graph, delta: float) -> None:
    reference = reference_set(graph, 0, 1)
    best = min(quotient(graph, reference, as_mask(graph, each), delta) for each in subsets(list(range(7))))
    assert quotient(graph, reference, improve(graph, reference, delta=delta), delta) == pytest.approx(best)


def test_a_quotient_is_what_it_says() -> None:
    [graph] = small(1, weighted=False)
    reference = as_mask(graph, [0, 1])
    epsilon = graph.degree[:2].sum() / graph.degree[2:].sum() + 0.5
    chosen = as_mask(graph, [0, 2])
    cut = sum(chosen[u] != chosen[v] for u, v in graph.edges.T.tolist())
    weight = graph.degree[0] - epsilon * graph.degree[2]
    assert quotient(graph, reference, chosen, 0.5) == (pytest.approx(cut / weight) if weight > 0 else np.inf)
    assert quotient(graph, reference, reference, 0.5) == pytest.approx(conductance_of(graph, reference))


@pytest.mark.parametrize("graph", middle())
def test_the_local_flow_is_that_of_the_whole_graph_on_less_of_it(graph, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def watched(*given):
        sizes.append(len(given[0]))
        return source_side(*given)

    monkeypatch.setattr(simple_local, "source_side", watched)
    reference = reference_set(graph, 60, 1)
    guess = conductance_of(graph, reference)
    found = least_set(graph, reference, guess, 0.5)
    epsilon = graph.degree[reference].sum() / graph.degree[~reference].sum() + 0.5
    price = guess * graph.degree
    whole, _ = source_side(
        np.where(reference, price, 0), np.where(reference, 0, epsilon * price), graph.edges, graph.edge_weight
    )
    assert found.tolist() == whole.tolist()
    assert max(sizes) < graph.num_nodes


@pytest.mark.parametrize("graph", middle())
@pytest.mark.parametrize("delta", [0.0, 0.2])
def test_conductance_never_rises(graph, delta: float) -> None:
    for seed in (0, 50, 120):
        before = conductance_of(graph, reference_set(graph, seed, 2))
        after = improve_near(graph, seed, Box(0, 1), radius=2, delta=delta)
        assert conductance_of(graph, after) <= before
