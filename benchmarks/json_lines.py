"""Rows of a benchmark as lines of JSON: appended one by one, read again after a kill."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def read_lines(path: Path) -> list[Row]:
    """Return the rows so far; a line that a kill cut short is none."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


def append(path: Path, row: Row) -> None:
    """Add a row at the end; after a line that was cut short on a line of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torn = path.exists() and not path.read_bytes().endswith(b"\n") and path.stat().st_size > 0
    with path.open("a", encoding="utf-8") as file:
        file.write(("\n" if torn else "") + json.dumps(row) + "\n")


def packed(rows: list[Row]) -> list[Row]:
    """Return a line for each set, limit and method; a field is a list where it is not the same in all rows."""
    lines = []
    for _, group in groupby(rows, key=lambda row: (row["data"], row["limit"], row["method"])):
        own = list(group)
        columns = {name: [row[name] for row in own] for name in own[0]}
        lines.append({name: each[0] if each.count(each[0]) == len(each) else each for name, each in columns.items()})
    return lines


def unpacked(lines: list[Row]) -> list[Row]:
    """Return the rows of packed lines."""
    found = []
    for line in lines:
        count = max(len(value) if isinstance(value, list) else 1 for value in line.values())
        columns = {name: value if isinstance(value, list) else [value] * count for name, value in line.items()}
        found += [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return found
