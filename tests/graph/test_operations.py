from __future__ import annotations

from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.errors import InputError
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.graph import Graph
from annealco.graph.operations import (
    complement,
    connected_components,
    induced_subgraph,
    num_pairs,
    relabel,
    sparse_side,
    unjoined_pairs,
    worth_complementing,
)
from tests.graph.strategies import graphs, permutations

PATH = Graph.from_edges([[0, 1], [1, 2]], num_nodes=4)
PAIR = Graph.batch([PATH, Graph.from_edges([[0], [1]], node_weight=[2, 3], edge_weight=[7])])


def pairs_of(graph: Graph) -> set[tuple[int, int]]:
    return set(zip(*graph.edges.tolist(), strict=True))


def weights_of(graph: Graph) -> dict[tuple[int, int], float]:
    return dict(zip(zip(*graph.edges.tolist(), strict=True), graph.edge_weight.tolist(), strict=True))


def plain(graph: Graph) -> nx.Graph:
    result = nx.empty_graph(graph.num_nodes)
    result.add_edges_from(pairs_of(graph))
    return result


@given(graphs(weighted=True, many=True))
def test_the_complement_joins_what_was_not_joined(graph: Graph) -> None:
    other = complement(graph)
    for part, turned in zip(graph, other, strict=True):
        assert pairs_of(turned) == {tuple(sorted(pair)) for pair in nx.complement(plain(part)).edges}
    assert np.array_equal(other.node_ptr, graph.node_ptr)
    assert np.array_equal(other.node_weight, graph.node_weight)
    assert (other.edge_weight == 1).all()
    assert np.array_equal(complement(other).edges, graph.edges)


def test_the_complement_keeps_labels_and_data() -> None:
    graph = Graph.from_edges([[0], [1]], 3, node_labels=["a", "b", "c"], node_data={"x": [1, 2, 3]})
    other = complement(graph)
    assert other.labels.tolist() == ["a", "b", "c"]
    assert other.node_data["x"].tolist() == [1, 2, 3]
    assert other.edges.tolist() == [[0, 1], [2, 2]]


def test_a_complement_too_large_for_memory_is_refused() -> None:
    with pytest.raises(InputError, match=r"the complement has up to 4,999,950,000 edges, more than [\d,]+"):
        complement(Graph.from_edges([], 100_000))


@given(graphs(weighted=True, signed=True, many=True), st.data())
def test_an_induced_subgraph_keeps_the_chosen_nodes_and_the_edges_between(graph: Graph, data: st.DataObject) -> None:
    mask = data.draw(st.lists(st.booleans(), min_size=graph.num_nodes, max_size=graph.num_nodes))
    chosen = [node for node, keep in enumerate(mask) if keep]
    cut = induced_subgraph(graph, np.array(mask, dtype=bool))
    number = {old: new for new, old in enumerate(chosen)}
    expected = {
        (number[u], number[v]): weight for (u, v), weight in weights_of(graph).items() if u in number and v in number
    }
    assert weights_of(cut) == expected
    assert list(weights_of(cut)) == sorted(expected)
    assert cut.node_weight.tolist() == [graph.node_weight[node] for node in chosen]
    assert cut.labels.tolist() == [graph.labels[node] for node in chosen]
    assert np.diff(cut.node_ptr).tolist() == [
        sum(mask[start:stop]) for start, stop in zip(graph.node_ptr[:-1], graph.node_ptr[1:], strict=True)
    ]
    shuffled = data.draw(st.permutations(chosen + chosen[:2]))
    assert induced_subgraph(graph, shuffled).equals(cut)


def test_a_subgraph_of_all_or_of_no_nodes() -> None:
    assert induced_subgraph(PAIR, range(6)).equals(PAIR)
    none = induced_subgraph(PAIR, [])
    assert none.equals(induced_subgraph(PAIR, np.zeros(6, bool)))
    assert (none.num_graphs, none.num_nodes, none.num_edges) == (2, 0, 0)
    assert induced_subgraph(Graph.from_edges([]), []).num_nodes == 0


