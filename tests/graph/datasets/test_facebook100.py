from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_array, csc_matrix

from annealco.graph.datasets.facebook100 import read_facebook100
from annealco.graph.errors import GraphFileError
from tests.graph.datasets.samples import write_zip


def college(size: int, edges: list[tuple[int, int]]) -> bytes:
    matrix = np.zeros((size, size))
    for u, v in edges:
        matrix[u, v] = matrix[v, u] = 1
    buffer = io.BytesIO()
    savemat(buffer, {"A": csc_matrix(matrix), "local_info": np.zeros((size, 7))}, do_compression=True)
    return buffer.getvalue()


def test_an_archive_of_matrices_is_read_in_the_order_of_size(tmp_path: Path) -> None:
    large = io.BytesIO()
    savemat(large, {"A": csc_matrix(csc_array((15_000, 15_000)))})
    files = {
        "facebook100/Big2.mat": college(4, [(0, 1), (3, 2)]),
        "facebook100/Small1.mat": college(3, [(0, 2), (1, 1)]),
        "facebook100/Huge3.mat": large.getvalue(),
        "facebook100/schools.mat": b"no college",
        "facebook100/readme.txt": b"",
    }
    graph = read_facebook100(write_zip(tmp_path / "facebook100.zip", files))
    assert graph.graph_data["name"].tolist() == ["Small1", "Big2"]
    assert graph.node_ptr.tolist() == [0, 3, 7]
    assert graph.edges.T.tolist() == [[0, 2], [3, 4], [5, 6]]


def other() -> bytes:
    buffer = io.BytesIO()
    savemat(buffer, {"B": np.zeros((2, 2))})
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"readme.txt": b""}, "has no file"),
        ({"a.mat": b"nonsense"}, "a.mat is damaged"),
        ({"a.mat": college(3, [(0, 1)])[:150]}, "a.mat"),
        ({"a.mat": other()}, "a.mat must hold a square sparse matrix 'A'"),
    ],
)
def test_other_archives_are_refused(files: dict[str, bytes], message: str, tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match=message):
        read_facebook100(write_zip(tmp_path / "facebook100.zip", files))
