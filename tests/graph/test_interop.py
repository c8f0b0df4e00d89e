from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import torch
from hypothesis import given
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.transforms import ToUndirected

import annealco
from annealco.errors import InputError, NormalisationWarning
from annealco.graph.graph import Graph
from annealco.graph.interop import (
    as_graph,
    from_igraph,
    from_networkx,
    from_pyg,
    from_scipy,
    to_igraph,
    to_networkx,
    to_pyg,
    to_scipy,
)
from tests.graph.examples import LABELS, MANY, NAMES, PATH, labelled_graphs
from tests.graph.strategies import graphs


@pytest.mark.parametrize("read", [from_networkx, from_igraph, from_scipy, from_pyg])
def test_readers_refuse_each_others_containers(read: Any) -> None:
    for source in (nx.path_graph(2), igraph.Graph(2), scipy.sparse.csr_array((2, 2)), Data(), "text"):
        if type(source).__module__.partition(".")[0] not in read.__name__.replace("pyg", "torch_geometric"):
            with pytest.raises(InputError, match=r"expected a \w+ .*, not "):
                read(source)


@pytest.mark.parametrize("write", [to_networkx, to_igraph, to_scipy])
def test_containers_of_one_graph_refuse_many(write: Any) -> None:
    with pytest.raises(InputError, match="holds one graph, these are 3"):
        write(MANY)
    with pytest.raises(InputError, match="holds one graph, these are 0"):
        write(Graph.batch([]))


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def test_importing_the_module_imports_no_container() -> None:
    program = """
import sys
from annealco.graph import interop
interop.as_graph([(0, 1), (1, 2)])
print({"networkx", "igraph", "scipy", "torch_geometric", "pandas", "polars"} & set(sys.modules))
"""
    assert run(program) == "set()"


def error_without(module: str, write: str) -> str:
    return run(f"""
import sys
from annealco.graph import interop
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
try:
    interop.{write}(interop.as_graph([[0], [1]]))
except ImportError as error:
    print(error.name, error, sep=" | ")
""")


@pytest.mark.parametrize(
    ("write", "package"),
    [("to_networkx", "networkx"), ("to_igraph", "igraph"), ("to_scipy", "scipy"), ("to_pyg", "torch_geometric")],
)
def test_a_missing_package_is_named_with_its_remedy(write: str, package: str) -> None:
    assert error_without(package, write) == f"{package} | {package} is not installed: pip install {package}"


def test_a_package_that_is_broken_inside_is_not_called_missing() -> None:
    assert (
        error_without("scipy.sparse._base", "to_scipy") == "scipy.sparse._base | No module named 'scipy.sparse._base'"
    )


@given(labelled_graphs(NAMES))
def test_networkx_gives_back_what_it_was_given(graph: Graph) -> None:
    assert from_networkx(to_networkx(graph)).equals(graph)


@given(labelled_graphs(NAMES))
def test_a_networkx_graph_comes_back_with_its_nodes_edges_and_weights(graph: Graph) -> None:
    # Built by networkx alone, with edges and end points in an order of its own.
    source = nx.Graph()
    source.add_nodes_from((name, {"weight": 2 + place}) for place, name in enumerate(graph.labels.tolist()))
    for number, (u, v) in enumerate(reversed(graph.edges.T.tolist())):
        source.add_edge(graph.labels.tolist()[v], graph.labels.tolist()[u], weight=number - 3)
    twin = to_networkx(from_networkx(source))
    assert list(twin) == list(source)
    assert dict(twin.nodes(data="weight")) == dict(source.nodes(data="weight"))
    assert nx.utils.edges_equal(twin.edges(data="weight"), source.edges(data="weight"))


def test_networkx_nodes_are_numbered_in_their_order_and_keep_their_names() -> None:
    source = nx.Graph([("b", ("t", 1)), (("t", 1), 3.5), (frozenset({2}), "b")])
    graph = from_networkx(source)
    assert graph.labels.tolist() == list(source.nodes) == ["b", ("t", 1), 3.5, frozenset({2})]
    assert graph.edges.tolist() == [[0, 0, 1], [1, 3, 2]]


def test_numbers_in_order_are_no_labels() -> None:
    assert from_networkx(nx.path_graph(4)).node_labels is None
    for nodes in ([1, 0, 2], [1, 2, 3], [0.0, 1.0], [False, True], ["0", "1"]):
        kept = from_networkx(nx.path_graph(nodes)).node_labels
        assert kept is not None
        assert kept.tolist() == nodes


def test_networkx_weights_are_one_where_absent_and_can_be_named_or_ignored() -> None:
    source = nx.path_graph(3)
    source.nodes[1]["weight"] = 5
    source.edges[0, 1].update(weight=2, cost=np.float32(0.5))
    assert from_networkx(source).node_weight.tolist() == [1, 5, 1]
    assert from_networkx(source).edge_weight.tolist() == [2, 1]
    assert from_networkx(source, edge_weight="cost").edge_weight.tolist() == [0.5, 1]
    plain = from_networkx(source, node_weight=None, edge_weight=None)
    assert plain.equals(Graph.from_edges([[0, 1], [1, 2]]))


def test_parallel_edges_of_two_weights_are_told_in_the_users_names() -> None:
    source = nx.MultiGraph([("a", "b", {"weight": 1}), ("b", "a", {"weight": 2})])
    with pytest.raises(InputError, match=r"networkx graph: edge 0-1 .* two weights, 1 and 2; edge 1 is 'a'-'b'"):
        as_graph(source)


def test_networkx_views_and_subclasses_are_networkx_graphs() -> None:
    class Mine(nx.Graph):
        pass

    assert as_graph(Mine([(0, 1)])).num_edges == 1
    assert as_graph(nx.path_graph(5).subgraph([1, 2, 4])).labels.tolist() == [1, 2, 4]


