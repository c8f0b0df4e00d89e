"""What is written is read, what is torn is dropped."""

from pathlib import Path

import pytest

from annealco.evaluation.appended_lines import LineWriter, read_lines
from annealco.graph.errors import GraphFileError


def test_lines_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "lines"
    assert read_lines(path) == []
    writer = LineWriter(path)
    assert writer.is_new
    writer.write("one")
    writer.write("two")
    assert read_lines(path) == ["one", "two"]
    assert not LineWriter(path).is_new


@pytest.mark.parametrize("torn", [b"tw", b"x", "é".encode()[:-1]])
def test_a_torn_last_line_is_dropped_and_cut_off(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "lines"
    LineWriter(path).write("one")
    with path.open("ab") as file:
        file.write(torn)
    assert read_lines(path) == ["one"]
    LineWriter(path).write("two")
    assert path.read_bytes() == b"one\ntwo\n"


def test_two_writers_do_not_overwrite_each_other(tmp_path: Path) -> None:
    first, second = LineWriter(tmp_path / "lines"), LineWriter(tmp_path / "lines")
    for number in range(3):
        first.write(f"first {number}")
        second.write(f"second {number}")
    assert read_lines(tmp_path / "lines") == [f"{who} {number}" for number in range(3) for who in ("first", "second")]


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match="cannot be written: it is a folder"):
        LineWriter(tmp_path)
