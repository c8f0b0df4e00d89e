from __future__ import annotations

from pathlib import Path

import pytest
import solve_many
from json_lines import read_lines
from solve_many import measure_memory, measure_parts, table

ROOT = Path(__file__).parents[2]


def test_a_stream_is_measured_twice_where_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    row = measure_memory("folder", "5")
    assert (row["solved"], row["again_solved"]) == (5, 0)
    assert row["peak"] >= row["peak_start"] > 0
    assert "again_solved" not in measure_memory("none", "5")
    monkeypatch.setattr(solve_many, "SHARD", 4)
    assert {*measure_parts()} == {"read", "keys", "write", "shard_bytes", "row_bytes"}


def test_the_page_has_the_rows_that_were_measured() -> None:
    page = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    lines = [
        line for line in table(read_lines(ROOT / "benchmarks" / "results" / "solve_many.jsonl")).splitlines() if line
    ]
    assert len(lines) > 10
    for line in lines:
        if line.startswith("|"):
            assert line in page
    for line in lines:
        if " worker(s): " in line:
            figures = line.partition("worker(s): ")[2].split()
            assert f"| {figures[0]} | {figures[3]} | {figures[8]} |" in page
    [parts] = [line for line in lines if line.startswith("per graph: ")]
    for figure in ("12 µs", "44 µs", "891 bytes", "652"):
        assert figure in parts
        assert figure in page