@given(labelled_graphs(LABELS))
def test_igraph_gives_back_what_it_was_given(graph: Graph) -> None:
    assert from_igraph(to_igraph(graph)).equals(graph)


def test_igraph_names_are_labels_and_none_weighs_one() -> None:
    source = igraph.Graph([(1, 2)])
    source.vs[1]["weight"] = 7
    assert from_igraph(source).node_labels is None
    assert from_igraph(source).node_weight.tolist() == [1, 7, 1]
    source.vs["name"] = ["x", "y", "z"]
    assert from_igraph(source, node_weight=None).labels.tolist() == ["x", "y", "z"]
    assert from_igraph(source, node_weight=None).node_weight.tolist() == [1, 1, 1]
    source.vs["name"] = ["x", "y", "x"]
    with pytest.raises(InputError, match="igraph graph: node labels must be unique"):
        from_igraph(source)


@given(graphs(weighted=True, signed=True) | graphs())
def test_scipy_gives_back_what_it_was_given(graph: Graph) -> None:
    matrix = to_scipy(graph)
    assert isinstance(matrix, scipy.sparse.csr_array)
    assert matrix.dtype == np.float64
    assert matrix.nnz == 2 * graph.num_edges
    assert from_scipy(matrix, node_weight=graph.node_weight).equals(graph)


SYMMETRIC = np.array([[0, 2, 0, 0], [2, 0, -1, 0], [0, -1, 0, 0], [0, 0, 0, 0]])
FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]


@pytest.mark.parametrize("name", [f"{form}_{kind}" for form in FORMATS for kind in ("array", "matrix")])
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.float64])
def test_every_sparse_format_is_read(name: str, dtype: type[np.generic]) -> None:
    matrix = getattr(scipy.sparse, name)(SYMMETRIC.astype(dtype))
    expected = Graph.from_edges([[0, 1], [1, 2]], 4, edge_weight=[2, -1])
    assert from_scipy(matrix).equals(expected)
    assert as_graph(matrix).equals(expected)


def test_the_padding_of_sparse_blocks_is_no_edge() -> None:
    blocks = scipy.sparse.bsr_array(SYMMETRIC, blocksize=(2, 2))
    assert blocks.tocoo().nnz > np.count_nonzero(SYMMETRIC)
    assert from_scipy(blocks).edges.tolist() == [[0, 1], [1, 2]]


def test_stored_zeros_are_edges_and_booleans_weigh_one() -> None:
    zeros = scipy.sparse.coo_array(([0.0, 0.0], ([0, 1], [1, 0])), shape=(3, 3))
    assert from_scipy(zeros).equals(Graph.from_edges([[0], [1]], 3, edge_weight=[0]))
    assert from_scipy(zeros.tocsr()).num_edges == 1
    assert from_scipy(scipy.sparse.csr_array(SYMMETRIC != 0)).edge_weight.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("matrix", "rule"),
    [
        (scipy.sparse.csr_array(np.triu(SYMMETRIC)), r"directed: edge 0 has no way back; .*A \+ A\.T"),
        (scipy.sparse.csr_array([[0, 2], [3, 0]]), "directed: edge 0 .* two weights, 3 and 2; edge 0 is 0-1"),
        (scipy.sparse.csr_array(SYMMETRIC * 1j), "edge weights must be real numbers, these are complex128"),
        (scipy.sparse.csr_array((2, 3)), r"an adjacency matrix must be square, this one has shape \[2, 3\]"),
        (scipy.sparse.coo_array(np.array([0, 1])), r"must be square, this one has shape \[2\]"),
        (scipy.sparse.csr_array([[0, np.nan], [np.nan, 0]]), "must be finite, edge 0 has nan; edge 0 is 0-1"),
    ],
)
def test_matrices_that_are_no_adjacency_are_refused(matrix: Any, rule: str) -> None:
    with pytest.raises(InputError, match=f"SciPy matrix: .*{rule}"):
        as_graph(matrix)


def test_the_remedy_for_a_directed_matrix_works() -> None:
    upper = scipy.sparse.csr_array(np.triu(abs(SYMMETRIC)))
    assert from_scipy(upper.maximum(upper.T)).edge_weight.tolist() == [2, 1]


def test_a_matrix_owns_its_arrays() -> None:
    matrix = to_scipy(PATH)
    for own, other in ((matrix.data, PATH.edge_weight), (matrix.indices, PATH.indices), (matrix.indptr, PATH.indptr)):
        assert own.flags.writeable
        assert not np.shares_memory(own, other)


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


ROWS = [[0, 2, 0], [1, 1, 3]]
PAIRS = [(0, 1), (2, 1), (0, 3)]


@pytest.mark.parametrize(
    "source",
    [
        ROWS,
        tuple(ROWS),
        [range(0, 9, 4), [4, 8, 0]],
        [torch.tensor(row) for row in ROWS],
        [ROWS[0], np.array(ROWS[1])],
        np.array(ROWS),
        torch.tensor(ROWS),
        np.array(PAIRS),
        torch.tensor(PAIRS),
        PAIRS,
        tuple(PAIRS),
        [list(pair) for pair in PAIRS],
        [np.array(pair) for pair in PAIRS],
        [(np.int64(u), np.int32(v)) for u, v in PAIRS],
        [(u, v, 1.0) for u, v in PAIRS],
    ],
    ids=str,
)
def test_ends_of_edges_in_rows_and_in_pairs_are_a_graph(source: Any) -> None:
    expected = {(0, 4), (0, 8), (4, 8)} if "range" in str(source) else {(0, 1), (0, 3), (1, 2)}
    assert set(map(tuple, as_graph(source).edges.T.tolist())) == expected
    assert as_graph(source).node_labels is None or as_graph(source).labels.tolist() == [0, 4, 8]
    assert as_graph([source, source]).num_graphs == 2


