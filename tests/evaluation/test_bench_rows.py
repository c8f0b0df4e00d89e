from __future__ import annotations

import json
from pathlib import Path

import pytest

from annealco.evaluation.bench_rows import Key, RowWriter, key_of, read_rows
from annealco.graph.errors import GraphFileError

KEY = Key("rb-small", "mis", 3, "greedy", 0, 1.0, None, 1)


def row(value: float, **changes) -> dict:
    return {**KEY._replace(**changes)._asdict(), "value": value}


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "rows.jsonl"
    assert read_rows(path) == []
    writer = RowWriter(path)
    writer.write(row(1.0))
    writer.write(row(2.0, case=4))
    assert read_rows(path) == [row(1.0), row(2.0, case=4)]
    assert key_of(row(1.0)) == KEY


@pytest.mark.parametrize("torn", ['{"data": "rb', "x", '{"data": "é'])
def test_a_torn_last_line_is_dropped_and_cut_off(tmp_path: Path, torn: str) -> None:
    path = tmp_path / "rows.jsonl"
    RowWriter(path).write(row(1.0))
    with path.open("ab") as file:
        file.write(torn.encode()[:-1] if torn.endswith("é") else torn.encode())
    assert read_rows(path) == [row(1.0)]
    RowWriter(path).write(row(2.0, seed=1))
    assert read_rows(path) == [row(1.0), row(2.0, seed=1)]
    assert all(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


def test_of_two_rows_of_one_key_the_first_counts(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    for value in (1.0, 2.0):
        RowWriter(path).write(row(value))
    assert read_rows(path) == [row(1.0)]


@pytest.mark.parametrize("line", ["{", "[]", "3", "{}"])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{json.dumps(row(1.0))}\n{line}\n", encoding="utf-8")
    with pytest.raises(GraphFileError, match=r"rows.jsonl:2: this is no row of a comparison"):
        read_rows(path)
