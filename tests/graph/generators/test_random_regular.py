from __future__ import annotations

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from annealco.errors import InputError
from annealco.graph.generators import random_regular


@settings(max_examples=120)
@given(seed=st.integers(0, 2**32), nodes=st.integers(1, 14), data=st.data())
def test_all_degrees_are_equal(seed: int, nodes: int, data: st.DataObject) -> None:
    degree = data.draw(st.integers(0, nodes - 1).filter(lambda degree: nodes * degree % 2 == 0))
    graph = random_regular(np.random.default_rng(seed), num_nodes=nodes, degree=degree)
    # Graph merges repeated edges with a warning, which is an error in tests: equal degrees say the draw was simple.
    assert graph.degree.tolist() == [degree] * nodes


@pytest.mark.parametrize(("nodes", "degree"), [(100, 3), (101, 50), (400, 199), (400, 200), (300, 297), (20_000, 3)])
def test_sparse_and_dense_degrees(nodes: int, degree: int) -> None:
    graph = random_regular(np.random.default_rng(1), num_nodes=nodes, degree=degree)
    assert set(graph.degree.tolist()) == {degree}
    assert len(np.unique(graph.edges, axis=1).T) == graph.num_edges == nodes * degree // 2


def test_all_two_regular_graphs_on_six_nodes_occur() -> None:
    # 60 hexagons and 10 pairs of triangles.
    rng = np.random.default_rng(2)
    seen = Counter(random_regular(rng, num_nodes=6, degree=2).edges.tobytes() for _ in range(3000))
    assert len(seen) == 70
    assert max(seen.values()) < 5 * min(seen.values())


def test_triangles_are_as_many_as_in_networkx() -> None:
    rng = np.random.default_rng(3)
    ours, theirs = [], []
    for seed in range(150):
        drawn = random_regular(rng, num_nodes=60, degree=5)
        ours.append(sum(nx.triangles(nx.Graph(drawn.edges.T.tolist())).values()) // 3)
        theirs.append(sum(nx.triangles(nx.random_regular_graph(5, 60, seed=seed)).values()) // 3)
    assert stats.ttest_ind(ours, theirs, equal_var=False).pvalue > 1e-3


@pytest.mark.parametrize(
    ("nodes", "degree", "message"),
    [
        (5, 3, "num_nodes * degree must be even, not 5 * 3"),
        (4, 4, "num_nodes must be at least 5, not 4"),
        (4, -1, "degree must be at least 0, not -1"),
        (0, 0, "num_nodes must be at least 1, not 0"),
    ],
)
def test_bad_arguments_are_named(nodes: int, degree: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        random_regular(np.random.default_rng(0), num_nodes=nodes, degree=degree)
    assert str(caught.value) == message
