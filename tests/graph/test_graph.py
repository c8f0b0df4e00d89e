from __future__ import annotations

import copy
import dataclasses
import pickle
import random
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.errors import InputError
from annealco.graph import graph as graph_module
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.graph import Graph
from tests.graph.strategies import graphs

PATH = Graph.from_edges([[0, 1], [1, 2]], num_nodes=4)
BATCH = Graph.batch([PATH, Graph.from_edges([[0], [1]]), Graph.from_edges([], 0), Graph.from_edges([], 1)])


def in_words(graph: Graph) -> list[tuple[list[float], dict[tuple[int, int], float], list[Any]]]:
    """Take a batch apart with loops: node weights, weight of each edge, and labels, for every graph on its own."""
    told = []
    for start, stop in zip(graph.node_ptr.tolist(), graph.node_ptr.tolist()[1:], strict=False):
        triples = zip(*graph.edges.tolist(), graph.edge_weight.tolist(), strict=True)
        own = {(u - start, v - start): weight for u, v, weight in triples if start <= u < stop}
        told.append((graph.node_weight.tolist()[start:stop], own, graph.labels.tolist()[start:stop]))
    return told


def assert_well_formed(graph: Graph) -> None:
    """Check what the class promises about its arrays, pair by pair."""
    pairs = list(zip(*graph.edges.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert all(0 <= u < v < graph.num_nodes for u, v in pairs)
    assert graph.node_ptr.dtype == np.int64
    assert graph.edges.dtype == np.int32
    assert graph.edges.shape == (2, len(pairs))
    assert graph.node_weight.dtype == graph.edge_weight.dtype == np.float64
    assert graph.node_weight.shape == (graph.num_nodes,)
    assert graph.edge_weight.shape == (len(pairs),)


def as_networkx(graph: Graph) -> nx.Graph:
    plain = nx.empty_graph(graph.num_nodes)
    plain.add_edges_from(zip(*graph.edges.tolist(), strict=True))
    return plain


@given(graphs(weighted=True, signed=True, many=True), st.randoms(use_true_random=False))
def test_edges_come_in_any_order_and_direction_and_weights_follow(graph: Graph, rng: random.Random) -> None:
    links = [(u, v, w) for (u, v), w in zip(graph.edges.T.tolist(), graph.edge_weight.tolist(), strict=True)]
    rng.shuffle(links)
    links = [(v, u, w) if rng.random() < 0.5 else (u, v, w) for u, v, w in links]
    again = Graph.from_edges(
        [[u for u, _, _ in links], [v for _, v, _ in links]],
        node_ptr=graph.node_ptr,
        node_weight=graph.node_weight,
        edge_weight=[w for _, _, w in links],
    )
    assert_well_formed(again)
    assert in_words(again) == in_words(graph)
    assert again.equals(graph)


def test_the_number_of_nodes_reaches_to_the_largest_id_unless_given() -> None:
    assert Graph.from_edges([[0, 4], [1, 2]]).num_nodes == 5
    assert Graph.from_edges([[0, 4], [1, 2]], 9).num_nodes == 9
    assert Graph.from_edges([]).num_nodes == Graph.from_edges([[], []]).num_nodes == 0
    assert Graph.from_edges(np.array([[0], [3]], dtype=np.uint8)).num_nodes == 4


@given(graphs(many=True))
def test_adjacency_is_symmetric_sorted_and_knows_its_edges(graph: Graph) -> None:
    plain = as_networkx(graph)
    pairs = graph.edges.T.tolist()
    assert graph.indptr.tolist() == [0, *np.cumsum([plain.degree(node) for node in plain]).tolist()]
    for node in range(graph.num_nodes):
        start, stop = graph.indptr[node : node + 2].tolist()
        assert graph.neighbours(node).tolist() == sorted(plain[node]) == graph.indices[start:stop].tolist()
        for place in range(start, stop):
            assert pairs[graph.edge_of_index[place]] == sorted([node, int(graph.indices[place])])
    assert graph.degree.tolist() == [plain.degree(node) for node in plain]


@given(graphs(weighted=True, signed=True, many=True))
def test_weighted_degree_adds_the_weights_of_a_nodes_edges(graph: Graph) -> None:
    plain = nx.empty_graph(graph.num_nodes)
    plain.add_weighted_edges_from(zip(*graph.edges.tolist(), graph.edge_weight.tolist(), strict=True))
    assert graph.weighted_degree.tolist() == [plain.degree(node, weight="weight") for node in plain]


@given(graphs(many=True))
def test_owners_and_offsets_agree(graph: Graph) -> None:
    owner = [place for place, part in enumerate(in_words(graph)) for _ in part[0]]
    assert graph.graph_of_node.tolist() == owner
    assert graph.graph_of_edge.tolist() == [owner[node] for node in graph.edges[0].tolist()]
    assert graph.edge_ptr.tolist() == [0, *np.cumsum([len(part[1]) for part in in_words(graph)]).tolist()]


@given(st.lists(graphs(weighted=True, signed=True, many=True), max_size=4))
def test_a_batch_of_batches_is_their_graphs_in_order(parts: list[Graph]) -> None:
    batch = Graph.batch(parts)
    assert_well_formed(batch)
    assert in_words(batch) == [part for graph in parts for part in in_words(graph)]
    assert batch.num_graphs == len(batch) == sum(graph.num_graphs for graph in parts)


@given(graphs(weighted=True, many=True), st.data())
def test_slicing_is_the_slicing_of_a_list(graph: Graph, data: st.DataObject) -> None:
    told = in_words(graph)
    chosen = data.draw(st.slices(len(told)))
    assert in_words(graph[chosen]) == told[chosen]
    positions = data.draw(st.lists(st.integers(-len(told), len(told) - 1), max_size=6))
    for index in (positions, np.array(positions, dtype=np.int32)):
        assert in_words(graph[index]) == [told[position] for position in positions]
        assert_well_formed(graph[index])
    assert [in_words(part) for part in graph] == [[part] for part in told]
    assert in_words(graph[-1]) == [told[-1]]
    assert in_words(graph[np.int16(0)]) == [told[0]]


def test_an_empty_batch_is_a_batch() -> None:
    empty = Graph.batch([])
    assert (empty.num_graphs, empty.num_nodes, empty.num_edges, list(empty)) == (0, 0, 0, [])
    assert empty.indptr.tolist() == empty.edge_ptr.tolist() == [0]
    assert empty.degree.tolist() == empty.graph_of_node.tolist() == empty.labels.tolist() == []
    assert empty[:].equals(empty)
    assert empty[[]].equals(empty)
    assert BATCH[[]].equals(empty)
    assert Graph.batch([empty, PATH, empty]).equals(PATH)
    with pytest.raises(IndexError, match="graph 0 is outside a batch of 0"):
        empty[0]


@pytest.mark.parametrize("index", [4, -5])
def test_a_graph_outside_the_batch_is_an_index_error(index: int) -> None:
    with pytest.raises(IndexError, match=f"graph {index} is outside a batch of 4"):
        BATCH[index]
    with pytest.raises(IndexError):
        BATCH[[0, index]]


def test_a_mask_picks_the_graphs_it_marks() -> None:
    mask = [True, False, False, True]
    expected = [in_words(BATCH)[0], in_words(BATCH)[3]]
    assert in_words(BATCH[np.array(mask)]) == expected
    assert in_words(BATCH[mask]) == expected


def test_graphs_are_not_picked_by_fractions() -> None:
    with pytest.raises(IndexError):
        BATCH[[0.9]]


def test_labels_are_kept_through_batch_and_slice() -> None:
    named = Graph.from_edges([[0], [1]], node_labels=["a", ("b", 1)])
    fixed = Graph.from_edges([[0], [1]], node_labels=np.array(["xyz", "y"]))
    batch = Graph.batch([named, PATH, fixed])
    assert batch.labels.tolist() == ["a", ("b", 1), 0, 1, 2, 3, "xyz", "y"]
    assert batch[2].labels.tolist() == ["xyz", "y"]
    assert batch[[1, 0]].labels.tolist() == [0, 1, 2, 3, "a", ("b", 1)]
    assert Graph.batch([fixed, PATH]).labels.tolist() == ["xyz", "y", 0, 1, 2, 3]
    assert BATCH.labels.tolist() == [0, 1, 2, 3, 0, 1, 0]
    assert BATCH.node_labels is None


def test_labels_may_repeat_in_different_graphs() -> None:
    batch = Graph.from_edges([[0], [1]], node_ptr=[0, 2, 3], node_labels=["a", "b", "a"])
    assert batch[1].labels.tolist() == ["a"]


def test_extra_data_is_kept_where_all_graphs_have_it() -> None:
    first = Graph.from_edges([[0], [1]], node_data={"planted": [1, 0]}, graph_data={"name": ["long name"], "n": [3]})
    second = Graph.from_edges([], 1, node_data={"planted": [1], "x": [[1.0, 2.0]]}, graph_data={"name": ["b"]})
    batch = Graph.batch([first, second, first])
    assert {key: array.tolist() for key, array in batch.node_data.items()} == {"planted": [1, 0, 1, 1, 0]}
    assert {key: array.tolist() for key, array in batch.graph_data.items()} == {"name": ["long name", "b", "long name"]}
    assert batch[[1, 0]].node_data["planted"].tolist() == [1, 1, 0]
    assert batch[[1, 0]].graph_data["name"].tolist() == ["b", "long name"]
    assert second[0].node_data["x"].tolist() == [[1.0, 2.0]]


def test_with_weights_replaces_only_what_is_given() -> None:
    heavy = PATH.with_weights(node_weight=[1, 2, 3, 0])
    assert heavy.node_weight.tolist() == [1, 2, 3, 0]
    assert heavy.edge_weight.tolist() == [1, 1]
    both = heavy.with_weights(edge_weight=[-1, 5])
    assert both.node_weight.tolist() == [1, 2, 3, 0]
    assert both.edge_weight.tolist() == [-1, 5]
    assert PATH.node_weight.tolist() == [1, 1, 1, 1]
    with pytest.raises(InputError, match=r"node weights must be finite and not negative, node 3 has -4") as caught:
        PATH.with_weights(node_weight=[1, 2, 3, -4])
    assert caught.value.node == 3


DIFFERENT = [
    Graph.from_edges([[0, 1], [1, 2]], 5),
    Graph.from_edges([[0, 1], [1, 3]], 4),
    Graph.from_edges([[0, 1], [1, 2]], node_ptr=[0, 4, 4]),
    PATH.with_weights(node_weight=[1, 1, 1, 2]),
    PATH.with_weights(edge_weight=[1, 2]),
    Graph.from_edges([[0, 1], [1, 2]], 4, node_labels=["a", "b", "c", "d"]),
    Graph.from_edges([[0, 1], [1, 2]], 4, node_labels=np.array(["a", "b", "c", "d"])),
    Graph.from_edges([[0, 1], [1, 2]], 4, node_labels=[1, 0, 2, 3]),
]


@pytest.mark.parametrize("other", DIFFERENT)
def test_equals_tells_any_difference(other: Graph) -> None:
    assert not PATH.equals(other)
    assert not other.equals(PATH)


def test_equals_ignores_extra_data_and_the_kind_of_labels() -> None:
    assert PATH.equals(Graph.from_edges([[2, 0], [1, 1]], 4, node_labels=[0, 1, 2, 3], node_data={"x": [0] * 4}))


ARRAYS = ["node_ptr", "edges", "node_weight", "edge_weight", "indptr", "indices", "edge_of_index"]
DERIVED = ["edge_ptr", "graph_of_node", "graph_of_edge", "degree", "weighted_degree", "labels"]


@pytest.mark.parametrize("name", [*ARRAYS, *DERIVED])
def test_arrays_cannot_be_written(name: str) -> None:
    built = Graph.from_edges([[0, 1], [1, 2]], num_nodes=4)
    batch = Graph.batch([built, built])
    for graph in (built, batch, batch[:1], built.with_weights(node_weight=[1, 2, 3, 4])):
        with pytest.raises(ValueError, match="read-only"):
            getattr(graph, name)[...] = 0


def test_attributes_and_extra_data_cannot_be_written() -> None:
    graph = Graph.from_edges([[0], [1]], node_labels=["a", "b"], node_data={"x": [1, 2]}, graph_data={"n": [3]})
    for array in (graph.labels, graph.node_data["x"], graph.graph_data["n"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(dataclasses.FrozenInstanceError):
        graph.edges = np.zeros((2, 0))  # type: ignore[misc, assignment]


def test_the_arrays_given_stay_the_callers() -> None:
    edges, weight, ptr = np.array([[0], [1]]), np.ones(2), np.array([0, 2])
    graph = Graph.from_edges(edges, node_ptr=ptr, node_weight=weight, node_data={"x": weight})
    edges[0, 0], weight[0], ptr[1] = 1, 9, 7
    assert graph.equals(Graph.from_edges([[0], [1]]))
    assert graph.node_data["x"].tolist() == [1, 1]


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda graph: pickle.loads(pickle.dumps(graph))])
def test_copies_are_equal_and_read_only(clone: Any) -> None:
    twin = clone(BATCH)
    assert twin.equals(BATCH)
    assert not any(getattr(twin, name).flags.writeable for name in ARRAYS)


@pytest.mark.parametrize("node", [-1, -4, 4])
def test_a_node_outside_the_graph_has_no_neighbours_to_ask_for(node: int) -> None:
    with pytest.raises(IndexError):
        PATH.neighbours(node)


def test_repr_counts() -> None:
    assert repr(PATH) == "Graph(4 nodes, 2 edges)"
    assert repr(BATCH) == "Graph(4 graphs, 7 nodes, 3 edges)"
    assert repr(Graph.batch([])) == "Graph(0 graphs, 0 nodes, 0 edges)"


def test_a_large_graph_has_all_its_edges() -> None:
    rng = np.random.default_rng(5)
    edges = np.stack([rng.integers(0, 50_000, 400_000), rng.integers(50_000, 100_000, 400_000)])
    edges = np.unique(edges, axis=1)[:, rng.permutation(399_900)]
    graph = Graph.from_edges(edges, 100_000)
    assert graph.indices.size == 2 * graph.num_edges == 2 * edges.shape[1]
    batch = Graph.batch([graph] * 3)
    assert batch[[2, 0]].num_edges == 2 * graph.num_edges
    assert set(zip(*graph.edges.tolist(), strict=True)) == set(zip(*edges.tolist(), strict=True))


def test_ten_thousand_graphs_are_sliced() -> None:
    many = Graph.batch([PATH, BATCH[1]] * 5_000)
    picked = many[np.arange(10_000)[::-1]]
    assert picked[0].equals(BATCH[1])
    assert picked[-1].equals(PATH)


WEIGHTED_PATH = Graph.from_edges([[0, 1], [1, 2]], 3, node_weight=[1, 2, 3], node_data={"a": [7, 8, 9]})
LABELLED_PAIR = Graph.from_edges(
    [[0], [1]], 2, edge_weight=[5], node_labels=["x", "y"], node_data={"a": [4, 5], "b": [0, 0]}
)


def test_joined_graphs_are_numbered_through_and_keep_what_all_of_them_have():
    joined = Graph.batch([WEIGHTED_PATH, LABELLED_PAIR])
    assert joined.node_ptr.tolist() == [0, 3, 5]
    assert joined.edges.tolist() == [[0, 1, 3], [1, 2, 4]]
    assert joined.node_weight.tolist() == [1, 2, 3, 1, 1]
    assert joined.edge_weight.tolist() == [1, 1, 5]
    assert joined.labels.tolist() == [0, 1, 2, "x", "y"]
    assert {key: array.tolist() for key, array in joined.node_data.items()} == {"a": [7, 8, 9, 4, 5]}


def test_picked_graphs_come_in_the_order_asked_for_and_more_than_once():
    batch = Graph.batch([WEIGHTED_PATH, LABELLED_PAIR])
    picked = batch[np.array([1, 0, 1])]
    assert [each.num_nodes for each in picked] == [2, 3, 2]
    assert picked.edges.tolist() == [[0, 2, 3, 5], [1, 3, 4, 6]]
    assert picked[1].node_weight.tolist() == [1, 2, 3]
    assert picked.labels.tolist() == ["x", "y", 0, 1, 2, "x", "y"]
    assert batch[np.zeros(0, np.int64)].num_graphs == 0


def test_too_many_nodes_are_refused(monkeypatch):
    monkeypatch.setattr(graph_module, "MAX_NODES", 4)
    with pytest.raises(InputError, match="a batch holds at most 4 nodes, these have 5"):
        Graph.batch([WEIGHTED_PATH, LABELLED_PAIR])


@pytest.mark.parametrize("picked", [[2, 0, 2], [1], []], ids=str)
def test_graphs_with_many_edges_are_picked_like_those_with_few(picked: list[int], monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(0)
    drawn = [erdos_renyi(rng, num_nodes=size, edge_probability=0.4) for size in (9, 1, 14)]
    parts = [each.with_weights(edge_weight=rng.random(each.num_edges)) for each in drawn]
    batch = Graph.batch(parts)
    for copied_from in (0, 10**9):
        monkeypatch.setattr(graph_module, "COPIED_FROM", copied_from)
        found = batch[np.array(picked, dtype=np.int64)]
        assert [each.edges.tolist() for each in found] == [parts[number].edges.tolist() for number in picked]
        assert [each.edge_weight.tolist() for each in found] == [parts[each].edge_weight.tolist() for each in picked]
        assert found.edges.dtype == batch.edges.dtype
