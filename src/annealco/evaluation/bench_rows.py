"""The rows of a comparison, as lines of JSON in a file (`appended_lines`); of two rows of one key the first counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from annealco.evaluation.appended_lines import read_lines
from annealco.evaluation.row_fields import check_row
from annealco.graph.errors import GraphFileError

Row = dict[str, Any]


class Key(NamedTuple):
    """What is run once.

    Attributes:
        data: name of the set.
        problem: name of the problem.
        case: number of the graph or instance.
        method: label of the method.
        seed: of its random choices.
        limit: seconds.
        moves: instead of seconds, or None.
        threads: that it may use.
    """

    data: str
    problem: str
    case: int
    method: str
    seed: int
    limit: float
    moves: int | None
    threads: int


def key_of(row: Row) -> Key:
    """Return what a row is of."""
    return Key(*(row[field] for field in Key._fields))


def read_rows(path: Path) -> list[Row]:
    """Read the complete rows of a file, each key once; a file that does not exist has none.

    Raises:
        GraphFileError: where a line before the last is damaged.
    """
    rows: dict[Key, Row] = {}
    for number, line in enumerate(read_lines(path), start=1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise GraphFileError(path, "this is no row of a comparison", line=number) from None
        try:
            check_row(row)
        except ValueError as error:
            raise GraphFileError(path, f"this row of a comparison is damaged: {error}", line=number) from None
        rows.setdefault(key_of(row), row)
    return list(rows.values())


def to_line(row: Row) -> str:
    """Return a row as a line."""
    return json.dumps(row, allow_nan=False)
