"""Collect the rows of comparisons from a folder and all folders in it: checked, and of one key the first."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from annealco.evaluation.bench import FILE
from annealco.evaluation.bench_rows import Key, Row, key_of, read_rows
from annealco.graph.errors import GraphFileError
from annealco.graph.formats.storage import file_errors


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
        found = read_rows(path)
        total += len(found)
        for row in found:
            rows.setdefault(key_of(row), row)
    if not rows:
        raise GraphFileError(folder, f"there is no row in it; 'annealco bench' writes them to {FILE}")
    return Collected(folder, tuple(files), list(rows.values()), total - len(rows))
