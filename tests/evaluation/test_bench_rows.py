from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annealco.errors import GraphFileError
from annealco.evaluation.bench.rows import Key, check_row, key_of, read_rows, to_line
from annealco.files import LineWriter
from tests.evaluation.comparison_rows import row as comparison_row

KEY = Key("rb-small", "mis", 3, "greedy", 0, 0.05, None, 1)


def row(value: float, *, case: int = 3) -> dict:
    return comparison_row("greedy", case, value)


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


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("{", "this is no row of a comparison"),
        ("[" * 100_000, "this is no row of a comparison"),
        ("[]", "this row of a comparison is damaged: it is no object"),
        ("{}", "this row of a comparison is damaged: data is missing"),
        (json.dumps(row(1.0) | {"method": []}), "this row of a comparison is damaged: method must be text"),
        (json.dumps(row(float("nan"))), "this row of a comparison is damaged: value must be a number or null"),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, line: str, rule: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{json.dumps(row(1.0))}\n{line}\n", encoding="utf-8")
    with pytest.raises(GraphFileError, match=rf"rows.jsonl:2: {rule}"):
        read_rows(path)


def test_a_value_that_is_no_number_is_no_row() -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_line(row(float("nan")))


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"wall": "fast"}, "wall must be seconds"),
        ({"cpu": -1.0}, "cpu must be seconds"),
        ({"value": float("nan")}, "value must be a number or null"),
        ({"value": -float("inf")}, "value must be a number or null"),
        ({"value": 10**400}, "value must be a number or null"),
        ({"cpu": 10**400}, "cpu must be seconds"),
        ({"seed": 10**400}, "seed must be a number from 0 on"),
        ({"reference": True}, "reference must be a number or null"),
        ({"note": None}, "note must be text"),
        ({"case": 1.5}, "case must be a number from 0 on"),
        ({"feasible": 1}, "feasible must be true or false"),
        ({"trace": [[0.1]]}, "trace must be pairs of seconds and a value"),
        ({"trace": [[0.1, float("inf")]]}, "trace must be pairs of seconds and a value"),
        ({"data": "nothing"}, "unknown data set 'nothing'"),
        ({"problem": "nothing"}, "unknown problem 'nothing'"),
    ],
)
def test_the_field_that_is_wrong_is_named(changes: dict[str, Any], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        check_row(comparison_row("greedy", 1, 15.0) | changes)


def test_a_row_is_an_object() -> None:
    with pytest.raises(ValueError, match="it is no object"):
        check_row([comparison_row("greedy", 1, 15.0)])


def test_a_missing_field_is_named() -> None:
    whole = comparison_row("greedy", 0, 15.0)
    check_row(whole)
    check_row(whole | {"trace": [[0.1, 3]], "conductance": None, "volume": 3})
    for field in set(whole) - {"ratio"}:
        with pytest.raises(ValueError, match=f"{field} is missing"):
            check_row({name: value for name, value in whole.items() if name != field})
