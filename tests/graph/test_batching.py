import numpy as np
import pytest

from annealco.graph import batching
from annealco.graph.batching import join_fields, pick_fields
from annealco.graph.errors import InputError
from annealco.graph.graph import Graph

PATH = Graph.from_edges([[0, 1], [1, 2]], 3, node_weight=[1, 2, 3], node_data={"a": [7, 8, 9]})
PAIR = Graph.from_edges([[0], [1]], 2, edge_weight=[5], node_labels=["x", "y"], node_data={"a": [4, 5], "b": [0, 0]})


def test_joined_graphs_are_numbered_through_and_keep_what_all_of_them_have():
    joined = join_fields([PATH, PAIR])
    assert joined["node_ptr"].tolist() == [0, 3, 5]
    assert joined["edges"].tolist() == [[0, 1, 3], [1, 2, 4]]
    assert joined["node_weight"].tolist() == [1, 2, 3, 1, 1]
    assert joined["edge_weight"].tolist() == [1, 1, 5]
    assert joined["node_labels"].tolist() == [0, 1, 2, "x", "y"]
    assert {key: array.tolist() for key, array in joined["node_data"].items()} == {"a": [7, 8, 9, 4, 5]}


def test_picked_graphs_come_in_the_order_asked_for_and_more_than_once():
    batch = Graph(**join_fields([PATH, PAIR]))
    picked = Graph(**pick_fields(batch, np.array([1, 0, 1])))
    assert [each.num_nodes for each in picked] == [2, 3, 2]
    assert picked.edges.tolist() == [[0, 2, 3, 5], [1, 3, 4, 6]]
    assert picked[1].node_weight.tolist() == [1, 2, 3]
    assert picked.labels.tolist() == ["x", "y", 0, 1, 2, "x", "y"]
    assert Graph(**pick_fields(batch, np.zeros(0, np.int64))).num_graphs == 0


def test_too_many_nodes_are_refused(monkeypatch):
    monkeypatch.setattr(batching, "MAX_NODES", 4)
    with pytest.raises(InputError, match="a batch holds at most 4 nodes, these have 5"):
        join_fields([PATH, PAIR])
