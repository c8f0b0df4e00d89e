from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.errors import GraphFileError
from annealco.evaluation.references.store import (
    Reference,
    append_references,
    read_references,
    reference_from_line,
    reference_to_line,
    with_checksum,
    without_checksum,
)

HEADER = {"set": "x", "problem": "mis"}
ROWS = [Reference(number, number + 0.5, bool(number % 2), "m", 0.25, (number, number + 9)) for number in range(4)]


@given(st.integers(0, 10**6), st.floats(-1e9, 1e9), st.booleans(), st.sets(st.integers(0, 3000)), st.integers(0, 10**6))
def test_rows_come_back(graph: int, value: float, proven: bool, nodes: set[int], milliseconds: int) -> None:
    row = Reference(graph, value, proven, "search + bound", milliseconds / 1000, tuple(sorted(nodes)))
    for each in (row, replace(row, volume=graph), replace(row, nodes=None), replace(row, nodes=None, volume=3)):
        line = reference_to_line(each)
        assert "\n" not in line
        assert reference_from_line(line) == each


def test_rows_are_appended_and_read(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "file.jsonl"
    assert read_references(path, HEADER) == []
    assert list(append_references(path, HEADER, ROWS[:2])) == ROWS[:2]
    assert list(append_references(path, HEADER, iter(ROWS[2:]))) == ROWS[2:]
    assert read_references(path, HEADER) == ROWS
    assert path.read_text().count("problem") == 1


def test_any_cut_leaves_whole_rows_and_can_be_continued(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    list(append_references(path, HEADER, ROWS))
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        left = read_references(path, HEADER)
        assert left == ROWS[: max(0, whole[:size].count(b"\n") - 1)]
        list(append_references(path, HEADER, ROWS[len(left) :]))
        assert path.read_bytes() == whole


def test_each_row_is_on_the_disk_before_the_next_is_computed(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    for done, _ in enumerate(append_references(path, HEADER, ROWS), start=1):
        assert read_references(path, HEADER) == ROWS[:done]


@pytest.mark.parametrize(
    "line",
    ["[]", "{}", '[1,2,1,0.1,"m"]', '[1,2,1,0.1,"m","?"]', '[1,null,1,0.1,"m",""]', "x", '[1,2,1,0.1,"m","",0.5]'],
)
def test_damaged_rows_are_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    list(append_references(path, HEADER, ROWS[:1]))
    path.write_text(path.read_text() + with_checksum(line, HEADER) + "\n")
    with pytest.raises(GraphFileError, match=r"file\.jsonl:3: damaged: "):
        read_references(path, HEADER)


def test_a_changed_digit_or_a_row_of_another_file_is_noticed(tmp_path: Path) -> None:
    path, other = tmp_path / "file.jsonl", tmp_path / "other.jsonl"
    list(append_references(path, HEADER, ROWS))
    list(append_references(other, HEADER | {"set": "y"}, ROWS))
    good, foreign = path.read_text().splitlines(), other.read_text().splitlines()
    assert good[2].startswith("[1,1.5,")
    for wrong in (good[2].replace("1.5", "2.5"), good[2].replace("]", " ]"), foreign[2], reference_to_line(ROWS[1])):
        path.write_text("\n".join([*good[:2], wrong, *good[3:]]) + "\n")
        with pytest.raises(GraphFileError, match=r"file\.jsonl:3: damaged: its checksum is missing or wrong"):
            read_references(path, HEADER)


@pytest.mark.parametrize("line", ["[]", "", "x", '[1,null,1,0.1,"m",""]'])
def test_the_checksum_is_that_of_first_line_and_row(line: str) -> None:
    assert without_checksum(with_checksum('[1,2,1,0.1,"m",""]', HEADER), HEADER) == '[1,2,1,0.1,"m",""]'
    with pytest.raises(ValueError, match="checksum"):
        without_checksum(line, HEADER)


def test_files_of_something_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    list(append_references(path, HEADER, ROWS))
    with pytest.raises(GraphFileError, match=r"file\.jsonl:1: it is of "):
        read_references(path, HEADER | {"problem": "mds"})
