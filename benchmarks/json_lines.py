"""Rows of a benchmark as lines of JSON: appended one by one, read again after a kill."""

from __future__ import annotations

import json
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