def test_a_subgraph_answers_in_the_names_of_the_graph_it_was_cut_from() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2]], node_labels=["a", "b", "c"], node_data={"x": [5, 6, 7]})
    cut = induced_subgraph(graph, [2, 1])
    assert cut.labels.tolist() == ["b", "c"]
    assert cut.node_data["x"].tolist() == [6, 7]
    assert induced_subgraph(PAIR, [1, 3, 5]).labels.tolist() == [1, 3, 1]
    again = induced_subgraph(induced_subgraph(PATH, [1, 2, 3]), [1, 2])
    assert again.labels.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("graph", "nodes", "rule"),
    [
        (PATH, [0, 4], r"nodes must be in 0\.\.3, these reach from 0 to 4"),
        (PATH, [-1, 2], r"nodes must be in 0\.\.3, these reach from -1 to 2"),
        (PATH, [True, False], r"a node mask must have shape \[4\], this one has \[2\]"),
        (PATH, [0.0, 1.0], "nodes must be integers or a mask, these are float64"),
        (PATH, {0, 1}, "nodes must be integers or a mask, these are object"),
        (Graph.from_edges([]), [0], "an empty graph"),
    ],
)
def test_nodes_that_do_not_exist_are_refused(graph: Graph, nodes: Any, rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        induced_subgraph(graph, nodes)


@given(graphs(weighted=True, signed=True, many=True), st.data())
def test_relabelling_moves_edges_weights_and_labels(graph: Graph, data: st.DataObject) -> None:
    new = data.draw(permutations(graph))
    named = Graph.from_edges(
        graph.edges,
        node_ptr=graph.node_ptr,
        node_weight=graph.node_weight,
        edge_weight=graph.edge_weight,
        node_labels=[f"node {node}" for node in range(graph.num_nodes)],
        node_data={"old": range(graph.num_nodes)},
    )
    moved = relabel(named, new)
    expected = {tuple(sorted((new[u], new[v]))): weight for (u, v), weight in weights_of(graph).items()}
    assert weights_of(moved) == expected
    for old in range(graph.num_nodes):
        assert moved.node_weight[new[old]] == graph.node_weight[old]
        assert moved.labels[new[old]] == f"node {old}"
        assert moved.node_data["old"][new[old]] == old
    back = [new.index(node) for node in range(graph.num_nodes)]
    assert relabel(moved, back).equals(named)


@given(graphs(many=True), st.data())
def test_degrees_components_and_complements_do_not_depend_on_the_numbering(graph: Graph, data: st.DataObject) -> None:
    new = data.draw(permutations(graph))
    moved = relabel(graph, new)
    assert moved.degree[new].tolist() == graph.degree.tolist()
    assert np.array_equal(complement(moved).edges, relabel(complement(graph), new).edges)
    before, after = connected_components(graph), connected_components(moved)[new]
    assert len(set(zip(before.tolist(), after.tolist(), strict=True))) == len(set(before.tolist()))
    assert len(set(after.tolist())) == len(set(before.tolist()))


@pytest.mark.parametrize(
    "permutation", [[0, 1], [0, 0, 1, 2], [1, 2, 3, 4], [[0, 1], [2, 3]], [0.4, 1.2, 2, 3], "abcd"]
)
def test_what_is_not_a_permutation_is_refused(permutation: Any) -> None:
    with pytest.raises(InputError, match=r"not a permutation of 0\.\.3"):
        relabel(PATH, permutation)


def test_the_empty_graph_has_only_the_empty_permutation() -> None:
    empty = Graph.from_edges([])
    assert relabel(empty, []).equals(empty)
    with pytest.raises(InputError, match="not a permutation"):
        relabel(empty, [0])


def test_a_permutation_keeps_every_node_in_its_graph() -> None:
    loners = Graph.batch([Graph.from_edges([], 1), Graph.from_edges([], 1)])
    for graph, permutation in ((loners, [1, 0]), (PAIR, [4, 1, 2, 3, 0, 5]), (PAIR, [0, 1, 2, 5, 4, 3])):
        with pytest.raises(InputError, match=r"node \d moves from graph 0 to graph 1"):
            relabel(graph, permutation)


@given(graphs(many=True))
def test_components_are_those_of_networkx(graph: Graph) -> None:
    component = connected_components(graph)
    found = [set(np.flatnonzero(component == number).tolist()) for number in range(component.max(initial=-1) + 1)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, nx.connected_components(plain(graph))))
    assert component.shape == (graph.num_nodes,)


