"""Keep the rows of a comparison in a file of JSON lines to which lines are only ever appended.

Each row is written at once and in one piece. Whoever is killed leaves at most an unfinished last line, which is not
read and is cut off before the next row. Where a row is there twice, the first counts.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from annealco.graph.errors import GraphFileError
from annealco.graph.formats.storage import file_errors

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
    with file_errors(path, "read"):
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    rows: dict[Key, Row] = {}
    for number, line in enumerate(text[: text.rfind("\n") + 1].splitlines(), start=1):
        try:
            row = json.loads(line)
            rows.setdefault(key_of(row), row)
        except (ValueError, KeyError, TypeError):
            raise GraphFileError(path, "this is no row of a comparison", line=number) from None
    return list(rows.values())


class RowWriter:
    """Append rows to a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with file_errors(path, "written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab+") as file:
                file.seek(0)
                file.truncate(file.read().rfind(b"\n") + 1)

    def write(self, row: Row) -> None:
        """Append one row, in one piece."""
        line = (json.dumps(row, allow_nan=False) + "\n").encode()
        with file_errors(self.path, "written"):
            file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            try:
                os.write(file, line)
            finally:
                os.close(file)