@pytest.mark.parametrize("source", [[(0, 1), (2, 3)], ((0, 1), (2, 3)), [[0, 1], [2, 3]], [(0, 1), [2, 3]]])
def test_two_pairs_are_pairs(source: Any) -> None:
    assert as_graph(source).edges.tolist() == [[0, 2], [1, 3]]


@pytest.mark.parametrize(
    "source",
    [
        np.array([[0, 1], [2, 3]]),
        torch.tensor([[0, 1], [2, 3]]),
        [np.array([0, 1]), np.array([2, 3])],
        (torch.tensor([0, 1]), torch.tensor([2, 3])),
        [[0, 1], np.array([2, 3])],
        [range(2), range(2, 4)],
    ],
    ids=str,
)
def test_two_by_two_arrays_are_refused_with_both_readings(source: Any) -> None:
    rule = r"a 2 × 2 array can mean the pairs 0-1 and 2-3, or rows of ends, 0-2 and 1-3: give a list of tuples"
    with pytest.raises(InputError, match=rule):
        as_graph(source)


def test_arrays_number_their_nodes_and_pairs_name_them() -> None:
    assert as_graph(np.array([[1, 5, 1], [5, 7, 7]])).num_nodes == 8
    named = as_graph([(5, 1), (5, 7), (1, 7)])
    assert named.labels.tolist() == [1, 5, 7]
    assert as_graph([("b", "a"), ("a", "c")]).labels.tolist() == ["b", "a", "c"]
    assert as_graph([((0, 1), (0, 2)), ((0, 2), (1, 2))]).labels.tolist() == [(0, 1), (0, 2), (1, 2)]
    assert as_graph([[(0, 1), (0, 2)], [(0, 2)]]).num_graphs == 2


def test_pairs_may_have_weights() -> None:
    assert as_graph([("a", "b", 2), ("b", "c", 0.5)]).edge_weight.tolist() == [2, 0.5]
    assert as_graph([[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]]).num_nodes == 5
    several = [[0, 1, 2.5], [1, 2, 3], [2, 3, 4], [3, 4, 5], [0, 4, 1]]
    assert as_graph(several).edge_weight.tolist() == [2.5, 1, 3, 4, 5]
    with pytest.raises(InputError, match=r"edges must be all \(u, v\) or all .*: edge 1 has 3 entries, edge 0 has 2"):
        as_graph([(0, 1), (1, 2, 3)])
    with pytest.raises(InputError, match=r"edge weights must be finite, edge 1 has nan; edge 1 is 'b'-'c'"):
        as_graph([("a", "b", 2), ("b", "c", float("nan"))])
    with pytest.raises(InputError, match=r"edge weights must be numbers, edge 0 has 'x'; edge 0 is 'a'-'b'"):
        as_graph([("a", "b", "x"), ("b", "c", 2)])


def test_pairs_may_have_attributes_as_networkx_lists_them() -> None:
    graph = nx.Graph([("a", "b", {"cost": 3, "weight": 2}), ("b", "c", {"cost": 4}), ("c", "d", {})])
    pairs = list(graph.edges(data=True))
    for names in ({}, {"edge_weight": "cost"}, {"edge_weight": None}):
        assert as_graph(pairs, **names).equals(as_graph(graph, **names))
        assert as_graph([pairs], **names).equals(as_graph(graph, **names))
    assert as_graph(pairs).edge_weight.tolist() == [2, 1, 1]
    grid = nx.grid_2d_graph(2, 2)
    assert sorted(as_graph(list(grid.edges(data=True))).labels.tolist()) == sorted(grid)
    one, three = [(0, 1, {})], list(nx.cycle_graph(3).edges(data=True))
    assert as_graph(one).equals(as_graph([(0, 1)]))
    assert as_graph(three).equals(as_graph(nx.cycle_graph(3)))
    listed = as_graph(pairs, nodes={"d": 1, "c": 2, "b": 3, "a": 4, "e": 5}, edge_weight="cost")
    assert (listed.node_weight.tolist(), listed.edge_weight.tolist()) == ([1, 2, 3, 4, 5], [1, 4, 3])
    with pytest.raises(InputError, match=r"^list of pairs: no edge has an attribute 'kost'; did you mean 'cost'\?"):
        as_graph(pairs, edge_weight="kost")
    with pytest.raises(InputError, match=r"all \(u, v, weight\) or all \(u, v, attributes\): edge 1 has 2, others"):
        as_graph([(0, 1, {}), (1, 2, 2)])
    with pytest.raises(InputError, match=r"edge weights must be numbers, edge 0 has '3'; edge 0 is 0-1"):
        as_graph([(0, 1, {"weight": "3"})])
    with pytest.raises(InputError, match=r"edges must be all \(u, v\) or all .*: edge 1 has 2 entries, edge 0 has 3"):
        as_graph([(0, 1, {}), (1, 2)])


MASKED = np.ma.array([0, 1, 2], mask=[False, True, False])


