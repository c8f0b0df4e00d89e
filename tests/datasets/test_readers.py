from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_array, csc_matrix

from annealco.datasets.readers import read_ego_networks, read_facebook100, read_tu
from annealco.errors import GraphFileError, InputError
from tests.datasets.samples import TU_FILES, write_tar, write_zip


def test_an_archive_of_the_collection_is_read(tmp_path: Path) -> None:
    graph = read_tu(write_zip(tmp_path / "TINY.zip", TU_FILES), name="TINY")
    assert graph.node_ptr.tolist() == [0, 4, 7]
    assert graph.edges.T.tolist() == [[0, 1], [0, 2], [1, 2], [2, 3], [4, 5], [5, 6]]
    assert graph.graph_data["y"].tolist() == [1, 0]


def test_missing_files_are_named(tmp_path: Path) -> None:
    files = {name: content for name, content in TU_FILES.items() if "indicator" not in name}
    with pytest.raises(GraphFileError, match=r"the archive has no file TINY_graph_indicator\.txt"):
        read_tu(write_zip(tmp_path / "TINY.zip", files), name="TINY")


@pytest.mark.parametrize("content", [b"1, 2\nx, 1\n", b"1, 9\n9, 1\n", b""])
def test_broken_files_are_one_error(content: bytes, tmp_path: Path) -> None:
    path = write_zip(tmp_path / "TINY.zip", TU_FILES | {"TINY/TINY_A.txt": content})
    with pytest.raises(InputError) as caught:
        read_tu(path, name="TINY")
    assert "\n" not in str(caught.value)


def test_without_pyg_the_remedy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "torch_geometric"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(InputError, match=r"a set of TUDataset needs PyG: pip install 'annealco\[paper\]'"):
        read_tu(tmp_path / "TINY.zip", name="TINY")


EGO_FILES = {
    "twitter/100.edges": b"7 5\n5 7\n5 900000000000\n6 6\n",
    "twitter/100.circles": b"0 5 7\n",
    "twitter/100.feat": b"5 0 1\n",
    "twitter/99.edges": b"1 2\n2 3\n",
    "twitter/._99.edges": b"\x00\x05",
}


def test_an_archive_of_snap_is_read(tmp_path: Path) -> None:
    graph = read_ego_networks(write_tar(tmp_path / "twitter.tar.gz", EGO_FILES))
    assert graph.graph_data["name"].tolist() == ["99", "100"]
    # The nodes of the second are 5, 6 (which only has a loop), 7 and a large number.
    assert graph.node_ptr.tolist() == [0, 3, 7]
    assert graph.edges.T.tolist() == [[0, 1], [1, 2], [3, 5], [3, 6]]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"twitter/1.feat": b""}, r"the archive has no file \*\.edges"),
        ({"twitter/one.edges": b"1 2\n"}, "one.edges is not named by the number of a user"),
        ({"twitter/1.edges": b"1 2\n3\n"}, "1.edges must hold two integers a line"),
        ({"twitter/1.edges": b"1 x\n"}, "1.edges must hold two integers a line"),
        ({"twitter/1.edges": b"1 99999999999999999999\n"}, "1.edges must hold two integers a line"),
    ],
)
def test_other_archives_of_ego_networks_are_refused(files: dict[str, bytes], message: str, tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match=message):
        read_ego_networks(write_tar(tmp_path / "twitter.tar.gz", files))


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
def test_other_archives_of_facebook100_are_refused(files: dict[str, bytes], message: str, tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match=message):
        read_facebook100(write_zip(tmp_path / "facebook100.zip", files))
