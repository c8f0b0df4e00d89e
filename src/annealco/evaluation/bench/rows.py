"""The rows of a comparison, as lines of JSON in a file; of two rows of one key the first counts.

Rows are read from files that anyone may have changed, so every field is checked (`check_row`), and nothing that a row
names is imported: a problem that is not of the package is known by its name and sense alone (`problem_of`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from annealco.datasets.registry import find_dataset
from annealco.errors import GraphFileError, InputError
from annealco.files import read_lines
from annealco.problems import PROBLEMS, Problem

Row = dict[str, Any]

FILES = "files:"
"""What the name of data begins with that is files of the user's own."""


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
        options: of the problem, as JSON; empty where none is set.
        source: name and fingerprint of a graph of the user's own; empty for the graphs of a named set. It tells such a
            graph from others, whatever its number among the files is.
    """

    data: str
    problem: str
    case: int
    method: str
    seed: int
    limit: float
    moves: int | None
    threads: int
    options: str = ""
    source: str = ""

    @property
    def identity(self) -> Key:
        """What makes two keys the same: files may be listed in another order, or from another folder."""
        return self._replace(data=FILES, case=0) if self.source else self


def key_of(row: Row) -> Key:
    """Return what a row is of."""
    return Key(**{field: row[field] for field in Key._fields if field in row})


def problem_of(row: Row) -> Problem:
    """Return the problem of a row: one of the package, or else one of which only the name and the sense are known."""
    name = row["problem"]
    if name in PROBLEMS.own:
        return PROBLEMS[name]
    return Problem(name=name, title=name, sense=row["sense"], declare=_unknown, score=_unknown)


def _unknown(*_: Any, **__: Any) -> Any:
    raise InputError("only the name of this problem is known")


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
        rows.setdefault(key_of(row).identity, row)
    return list(rows.values())


def to_line(row: Row) -> str:
    """Return a row as a line."""
    return json.dumps(row, allow_nan=False)


Fields = Mapping[str, tuple[Callable[[Any], bool], str]]
"""How each field of a row is checked, and in words what it must be."""


def check_row(row: Any) -> None:
    """Raise a ValueError that names the field of a row that is not what it must be."""
    check_fields(row, FIELDS, may_lack=MAY_LACK)
    if not row["data"].startswith(FILES):
        find_dataset(row["data"])
    if row["problem"] not in PROBLEMS.own:
        if "sense" not in row:
            raise ValueError(f"unknown problem {row['problem']!r}, and sense is missing")
        problem_of(row)


def check_fields(row: Any, fields: Fields, *, may_lack: Collection[str] = ()) -> None:
    """Raise a ValueError that names the first field that is missing or not possible."""
    if not isinstance(row, dict):
        raise ValueError("it is no object")
    for field, (possible, what) in fields.items():
        if field not in row and field not in may_lack:
            raise ValueError(f"{field} is missing")
        if not possible(row.get(field)):
            raise ValueError(f"{field} must be {what}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not _is_flag(value) and 0 <= value < 2**63


def is_number(value: Any) -> bool:
    """Tell whether a value is a finite number."""
    # Compared, not converted: a whole number may be too large for a float.
    return isinstance(value, (int, float)) and not _is_flag(value) and abs(value) <= sys.float_info.max


def _is_duration(value: Any) -> bool:
    return is_number(value) and value >= 0


def _is_trace(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(point, list) and len(point) == 2 and _is_duration(point[0]) and is_number(point[1])
        for point in value
    )


def or_null(possible: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return a check that takes null too."""
    return lambda value: value is None or possible(value)


_TEXT = (_is_text, "text")
COUNT = (_is_count, "a number from 0 on")
_SECONDS = (_is_duration, "seconds")
NUMBER = (is_number, "a number")
NUMBER_OR_NULL = (or_null(is_number), "a number or null")
FIELDS: Fields = {
    **dict.fromkeys(("data", "problem", "method", "note", "version"), _TEXT),
    **dict.fromkeys(("case", "graph", "seed", "threads"), COUNT),
    **dict.fromkeys(("limit", "wall", "cpu"), _SECONDS),
    **dict.fromkeys(("value", "reference", "conductance", "volume"), NUMBER_OR_NULL),
    "moves": (or_null(_is_count), "a number from 0 on, or null"),
    "reference_kind": (or_null(_is_text), "text or null"),
    "feasible": (_is_flag, "true or false"),
    "trace": (or_null(_is_trace), "pairs of seconds and a value"),
    "sense": (or_null(lambda value: value in {"min", "max"}), "min or max"),
    **dict.fromkeys(("options", "source"), (or_null(_is_text), "text")),
}
"""What is read of a row: how each field is checked, and what it must be."""
MAY_LACK = frozenset({"conductance", "volume", "trace", "sense", "options", "source"})
