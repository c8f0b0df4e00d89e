from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from annealco.baselines.local_clustering.reference_set import ball, cut_and_volume, reference_set
from annealco.problems.conductance import conductance
from tests.baselines.local_clustering.graphs import middle, small


@pytest.mark.parametrize("graph", [*small(4), *middle()])
@pytest.mark.parametrize("radius", [0, 1, 2, 3])
def test_a_ball_is_what_a_search_reaches(graph, radius: int) -> None:
    theirs = nx.Graph(graph.edges.T.tolist())
    near = nx.single_source_shortest_path_length(theirs, 3, cutoff=radius)
    assert np.flatnonzero(ball(graph, 3, radius)).tolist() == sorted(near)


def test_a_reference_has_half_of_the_volume_at_most() -> None:
    for graph in [*small(6), *middle()]:
        for radius in (1, 2, 6):
            found = reference_set(graph, 2, radius)
            assert found[2]
            assert graph.degree[found].sum() <= graph.num_edges or found.sum() == 1
            assert any(np.array_equal(found, ball(graph, 2, steps)) for steps in range(radius + 1))


def test_cut_and_volume_are_those_of_the_conductance() -> None:
    for graph in small(6):
        chosen = ball(graph, 0, 1)
        cut, volume = cut_and_volume(graph, chosen)
        assert cut / volume == conductance(graph, np.flatnonzero(chosen).tolist())
