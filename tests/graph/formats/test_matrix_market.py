from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annealco.errors import GraphFileError, NormalisationWarning
from annealco.graph.formats import FORMATS
from annealco.graph.formats.matrix_market import read_matrix_market, write_matrix_market
from annealco.graph.graph import Graph
from tests.graph.formats.strategies import holdable

BANNER = "%%MatrixMarket matrix coordinate"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.mtx"


def read(path: Path, content: str) -> Graph:
    path.write_text(content, encoding="utf-8")
    return read_matrix_market(path)


def adjacency(graph: Graph) -> np.ndarray:
    dense = np.zeros((graph.num_nodes, graph.num_nodes))
    dense[graph.edges[0], graph.edges[1]] = dense[graph.edges[1], graph.edges[0]] = graph.edge_weight
    return dense


def test_a_file_by_hand(path: Path) -> None:
    graph = read(path, f"{BANNER.upper()} Integer SYMMETRIC\n% a comment\n\n4 4 2\n% another\n3 1 -5\n\n1 2 0\n")
    assert graph.edges.tolist() == [[0, 0], [1, 2]]
    assert graph.edge_weight.tolist() == [0, -5]
    assert graph.labels.tolist() == [1, 2, 3, 4]


def test_diagonals_are_self_loops_and_repeated_entries_duplicates(path: Path) -> None:
    with pytest.warns(NormalisationWarning, match=r"a.mtx: 2 self-loops dropped, 1 duplicate edge merged$"):
        graph = read(path, f"{BANNER} real symmetric\n3 3 4\n1 1 9\n2 1 4\n2 1 4\n3 3 1\n")
    assert graph.edge_weight.tolist() == [4]
    with pytest.raises(GraphFileError, match=r":4: edge 2-1 occurs more than once with different weights$"):
        read(path, f"{BANNER} real symmetric\n3 3 2\n2 1 4\n2 1 5\n")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(holdable(FORMATS["matrixmarket"].holds))
def test_scipy_reads_the_same_matrix(graph: Graph) -> None:
    theirs = scipy.io.mmread(io.BytesIO(write_matrix_market(graph)))
    assert np.array_equal(theirs.toarray(), adjacency(graph))
    assert theirs.nnz == 2 * graph.num_edges


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(holdable(FORMATS["matrixmarket"].holds), st.sampled_from(["general", "symmetric"]), st.booleans())
def test_what_scipy_wrote_is_read(path: Path, graph: Graph, symmetry: str, pattern: bool) -> None:
    ones = graph.with_weights(edge_weight=np.ones(graph.num_edges)) if pattern else graph
    entries = (np.tile(ones.edge_weight, 2), (graph.edges.ravel(), graph.edges[::-1].ravel()))
    matrix = scipy.sparse.coo_array(entries, shape=(graph.num_nodes, graph.num_nodes))
    field = "pattern" if pattern else "real"
    scipy.io.mmwrite(path, matrix, symmetry=symmetry, field=field, comment="by SciPy", precision=17)
    again = read_matrix_market(path)
    assert np.array_equal(again.edges, graph.edges)
    assert np.array_equal(again.edge_weight, ones.edge_weight)


def test_a_matrix_that_is_not_symmetric_is_directed(path: Path) -> None:
    rule = r":4: directed: the matrix is not symmetric, entry 3 2 has no equal entry 2 3$"
    with pytest.raises(GraphFileError, match=rule):
        read(path, f"{BANNER} pattern general\n3 3 3\n1 2\n3 2\n2 1\n")
    with pytest.raises(GraphFileError, match=r":3: directed: .* entry 1 2 has no equal entry 2 1$"):
        read(path, f"{BANNER} real general\n3 3 2\n1 2 4\n2 1 5\n")
