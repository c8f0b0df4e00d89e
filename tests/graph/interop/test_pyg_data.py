from __future__ import annotations

import pytest
import torch
from hypothesis import given
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.transforms import ToUndirected

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph, from_pyg, to_pyg
from tests.graph.interop.examples import LABELS, MANY, PATH, labelled_graphs


@given(labelled_graphs(LABELS, many=True))
def test_pyg_gives_back_what_it_was_given(graph: Graph) -> None:
    assert from_pyg(to_pyg(graph)).equals(graph)


@given(labelled_graphs(LABELS, many=True))
def test_pyg_takes_a_batch_apart_into_the_same_graphs(graph: Graph) -> None:
    data = to_pyg(graph)
    parts = data.to_data_list() if graph.num_graphs > 1 else [data]
    assert [from_pyg(part).equals(own) for part, own in zip(parts, graph, strict=True)] == [True] * graph.num_graphs
    assert as_graph(parts).equals(graph)


def test_pyg_data_is_read_with_weights_and_isolated_nodes() -> None:
    data = Data(
        edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]),
        edge_weight=torch.tensor([0.5, 0.5, 2.0, 2.0], dtype=torch.bfloat16, requires_grad=True),
        node_weight=torch.tensor([1, 2, 3, 4]),
        num_nodes=4,
    )
    expected = Graph.from_edges([[0, 1], [1, 2]], 4, node_weight=[1, 2, 3, 4], edge_weight=[0.5, 2])
    assert from_pyg(data).equals(expected)
    assert as_graph(data).equals(expected)


def test_pyg_infers_the_number_of_nodes() -> None:
    edge_index = torch.tensor([[0, 1], [1, 0]])
    assert from_pyg(Data(edge_index=edge_index, x=torch.zeros(5, 3))).num_nodes == 5
    with pytest.warns(UserWarning, match="Unable to accurately infer 'num_nodes'"):
        assert from_pyg(Data(edge_index=edge_index)).num_nodes == 2
    assert from_pyg(Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=3)).num_nodes == 3


def test_a_pyg_batch_is_many_graphs() -> None:
    first = Data(edge_index=torch.tensor([[0, 2], [2, 0]]), num_nodes=4)
    second = Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=1)
    expected = Graph.from_edges([[0, 5], [2, 7]], node_ptr=[0, 4, 5, 9])
    assert as_graph(Batch.from_data_list([first, second, first])).equals(expected)
    assert as_graph([first, second, first]).equals(expected)


def test_a_graph_becomes_pyg_data_with_both_directions() -> None:
    data = to_pyg(PATH)
    assert data.validate()
    assert data.is_undirected()
    assert data.num_nodes == 4
    pairs = dict(zip(map(tuple, data.edge_index.T.tolist()), data.edge_weight.tolist(), strict=True))
    assert pairs == {(0, 1): -3, (1, 0): -3, (1, 2): 0, (2, 1): 0}
    batch = to_pyg(MANY)
    assert batch.num_graphs == 3
    assert batch.ptr.tolist() == [0, 4, 4, 6]
    assert [part.num_nodes for part in batch.to_data_list()] == [4, 0, 2]


def test_pyg_data_that_is_no_simple_graph_is_refused() -> None:
    one_way = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    with pytest.raises(InputError, match=r"PyG data: directed: edge 0 has no way back; .*ToUndirected\(\).*0-1"):
        as_graph(one_way)
    assert as_graph(ToUndirected()(one_way)).num_edges == 2
    with pytest.raises(InputError, match="heterogeneous"):
        as_graph(HeteroData())
    with pytest.raises(InputError, match="it has no edge_index"):
        as_graph(Data(num_nodes=3))
    with pytest.raises(InputError, match="it has no ptr"):
        as_graph(Batch(edge_index=torch.tensor([[0, 1], [1, 0]]), batch=torch.tensor([0, 0])))
    with pytest.raises(InputError, match=r"edge 0 has node 7, outside 0\.\.2; edge 0 is 0-7"):
        as_graph(Data(edge_index=torch.tensor([[0, 7], [7, 0]]), num_nodes=3))
    with pytest.raises(InputError, match=r"node_name must be a list, not torch\.Tensor"):
        as_graph(Data(edge_index=torch.tensor([[0, 1], [1, 0]]), node_name=torch.arange(2)))
    with pytest.raises(InputError, match="PyG has no batch of no graphs"):
        to_pyg(Graph.batch([]))
