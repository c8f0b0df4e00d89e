from __future__ import annotations

import itertools

import numpy as np
import pytest

from annealco.baselines.local_clustering.mqi import best_subset, improve_ball, smaller_quotient
from annealco.baselines.local_clustering.protocol import Box
from annealco.baselines.local_clustering.reference_set import ball, reference_set
from annealco.problems.conductance import conductance
from tests.baselines.local_clustering.graphs import conductance_of, middle, small, subsets


@pytest.mark.parametrize("graph", small(25, seed=8))
def test_the_best_of_all_subsets_is_found(graph) -> None:
    rng = np.random.default_rng(graph.num_edges)
    chosen = rng.random(graph.num_nodes) < 0.7
    chosen[0] = True
    best = min(conductance(graph, each) for each in subsets(np.flatnonzero(chosen).tolist()))
    found = best_subset(graph, chosen)
    assert conductance_of(graph, found) == pytest.approx(best)
    assert np.all(chosen[found])


@pytest.mark.parametrize("graph", middle())
def test_conductance_falls_from_step_to_step(graph) -> None:
    for seed in (0, 50, 120):
        chosen = reference_set(graph, seed, 3)
        values = [conductance_of(graph, chosen)]
        while (smaller := smaller_quotient(graph, chosen)) is not None:
            assert np.all(chosen[smaller])
            chosen = smaller
            values.append(conductance_of(graph, chosen))
        assert all(later < earlier for earlier, later in itertools.pairwise(values))
        assert improve_ball(graph, seed, Box(0, 1), radius=3).tolist() == chosen.tolist()


def test_a_component_is_left_alone() -> None:
    graph = middle()[0]
    assert smaller_quotient(graph, np.ones(graph.num_nodes, bool)) is None
    assert best_subset(graph, ball(graph, 4, 0)).tolist() == ball(graph, 4, 0).tolist()
