from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.transforms import ToUndirected

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
interop.as_graph([[0, 1], [1, 2]])
print({"networkx", "igraph", "scipy", "torch_geometric"} & set(sys.modules))
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
