from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

from annealco.errors import InputError
from annealco.graph.interop import as_graph, to_igraph, to_pyg, to_scipy
from tests.graph.examples import MANY, PATH

EDGES = [[0, 2], [1, 1]]


@pytest.mark.parametrize(
    "source",
    [EDGES, tuple(map(tuple, EDGES)), np.array(EDGES), torch.tensor(EDGES), [torch.tensor(row) for row in EDGES]],
)
def test_an_edge_array_is_a_graph(source: Any) -> None:
    assert as_graph(source).edges.tolist() == [[0, 1], [1, 2]]
    assert as_graph([source, source]).num_graphs == 2


def test_rows_may_be_ranges_and_of_different_kinds() -> None:
    assert as_graph([range(3), range(1, 4)]).edges.tolist() == [[0, 1, 2], [1, 2, 3]]
    assert as_graph([[0, 1], np.array([1, 2])]).edges.tolist() == [[0, 1], [1, 2]]


def test_a_list_of_anything_accepted_is_a_batch() -> None:
    mixed = [PATH, nx.path_graph(2), to_igraph(PATH), to_scipy(PATH), to_pyg(MANY), EDGES, np.array(EDGES), [EDGES, []]]
    batch = as_graph(mixed)
    assert np.diff(batch.node_ptr).tolist() == [4, 2, 4, 4, 4, 0, 2, 3, 3, 3]
    assert as_graph(tuple(mixed)).equals(batch)
    assert as_graph([]).num_graphs == 0
    assert (as_graph([[], []]).num_graphs, as_graph([[], []]).num_nodes) == (1, 0)


def test_a_graph_is_itself() -> None:
    assert as_graph(PATH) is PATH


@pytest.mark.parametrize("source", [None, 5, "graph.col", Path("graph.col"), {0: [1]}, [0, 1], ["a.col"], nx, object])
def test_unknown_types_are_told_what_is_accepted(source: Any) -> None:
    with pytest.raises(
        InputError, match=r"cannot read a graph from .*; accepted: Graph, networkx.*edge array"
    ) as caught:
        as_graph(source)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", [np.zeros((4, 4), int), [(0, 1), (1, 2), (2, 3)], np.arange(3), torch.zeros(3, 2)])
def test_arrays_of_another_shape_are_told_what_to_do(source: Any) -> None:
    with pytest.raises(InputError, match=r"edge array: its shape must be \[2, num_edges\], .*scipy\.sparse\.csr_array"):
        as_graph(source)


def test_odd_edge_arrays_are_refused() -> None:
    with pytest.raises(InputError, match="two rows must be of one length"):
        as_graph([[0, 1], [1]])
    with pytest.raises(InputError, match="edges must be integer node ids"):
        as_graph(torch.zeros(2, 3))
    with pytest.raises(InputError, match="must be dense"):
        as_graph(torch.eye(2).to_sparse())