@pytest.mark.parametrize(
    "build",
    [
        lambda: as_graph(np.ma.masked_equal([[0, 1, 2], [1, 2, -1]], -1)),
        lambda: as_graph(np.ma.masked_equal([[0, 1, 9], [1, 0, 1], [9, 1, 0]], 9)),
        lambda: as_graph([MASKED, MASKED]),
        lambda: as_graph([np.ma.masked_equal(each, 9) for each in ([0, 1], [1, 9], [2, 0])]),
        lambda: as_graph([("a", "b")], nodes=np.ma.masked_equal([3, 4], 4)),
        lambda: Graph.from_edges(np.ma.masked_equal([[0, 1], [1, 9]], 9)),
        lambda: Graph.from_edges([MASKED, MASKED]),
        lambda: Graph.from_edges([[0, 1], [1, 2]], node_weight=MASKED),
        lambda: Graph.from_edges([[0, 1, 2], [1, 2, 3]], edge_weight=MASKED),
        lambda: Graph.from_edges([[0, 1], [1, 2]], node_labels=MASKED),
        lambda: Graph.from_edges([[0, 1], [1, 2]], node_data={"price": MASKED}),
        lambda: Graph.from_edges([[], []], node_ptr=MASKED),
        lambda: PATH.with_weights(node_weight=np.ma.masked_equal(np.arange(PATH.num_nodes), 1)),
        lambda: annealco.quadratic(np.ma.masked_equal([[1, 9], [0, 1]], 9)),
        lambda: annealco.quadratic([[1, 9, 0], [0, 1, 0], [0, 0, 0]], linear=MASKED),
        lambda: annealco.set_system(np.ma.masked_equal([[1, 0], [0, 1]], 0)),
        lambda: annealco.set_system([MASKED, [1]]),
        lambda: annealco.set_system([[1], [2], [3]], costs=MASKED),
        lambda: annealco.set_system([(0, 3), (1, 3), (2, 3)], elements=MASKED),
        lambda: annealco.solve(nx.path_graph(3), "mis", start=MASKED),
        lambda: annealco.solve(nx.path_graph(3), "cut", volume=np.ma.masked_equal([1, 3], 3)),
        lambda: annealco.BatchSolver("mis")({"source": [MASKED], "target": [[1, 2, 3]]}),
    ],
)
def test_masked_entries_are_refused(build: Callable[[], Any]) -> None:
    with pytest.raises(InputError, match=r"[12] of \d entries of a masked array are masked; take them out") as caught:
        build()
    assert "\n" not in str(caught.value)


def test_a_mask_that_hides_nothing_is_no_hindrance() -> None:
    plain = np.array([[0, 1, 2], [1, 2, 3]])
    assert as_graph(np.ma.array(plain)).equals(as_graph(plain))
    assert as_graph(np.ma.array(plain, mask=np.zeros((2, 3), bool))).equals(as_graph(plain))


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ([("a", 1), (2, "b")], "of one type, 'a' is str and 1 is int"),
        ([(1, 2), (2, 3.0)], "of one type, 1 is int and 3.0 is float"),
        ([(1, 2), (True, 3)], "of one type, 1 is int and True is bool"),
        ([("a", None)], "a node has no label: label 1 is None"),
        ([(0.5, float("nan"))], "a node has no label: label 1 is nan"),
        ([0, 1], r"^\[0, 1\] is no graph; a list of edges has nothing but tuples"),
        ([(1, 2), None], r"graph 0: \(1, 2\) is no graph; a list of edges has nothing but tuples \(u, v\), "),
        ([(0, 1, 0, {})], r"graph 0: \(0, 1, 0, {}\) is no graph; a list of edges has nothing but tuples"),
        ([[0, 1, {}], [1, 2, {}]], r"graph 0: \[0, 1, {}\] is no graph; a list of edges has nothing but tuples"),
        (
            np.array([[0, 2**63], [1, 2], [2, 3]], np.uint64),
            "the largest node id is 9,223,372,036,854,775,808, and all",
        ),
        ({"a": ["b"], 1: ["a"]}, "of one type, 'a' is str and 1 is int"),
        ({"a": [["b"]]}, r"node labels must be hashable, \['b'\] is not"),
        ({"a": "bc"}, "the neighbours of 'a' must be a list or a mapping to weights, not str"),
        ({"a": 3}, "the neighbours of 'a' must be a list or a mapping to weights, not int"),
        ({"a": {"b": "x"}}, "edge weights must be numbers, 'a'-'b' has 'x'"),
        ({"a": {"b": 1}, "b": {"a": 2}}, "directed: 'b' and 'a' list each other with two weights, 1 and 2"),
        ({"a": {"b": float("nan")}}, "edge weights must be finite, edge 0 has nan; edge 0 is 'a'-'b'"),
    ],
)
def test_labels_and_weights_that_make_no_graph(source: Any, rule: str) -> None:
    with pytest.raises(InputError, match=rule) as caught:
        as_graph(source)
    assert "\n" not in str(caught.value)


def test_ids_that_fit_into_no_signed_integer_are_told_as_they_are() -> None:
    assert as_graph(np.array([[0, 3], [1, 2], [2, 3]], np.uint64)).num_nodes == 4
    with pytest.raises(InputError, match="node ids must be at most 2,147,483,647, one is 9,223,372,036,854,775,808"):
        Graph.from_edges(np.array([[0], [2**63]], np.uint64))


def test_nodes_of_neighbours_must_be_labels() -> None:
    with pytest.raises(InputError, match=r"nodes: node labels must be hashable, \['a'\] is not"):
        as_graph({"a": ["b"]}, nodes=[["a"], "b"])


