from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph, from_scipy, to_scipy
from tests.graph.interop.examples import PATH
from tests.graph.strategies import graphs


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