def test_components_do_not_run_through_several_graphs() -> None:
    assert connected_components(PAIR).tolist() == [0, 0, 0, 1, 2, 2]
    assert connected_components(Graph.batch([])).tolist() == []
    assert connected_components(Graph.from_edges([], 3)).tolist() == [0, 1, 2]


def test_large_graphs() -> None:
    rng = np.random.default_rng(3)
    ring = np.stack([np.arange(100_000), (np.arange(100_000) + 1) % 100_000])
    graph = Graph.from_edges(np.concatenate([ring, (ring + 50_000) % 100_000 + 100_000], axis=1), 200_000)
    dense = Graph.from_edges(np.stack(np.triu_indices(2_000, 1))[:, ::2], 2_000)
    assert np.bincount(connected_components(graph)).tolist() == [100_000, 100_000]
    assert induced_subgraph(graph, rng.permutation(100_000)).num_edges == 100_000
    assert relabel(graph, rng.permutation(200_000)).num_edges == 200_000
    assert complement(dense).num_edges == 2_000 * 1_999 // 2 - dense.num_edges


def draw(seed, densities, size=9):
    rng = np.random.default_rng(seed)
    return Graph.batch([erdos_renyi(rng, num_nodes=size, edge_probability=p) for p in densities])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("densities", [(0.2,), (0.9,), (0.9, 0.8), (0.1, 0.9, 0.5, 1.0, 0.0)])
def test_the_side_is_the_shorter_list_of_each_graph(seed, densities):
    graph = draw(seed, densities)
    pairs, complemented = sparse_side(graph)
    listed = {tuple(sorted(pair)) for pair in pairs.T.tolist()}
    assert len(listed) == pairs.shape[1]
    for number in range(graph.num_graphs):
        nodes = range(graph.node_ptr[number], graph.node_ptr[number + 1])
        every = set(combinations(nodes, 2))
        edges = {pair for pair in map(tuple, graph.edges.T.tolist()) if pair in every}
        assert complemented[number] == (2 * len(edges) > len(every))
        assert listed & every == (every - edges if complemented[number] else edges)


def test_graphs_without_pairs_do_not_stand_in_the_way():
    lonely = Graph.from_edges(np.zeros((2, 0), int), 1)
    graph = Graph.batch([lonely, draw(0, (1.0,)), Graph.from_edges(np.zeros((2, 0), int), 0)])
    assert sparse_side(graph).pairs.shape == (2, 0)
    assert sparse_side(graph).complemented.tolist() == [False, True, False]


def test_unjoined_pairs_are_the_complement_s_in_any_order_and_found_once():
    graph = draw(1, (0.7, 0.9))
    expected = complement(graph).edges.tolist()
    assert unjoined_pairs(graph.edges, graph.node_ptr) is unjoined_pairs(graph.edges, graph.node_ptr)
    assert unjoined_pairs(graph.edges, graph.node_ptr).tolist() == expected
    assert unjoined_pairs(graph.edges[::-1, ::-1], graph.node_ptr).tolist() == expected


def test_what_is_worth_complementing():
    assert num_pairs(np.array([0, 4, 4, 5])).tolist() == [6, 0, 0]
    assert worth_complementing(np.array([0, 4]), 4)
    assert not worth_complementing(np.array([0, 4]), 3)
    assert not worth_complementing(np.array([0, 100_000]), 3_000_000_000)