def test_neighbours_are_listed_at_one_end_or_at_both() -> None:
    expected = Graph.from_edges([[0, 0, 1], [1, 2, 3]], 5)
    assert as_graph({0: [1, 2], 1: [3], 4: []}).equals(expected)
    assert as_graph({0: (1, 2), 1: {0, 3}, 2: [0], 3: np.array([1]), 4: []}).equals(expected)
    assert as_graph({4: [], 1: [3], 0: [1, 2]}).equals(expected)
    assert as_graph({"b": ["c"], "a": []}).labels.tolist() == ["b", "a", "c"]
    assert as_graph({}).num_nodes == 0
    weighted = as_graph({"a": {"b": 2.0}, "b": {"a": 2.0, "c": -1}})
    assert weighted.edge_weight.tolist() == [2, -1]
    with pytest.warns(NormalisationWarning, match="1 self-loop dropped, 1 duplicate edge merged"):
        assert as_graph({0: [0, 1, 1]}).num_edges == 1


@given(labelled_graphs(NAMES))
def test_networkx_as_dicts_is_the_same_graph(graph: Graph) -> None:
    source = to_networkx(graph)
    if len(set(map(type, source))) <= 1:
        found = as_graph(nx.to_dict_of_dicts(source))
        order = sorted(source) if set(map(type, source)) == {int} else list(source)
        assert found.labels.tolist() == order
        assert dict(zip(edges_by_label(found), found.edge_weight.tolist(), strict=True)) == dict(
            zip(edges_by_label(graph), graph.edge_weight.tolist(), strict=True)
        )


def edges_by_label(graph: Graph) -> list[frozenset[Any]]:
    labels = graph.labels.tolist()
    return [frozenset((labels[u], labels[v])) for u, v in graph.edges.T.tolist()]


def test_attributes_of_neighbours_have_names() -> None:
    source = {"a": {"b": {"cost": 3, "weight": 2}}, "b": {"c": {"cost": 4}}}
    assert as_graph(source).edge_weight.tolist() == [2, 1]
    assert as_graph(source, edge_weight="cost").edge_weight.tolist() == [3, 4]
    assert as_graph(source, edge_weight=None).edge_weight.tolist() == [1, 1]
    with pytest.raises(InputError, match=r"the edge 'a'-'b' has no attribute 'cots'; did you mean 'cost'\?"):
        as_graph(source, edge_weight="cots")


MATRIX = np.array([[0, 2, 0, 0], [2, 0, -1, 0], [0, -1, 0, 0], [0, 0, 0, 0]])


@pytest.mark.parametrize(
    "source",
    [
        MATRIX,
        MATRIX.astype(float),
        MATRIX.tolist(),
        list(MATRIX),
        tuple(map(tuple, MATRIX.tolist())),
        np.asmatrix(MATRIX),
        torch.tensor(MATRIX),
        scipy.sparse.csr_array(MATRIX),
    ],
    ids=lambda each: type(each).__name__,
)
def test_square_matrices_are_adjacencies(source: Any) -> None:
    assert as_graph(source).equals(Graph.from_edges([[0, 1], [1, 2]], 4, edge_weight=[2, -1]))


