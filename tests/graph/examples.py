"""Graphs that the tests of all containers share."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from annealco.graph.graph import Graph
from tests.graph.strategies import graphs

WORDS = st.text("abé", max_size=3)
NAMES = st.one_of(st.integers(), WORDS, st.tuples(st.integers(0, 3), WORDS))
LABELS = NAMES | st.none()
PATH = Graph.from_edges([[0, 1], [1, 2]], 4, node_weight=[1, 2, 0, 4], edge_weight=[-3, 0])
MANY = Graph.batch([PATH, Graph.from_edges([], 0), Graph.from_edges([[0], [1]])])


@st.composite
def labelled_graphs(draw: st.DrawFn, labels: st.SearchStrategy[Any], many: bool = False) -> Graph:
    graph = draw(graphs(weighted=draw(st.booleans()), signed=True, many=many))
    sizes = np.diff(graph.node_ptr).tolist()
    names = [draw(st.lists(labels, min_size=size, max_size=size, unique=True)) for size in sizes]
    return Graph.from_edges(
        graph.edges,
        node_ptr=graph.node_ptr,
        node_weight=graph.node_weight,
        edge_weight=graph.edge_weight,
        node_labels=[name for part in names for name in part] if draw(st.booleans()) else None,
    )
