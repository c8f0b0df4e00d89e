"""Collect the rows of comparisons from a folder and all folders in it: checked, and of one key the first."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from annealco.evaluation.bench import FILE
from annealco.evaluation.bench_rows import Key, Row, key_of, read_rows
from annealco.graph.datasets.registry import find_dataset
from annealco.graph.errors import GraphFileError
from annealco.graph.formats.storage import file_errors
from annealco.solving import find_problem


@dataclass(frozen=True)
class Collected:
    """All rows of a folder.

    Attributes:
        folder: where they are.
        files: that hold them.
        rows: each key once.
        repeated: how many rows were left out, because an earlier file has their key.
    """

    folder: Path
    files: tuple[Path, ...]
    rows: list[Row]
    repeated: int


def collect_rows(folder: str | PathLike[str]) -> Collected:
    """Read every ``rows.jsonl`` in a folder and in the folders below, in the order of their names.

    Raises:
        GraphFileError: where the folder does not exist or holds no row, or a row is damaged.
    """
    folder = Path(folder)
    with file_errors(folder, "read"):
        if not folder.is_dir():
            raise GraphFileError(folder, "there is no such folder")
        files = sorted(path for path in folder.rglob(FILE) if path.is_file())
    rows: dict[Key, Row] = {}
    total = 0
    for path in files:
        found = read_rows(path, check=check_row)
        total += len(found)
        for row in found:
            rows.setdefault(key_of(row), row)
    if not rows:
        raise GraphFileError(folder, f"there is no row in it; 'annealco bench' writes them to {FILE}")
    return Collected(folder, tuple(files), list(rows.values()), total - len(rows))


def check_row(row: Row) -> None:
    """Raise a ValueError that names the field of a row that is not what it must be."""
    for field, (possible, what) in FIELDS.items():
        if field not in row and field not in MAY_LACK:
            raise ValueError(f"{field} is missing")
        if not possible(row.get(field)):
            raise ValueError(f"{field} must be {what}")
    find_dataset(row["data"])
    find_problem(row["problem"])


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not _is_flag(value) and value >= 0


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not _is_flag(value) and math.isfinite(value)


def _is_duration(value: Any) -> bool:
    return _is_number(value) and value >= 0


def _is_trace(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(point, list) and len(point) == 2 and _is_duration(point[0]) and _is_number(point[1])
        for point in value
    )


def _or_null(possible: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or possible(value)


_TEXT = (_is_text, "text")
_COUNT = (_is_count, "a number from 0 on")
_SECONDS = (_is_duration, "seconds")
_NUMBER = (_or_null(_is_number), "a number or null")
FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("data", "problem", "method", "note", "version"), _TEXT),
    **dict.fromkeys(("case", "graph", "seed", "threads"), _COUNT),
    **dict.fromkeys(("limit", "wall", "cpu"), _SECONDS),
    **dict.fromkeys(("value", "reference", "conductance", "volume"), _NUMBER),
    "moves": (_or_null(_is_count), "a number from 0 on, or null"),
    "reference_kind": (_or_null(_is_text), "text or null"),
    "feasible": (_is_flag, "true or false"),
    "trace": (_or_null(_is_trace), "pairs of seconds and a value"),
}
"""What is read of a row: how each field is checked, and what it must be."""
MAY_LACK = frozenset({"conductance", "volume", "trace"})