def test_small_matrices() -> None:
    assert as_graph(MATRIX != 0).edge_weight.tolist() == [1, 1]
    assert as_graph([[0, 1, 1], [1, 0, 0], [1, 0, 0]]).edges.tolist() == [[0, 0], [1, 2]]
    assert as_graph(np.zeros((3, 3))).num_nodes == 3
    assert as_graph(np.zeros((1, 1))).num_nodes == 1
    assert as_graph(np.zeros((0, 0))).num_nodes == 0
    with pytest.warns(NormalisationWarning, match="matrix: 3 self-loops dropped"):
        assert as_graph(np.eye(3)).num_edges == 0


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        (np.triu(MATRIX), r"directed: edge 0 has no way back; symmetrise with np\.maximum\(A, A\.T\)"),
        (np.triu(MATRIX).tolist(), "directed: edge 0 has no way back"),
        (np.where(MATRIX == 2, np.nan, 0), "must be finite, edge 0 has nan; edge 0 is 0-1"),
        (MATRIX * 1j, "edge weights must be real numbers, these are complex128"),
        ([[0, 1, 0, 2], [1, 0, 1], [0, 1, 0, 1]], "ragged: row 1 has length 3, row 0 has 4"),
        ([[0, 1, 0, 2]], r"must be square, this one has shape \[1, 4\]"),
        ([[0, 1, 2.5], [1, 2, 1], [0, 2, 3]], r"three rows of three .* write edges with weights as tuples"),
        ([["a", "b", "c", "d"]] * 4, "edge weights must be real numbers, these are <U1"),
    ],
)
def test_matrices_that_are_no_graph(source: Any, rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        as_graph(source)


TABLE = {"from": ["a", "b", "d"], "to": ["b", "c", "a"], "cost": [1.5, 2.0, -1.0], "weight": [3, 4, 5]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_tables_have_an_edge_in_each_row(make: Any) -> None:
    table = make(TABLE)
    graph = as_graph(table, ends=("from", "to"), edge_weight="cost")
    assert graph.labels.tolist() == ["a", "b", "c", "d"]
    assert graph.edges.tolist() == [[0, 0, 1], [1, 3, 2]]
    assert graph.edge_weight.tolist() == [1.5, -1, 2]
    assert as_graph(table, ends=("from", "to")).edge_weight.tolist() == [3, 5, 4]
    assert as_graph(table, ends=("from", "to"), edge_weight=None).edge_weight.tolist() == [1, 1, 1]
    plain = make({"target": [7, 3], "source": [3, 5]})
    assert as_graph(plain).labels.tolist() == [3, 5, 7]
    assert as_graph(make({"source": [], "target": []})).num_nodes == 0
    assert as_graph([plain, plain]).num_graphs == 2
    extra = make({"who": ["d", "c", "b", "a", "z"], "price": [4, 3, 2, 1, 26]})
    full = as_graph(table, ends=("from", "to"), nodes=extra, node_weight="price")
    assert full.labels.tolist() == ["d", "c", "b", "a", "z"]
    assert full.node_weight.tolist() == [4, 3, 2, 1, 26]
    assert full.num_edges == 3
    assert as_graph(table, ends=("from", "to"), nodes=extra).node_weight.tolist() == [1] * 5


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    ("table", "names", "rule"),
    [
        (TABLE, {}, "it has no column 'source'; there are 'from', 'to', 'cost', 'weight'; name the columns by ends="),
        (TABLE, {"ends": ("from", "too")}, r"it has no column 'too'; did you mean 'to'\?"),
        (TABLE, {"ends": ("from", "to"), "edge_weight": "cots"}, r"it has no column 'cots'; did you mean 'cost'\?"),
        (TABLE, {"ends": "from,to"}, r"ends must be the names of two columns, such as \('from', 'to'\), not 'from,to'"),
        (TABLE, {"ends": ("to", "to")}, "ends must be the names of two columns"),
        (TABLE, {"ends": ("from", "to"), "node_weight": "cost"}, "'cost' is a column of the table of nodes: give that"),
        (TABLE, {"ends": ("from", "cost")}, "labels must be integers or text, the column 'cost' has fractions"),
        (TABLE, {"ends": ("from", "weight")}, "node labels must be of one type, 'a' is str and 3 is int"),
        (
            TABLE,
            {"ends": ("from", "to"), "edge_weight": "to"},
            "edge weights must be numbers, edge 0 has 'b'; .*'a'-'b'",
        ),
        ({"source": [1, None], "target": [2, 3]}, {}, "row 1 has no label in the column 'source'"),
        ({"source": ["a", None], "target": ["b", "a"]}, {}, "row 1 has no label in the column 'source'"),
        ({"source": [1, 2], "target": [2, 3], "weight": [1.0, None]}, {}, "edge weights must be .*edge 1 is 2-3"),
        ({"source": [1], "target": [2]}, {"nodes": [1, 3]}, "the end 2 of edge 0 is not among the nodes"),
        ({"source": ["Bob"], "target": ["Ann"]}, {"nodes": ["Bob", "An"]}, r"'Ann' .*; did you mean 'An'\?"),
        ({"source": ["a"], "target": ["b"]}, {"nodes": ["a", "b", "a"]}, "the label 'a' occurs twice among the nodes"),
        (
            {"source": ["a"], "target": ["b"]},
            {"nodes": {"a": -1, "b": 2}},
            "not negative, node 0 has -1; node 0 is 'a'",
        ),
        ({"source": ["a"], "target": ["b"]}, {"nodes": 3}, "nodes must be a list of labels, .* not int"),
    ],
)
def test_tables_that_make_no_graph(make: Any, table: Any, names: dict[str, Any], rule: str) -> None:
    with pytest.raises(InputError, match=rule) as caught:
        as_graph(make(table), **names)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        (5, "graph 1: cannot read a graph from int"),
        (nx.DiGraph([(0, 1)]), "graph 1: networkx graph: directed"),
        ([(0, 1), ("a", "b")], "graph 1: list of pairs: node labels must be of one type"),
        ([nx.path_graph(2), None], "graph 1: graph 1: cannot read a graph from NoneType"),
    ],
)
def test_errors_in_a_list_name_the_place(wrong: Any, rule: str) -> None:
    with pytest.raises(InputError, match=f"^{rule}"):
        as_graph([nx.path_graph(3), wrong])


def test_columns_are_not_taken_for_neighbours() -> None:
    for columns in ({"source": ["a", "b"], "target": ["b", "c"]}, {"target": ["a"], "source": ["b"], "weight": ["c"]}):
        with pytest.raises(InputError, match="can be columns of a table, or the neighbours of two nodes"):
            as_graph(columns)
    flow = {"source": ["a", "b"], "target": ["b"]}
    assert as_graph(flow).labels.tolist() == ["source", "target", "a", "b"]
    assert as_graph({"source": {"a": 2.5}, "target": {"a": 1}}).edge_weight.tolist() == [2.5, 1]


def test_ids_that_are_names_are_no_numbers_of_nodes() -> None:
    ids = np.array([[7, 2_000_000_000], [7, 15], [8, 15]])
    with pytest.raises(InputError, match="the largest node id is 2,000,000,000, and all from 0 to it are nodes"):
        as_graph(ids)
    assert as_graph([(int(one), int(two)) for one, two in ids]).num_nodes == 4
    assert as_graph(np.array([[0, 1_000_000], [1, 2], [2, 3]])).num_nodes == 1_000_001
    assert Graph.from_edges(np.array([[0], [1_000_200]])).num_nodes == 1_000_201


def test_odd_tables() -> None:
    mixed = pd.DataFrame({"source": [1, "a"], "target": [2, 3]})
    with pytest.raises(InputError, match="node labels must be of one type, 1 is int and 'a' is str"):
        as_graph(mixed)
    missing = pd.DataFrame({"source": [1, 2], "target": pd.array([2, None], dtype="Int64")})
    with pytest.raises(InputError, match="row 1 has no label in the column 'target'"):
        as_graph(missing)
    twice = pd.DataFrame([[1, 2, 3]], columns=["source", "target", "target"])
    with pytest.raises(InputError, match="it has 2 columns 'target'; rename all but one"):
        as_graph(twice)
    unnamed = pd.DataFrame([[1, 2, 0.5], [2, 4, 3]])
    assert as_graph(unnamed.astype({0: int, 1: int}), ends=(0, 1), edge_weight=2).edge_weight.tolist() == [0.5, 3]
    grouped = pd.DataFrame({"source": pd.Categorical(["a"]), "target": ["b"]})
    assert as_graph(grouped).labels.tolist() == ["a", "b"]
    with pytest.raises(InputError, match=r"LazyFrame must be computed first, by \.collect\(\)"):
        as_graph(pl.DataFrame({"source": [1], "target": [2]}).lazy())
    with pytest.raises(
        InputError, match=r"nodes \(pandas\.DataFrame\): it has no column 'prize'; did you mean 'price'"
    ):
        as_graph([(1, 2)], nodes=pd.DataFrame({"id": [1, 2], "price": [1, 2]}), node_weight="prize")


