from __future__ import annotations

import json
from pathlib import Path

import pytest

from annealco.evaluation.report_rows import collect_rows
from annealco.graph.errors import GraphFileError
from tests.evaluation.comparison_rows import row, write_rows


def test_rows_come_from_all_folders_and_of_one_key_the_first_counts(tmp_path: Path) -> None:
    write_rows(tmp_path / "b" / "deep", row("greedy", 0, 19.0), row("greedy", 1, 18.0))
    write_rows(tmp_path / "a", row("greedy", 0, 15.0))
    found = collect_rows(tmp_path)
    assert [each.relative_to(tmp_path).as_posix() for each in found.files] == ["a/rows.jsonl", "b/deep/rows.jsonl"]
    assert [(each["case"], each["value"]) for each in found.rows] == [(0, 15.0), (1, 18.0)]
    assert found.repeated == 1


def test_an_unfinished_last_row_is_left_out(tmp_path: Path) -> None:
    path = write_rows(tmp_path, row("greedy", 0, 15.0))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"data": "rb-sm')
    assert len(collect_rows(tmp_path).rows) == 1


def test_a_folder_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match="there is no such folder"):
        collect_rows(tmp_path / "none")
    with pytest.raises(GraphFileError, match="there is no row in it"):
        collect_rows(tmp_path)
    (tmp_path / "rows.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(GraphFileError, match="there is no row in it"):
        collect_rows(tmp_path)
    with pytest.raises(GraphFileError, match="there is no such folder"):
        collect_rows(tmp_path / "rows.jsonl")


def test_a_damaged_row_is_named_with_its_line(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "deep", row("greedy", 0, 15.0))
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row("greedy", 1, 15.0) | {"wall": "fast"}) + "\n")
    with pytest.raises(GraphFileError, match=r"rows.jsonl:2: .*wall must be seconds"):
        collect_rows(tmp_path)
