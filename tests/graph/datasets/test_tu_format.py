from __future__ import annotations

import sys
from pathlib import Path

import pytest

from annealco.graph.datasets.tu_format import read_tu
from annealco.graph.errors import GraphFileError, InputError
from tests.graph.datasets.samples import TU_FILES, write_zip


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