def test_nodes_of_pairs_and_dicts_may_be_listed() -> None:
    expected = Graph.from_edges([[1, 0], [2, 1]], 4, node_weight=[1, 2, 3, 4], node_labels=["d", "a", "b", "c"])
    weights = {"d": 1, "a": 2, "b": 3, "c": 4}
    assert as_graph([("a", "b"), ("a", "d")], nodes=weights).equals(expected)
    assert as_graph({"a": ["b", "d"]}, nodes=weights).equals(expected)
    assert as_graph([("a", "b"), ("a", "d")], nodes=list(weights)).node_weight.tolist() == [1] * 4
    assert as_graph([(0, 1)], nodes=range(3)).equals(Graph.from_edges([[0], [1]], 3))
    assert as_graph([[(0, 1)]], nodes=np.arange(3)).num_nodes == 3
    with pytest.raises(InputError, match="nodes are those of one graph, these are 2"):
        as_graph([[(0, 1)], [(1, 2)]], nodes=range(3))
    with pytest.raises(InputError, match="the key 'e' is not among the nodes"):
        as_graph({"e": []}, nodes=weights)


def weighted_by_names() -> list[Any]:
    """Return the same graph in containers that name attributes: weights under another name, and others as `weight`."""
    graph = nx.Graph()
    graph.add_nodes_from([("a", {"price": 5, "weight": 9}), ("b", {"price": 0.5}), ("c", {})])
    graph.add_edge("a", "b", cost=2, weight=8)
    graph.add_edge("b", "c", cost=-1)
    twin = igraph.Graph([(0, 1), (1, 2)])
    twin.vs["name"], twin.vs["price"], twin.vs["weight"] = list("abc"), [5, 0.5, None], [9, 1, 1]
    twin.es["cost"], twin.es["weight"] = [2, -1], [8, 1]
    data = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3, node_name=list("abc"))
    data.price, data.cost = torch.tensor([5, 0.5, 1]), torch.tensor([[2.0], [2.0], [-1.0], [-1.0]])
    data.node_weight, data.edge_weight = torch.tensor([9, 1, 1]), torch.tensor([8, 8, 1, 1])
    return [graph, twin, data]


@pytest.mark.parametrize("source", weighted_by_names(), ids=lambda each: type(each).__module__)
def test_weights_are_read_from_attributes_of_any_name(source: Any) -> None:
    named = as_graph(source, node_weight="price", edge_weight="cost")
    assert named.node_weight.tolist() == [5, 0.5, 1]
    assert named.edge_weight.tolist() == [2, -1]
    assert named.labels.tolist() == ["a", "b", "c"]
    assert as_graph(source).node_weight.tolist() == [9, 1, 1]
    assert as_graph(source).edge_weight.tolist() == [8, 1]
    assert as_graph([source], node_weight=None, edge_weight=None).node_weight.tolist() == [1] * 3
    with pytest.raises(InputError, match=r"no node has an attribute 'prise'; did you mean 'price'\? there are "):
        as_graph(source, node_weight="prise")
    with pytest.raises(InputError, match=r"no edge has an attribute 'kost'; did you mean 'cost'\?"):
        as_graph([source], edge_weight="kost")
    with pytest.raises(InputError, match="ends cannot be used here: it takes node_weight, edge_weight"):
        as_graph(source, ends=("a", "b"))


def test_a_name_that_is_asked_for_must_be_there_even_if_it_is_the_default() -> None:
    assert as_graph(nx.path_graph(2)).node_weight.tolist() == [1, 1]
    with pytest.raises(InputError, match="no node has an attribute 'weight'; there are none"):
        as_graph(nx.path_graph(2), node_weight="weight")
    assert as_graph(nx.empty_graph(2), edge_weight="cost").num_nodes == 2


@pytest.mark.parametrize(
    "source", [PATH, MATRIX, ROWS, scipy.sparse.csr_array(MATRIX), PAIRS], ids=lambda each: type(each).__name__
)
def test_names_that_a_container_has_no_use_for_are_refused(source: Any) -> None:
    with pytest.raises(InputError, match="edge_weight cannot be used here: it "):
        as_graph(source, edge_weight="cost")


def test_a_list_of_anything_accepted_is_a_batch() -> None:
    mixed = [PATH, nx.path_graph(2), to_igraph(PATH), to_scipy(PATH), to_pyg(MANY), ROWS, np.array(ROWS), [ROWS, []]]
    mixed += [{"a": ["b"]}, pd.DataFrame({"source": [1], "target": [2]}), MATRIX, [PAIRS]]
    batch = as_graph(mixed)
    assert np.diff(batch.node_ptr).tolist() == [4, 2, 4, 4, 4, 0, 2, 4, 4, 4, 2, 2, 4, 4]
    assert as_graph(tuple(mixed)).equals(batch)
    assert as_graph([]).num_graphs == 0
    assert (as_graph([[], []]).num_graphs, as_graph([[], []]).num_nodes) == (1, 0)


def test_a_graph_is_itself() -> None:
    assert as_graph(PATH) is PATH


