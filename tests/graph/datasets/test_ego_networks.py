from __future__ import annotations

from pathlib import Path

import pytest

from annealco.graph.datasets.ego_networks import read_ego_networks
from annealco.graph.errors import GraphFileError
from tests.graph.datasets.samples import write_tar

FILES = {
    "twitter/100.edges": b"7 5\n5 7\n5 900000000000\n6 6\n",
    "twitter/100.circles": b"0 5 7\n",
    "twitter/100.feat": b"5 0 1\n",
    "twitter/99.edges": b"1 2\n2 3\n",
    "twitter/._99.edges": b"\x00\x05",
}


def test_an_archive_of_snap_is_read(tmp_path: Path) -> None:
    graph = read_ego_networks(write_tar(tmp_path / "twitter.tar.gz", FILES))
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
def test_other_archives_are_refused(files: dict[str, bytes], message: str, tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match=message):
        read_ego_networks(write_tar(tmp_path / "twitter.tar.gz", files))
