from __future__ import annotations

from pathlib import Path

import pytest

from annealco.cli.picture_names import check_pictures, picture_names
from annealco.graph.errors import InputError


def test_pictures_of_many_graphs_are_numbered_with_as_many_digits_as_are_needed() -> None:
    assert picture_names(Path("a/b.v2.svg"), 1) == [Path("a/b.v2.svg")]
    assert picture_names(Path("a/b.v2.svg"), 2) == [Path("a/b.v2-0.svg"), Path("a/b.v2-1.svg")]
    assert picture_names(Path("b.png"), 101)[7] == Path("b-007.png")
    assert picture_names(Path("b.png"), 0) == []


def test_an_older_picture_may_be_replaced_but_no_graph_file(tmp_path: Path) -> None:
    graph, older, link = tmp_path / "graph.png", tmp_path / "older.png", tmp_path / "link.png"
    graph.write_text("p edge 1 0")
    older.write_bytes(b"picture")
    link.symlink_to(graph)
    check_pictures([older, tmp_path / "new.png"], [graph])
    for picture in (graph, link, tmp_path / "." / "graph.png"):
        with pytest.raises(InputError, match="would replace the graph file"):
            check_pictures([older, picture], [older.with_name("graph.png")])