@pytest.mark.parametrize("source", [None, 5, "graph.col", Path("graph.col"), {(0, 1)}, ["a.col"], nx, object])
def test_unknown_types_are_told_what_is_accepted(source: Any) -> None:
    with pytest.raises(
        InputError, match=r"cannot read a graph from .*; accepted: Graph, networkx.*DataFrame.*dict.*edge array"
    ) as caught:
        as_graph(source)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", [np.zeros((4, 3), int), np.arange(3), torch.zeros(3, 5), np.zeros((2, 3, 4))])
def test_arrays_of_another_shape_are_told_what_to_do(source: Any) -> None:
    with pytest.raises(
        InputError, match=r"array: its shape must be \[2, num_edges\], \[num_edges, 2\], or .*matrix, not"
    ):
        as_graph(source)


def test_odd_edge_arrays_are_refused() -> None:
    with pytest.raises(InputError, match="two rows must be of one length"):
        as_graph([[0, 1], [1]])
    with pytest.raises(InputError, match=r"edges must be integer node ids.* as tuples, \(u, v\) or \(u, v, weight\)"):
        as_graph(torch.zeros(2, 3))
    with pytest.raises(InputError, match="edges must be integer node ids"):
        as_graph([[0, 1, 2.5], [1, 2, 3.0]])
    with pytest.raises(InputError, match="must be dense"):
        as_graph(torch.eye(2).to_sparse())


def test_weights_are_written_only_where_they_say_something() -> None:
    plain = Graph.from_edges([[0], [1]])
    assert [data for _, data in to_networkx(plain).nodes(data=True)] == [{}, {}]
    assert [data for *_, data in to_networkx(plain).edges(data=True)] == [{}]
    assert to_igraph(plain).vs.attributes() == to_igraph(plain).es.attributes() == []
    assert sorted(to_pyg(plain).keys()) == ["edge_index", "num_nodes"]
    assert to_networkx(PATH).nodes[2] == {"weight": 0.0}
    assert to_networkx(PATH).edges[1, 2] == {"weight": 0.0}


@pytest.mark.parametrize("source", [nx.DiGraph([(0, 1)]), nx.MultiDiGraph(), igraph.Graph(2, directed=True)])
def test_directed_graphs_are_refused_with_a_remedy(source: Any) -> None:
    remedy = ".as_undirected()" if isinstance(source, igraph.Graph) else ".to_undirected()"
    with pytest.raises(InputError, match="directed") as caught:
        as_graph(source)
    assert remedy in str(caught.value)
    assert hasattr(source, remedy.strip(".()"))


@pytest.mark.parametrize("source", [nx.MultiGraph([(0, 1), (1, 0), (1, 1)]), igraph.Graph([(0, 1), (1, 0), (1, 1)])])
def test_parallel_edges_are_duplicates(source: Any) -> None:
    with pytest.warns(NormalisationWarning, match="graph: 1 self-loop dropped, 1 duplicate edge merged"):
        assert as_graph(source).equals(Graph.from_edges([[0], [1]]))


def bad_nodes(weight: Any) -> list[Any]:
    source = nx.Graph([("a", "b")])
    source.nodes["b"]["weight"] = weight
    vertices = igraph.Graph([(0, 1)])
    vertices.vs["name"] = ["a", "b"]
    vertices.vs["weight"] = [1, weight]
    return [source, vertices]


def bad_edges(weight: Any) -> list[Any]:
    source = nx.Graph([("a", "b"), ("b", "c", {"weight": weight})])
    edges = igraph.Graph([(0, 1), (1, 2)])
    edges.vs["name"] = ["a", "b", "c"]
    edges.es["weight"] = [1, weight]
    return [source, edges]


@pytest.mark.parametrize("weight", ["heavy", "3", [1], 1j, float("nan"), float("inf"), 10**400])
def test_bad_weights_are_told_in_the_users_names(weight: Any) -> None:
    for source in bad_nodes(weight):
        with pytest.raises(InputError, match="node weights must be") as caught:
            as_graph(source)
        assert weight == 10**400 or str(caught.value).endswith("node 1 is 'b'")
        assert weight == 10**400 or caught.value.node == 1
    for source in bad_edges(weight):
        with pytest.raises(InputError, match="edge weights must be") as caught:
            as_graph(source)
        assert weight == 10**400 or str(caught.value).endswith("edge 1 is 'b'-'c'")
        assert weight == 10**400 or caught.value.edge == 1


def test_a_negative_weight_is_refused_on_nodes_only() -> None:
    for source in bad_nodes(-2):
        with pytest.raises(InputError, match=r"not negative, node 1 has -2; node 1 is 'b'"):
            as_graph(source)
    for source in bad_edges(-2):
        assert as_graph(source).edge_weight.tolist() == [1, -2]


def test_repeated_entries_are_duplicates_and_the_way_back_is_not() -> None:
    twice = torch.tensor([[0, 1, 0, 1], [1, 0, 1, 0]])
    for source in (Data(edge_index=twice, num_nodes=2), scipy.sparse.coo_array((np.ones(4), twice.numpy()))):
        with pytest.warns(NormalisationWarning, match="1 duplicate edge merged"):
            assert as_graph(source).equals(Graph.from_edges([[0], [1]]))


def test_large_graphs_come_back() -> None:
    rng = np.random.default_rng(1)
    keys = np.unique(rng.integers(0, 20_000 * 20_000, 100_000))
    edges = np.stack([keys // 20_000, 20_000 + keys % 20_000])
    graph = Graph.from_edges(edges, 40_000, edge_weight=rng.random(len(keys)))
    for write, read in (
        (to_networkx, from_networkx),
        (to_igraph, from_igraph),
        (to_scipy, from_scipy),
        (to_pyg, from_pyg),
    ):
        assert read(write(graph)).equals(graph)
