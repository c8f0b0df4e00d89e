from __future__ import annotations

import json
from pathlib import Path

import pytest

from annealco.evaluation.appended_lines import LineWriter
from annealco.evaluation.bench_rows import Key, key_of, read_rows, to_line
from annealco.graph.errors import GraphFileError

KEY = Key("rb-small", "mis", 3, "greedy", 0, 1.0, None, 1)


def row(value: float, **changes) -> dict:
    return {**KEY._replace(**changes)._asdict(), "value": value}


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "rows.jsonl"
    assert read_rows(path) == []
    writer = LineWriter(path)
    writer.write(to_line(row(1.0)))
    writer.write(to_line(row(2.0, case=4)))
    assert read_rows(path) == [row(1.0), row(2.0, case=4)]
    assert key_of(row(1.0)) == KEY


def test_of_two_rows_of_one_key_the_first_counts(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    for value in (1.0, 2.0):
        LineWriter(path).write(to_line(row(value)))
    assert read_rows(path) == [row(1.0)]


@pytest.mark.parametrize("line", ["{", "[]", "3", "{}"])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{json.dumps(row(1.0))}\n{line}\n", encoding="utf-8")
    with pytest.raises(GraphFileError, match=r"rows.jsonl:2: this is no row of a comparison"):
        read_rows(path)


def test_a_value_that_is_no_number_is_no_row() -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_line(row(float("nan")))


def test_a_row_that_the_reader_cannot_use_is_named_with_its_reason(tmp_path: Path) -> None:
    def check(each: dict) -> None:
        if each["value"] > 1:
            raise ValueError("value is too large")

    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row(value, case=int(value)))}\n" for value in (1.0, 2.0)), encoding="utf-8")
    assert len(read_rows(path)) == 2
    with pytest.raises(GraphFileError, match=r"rows.jsonl:2: this row of a comparison is damaged: value is too large"):
        read_rows(path, check=check)
