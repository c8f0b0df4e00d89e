"""What the fields of a row of a comparison must be: rows are read from files that anyone may have changed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any

from annealco.graph.datasets.registry import find_dataset
from annealco.solving import find_problem

Fields = Mapping[str, tuple[Callable[[Any], bool], str]]
"""How each field of a row is checked, and in words what it must be."""


def check_row(row: Any) -> None:
    """Raise a ValueError that names the field of a row that is not what it must be."""
    check_fields(row, FIELDS, may_lack=MAY_LACK)
    find_dataset(row["data"])
    find_problem(row["problem"])


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
}
"""What is read of a row: how each field is checked, and what it must be."""
MAY_LACK = frozenset({"conductance", "volume", "trace"})
