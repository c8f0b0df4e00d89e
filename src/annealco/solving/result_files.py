"""Files of solutions that are written as they come and can be continued: JSON lines, CSV, Parquet, a folder of shards.

Each solution is a row: what `Solution.to_dict` has, the ``key`` of its graph and the ``settings`` it was solved with.
The key is a digest of the graph's name, nodes, edges, weights and labels. A graph whose key is in the file is not
solved again, as often as it is there; a file that was written with other settings is refused.

Rows are whole lines, appended one at a time: a kill leaves at most one unfinished line, which is cut off when the file
is continued. Parquet cannot be appended to: its rows are collected in a file of lines beside it, and the file is
written anew, complete or not at all, when all graphs are done.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from annealco.clock import now
from annealco.datasets.cache import fingerprint
from annealco.errors import GraphFileError, InputError
from annealco.files import (
    LineWriter,
    file_errors,
    lock_file,
    lock_folder,
    read_each_line,
    replacing,
    store,
    unfinished_line,
)
from annealco.graph.graph import Graph
from annealco.optional import require
from annealco.solving.solution import KEYS, Solution
from annealco.terminal import printable

COLUMNS = (*KEYS, "key", "settings")
"""Of a file of rows."""

ROWS_AT_ONCE = 10_000
"""Rows of a Parquet file that are in memory together."""

DIGEST = b"annealco.lines"
"""Under this key a Parquet file has the digest of the lines that it was made of."""

SYNC_SECONDS = 1.0
"""A power failure costs the rows of so long; a kill costs none."""

SETTINGS, SHARDS = "settings.json", "shards.jsonl"
"""In a folder: what its shards were solved with, and those that are done."""

Row = dict[str, Any]


class Results(Protocol):
    """Where solutions go. It is a context: while it is entered, no other process writes there."""

    def __enter__(self) -> Results: ...

    def __exit__(self, *error: object) -> None: ...

    def is_done(self, file: Path) -> bool:
        """Tell whether all graphs of a file have their rows, as far as that is known without reading it."""

    def missing(self, file: Path | None, keys: Sequence[str]) -> list[int]:
        """Return which graphs of a file, given by their keys, have no row yet."""

    def write(self, file: Path | None, key: str, solution: Solution) -> None:
        """Append the row of a graph."""

    def finish(self) -> None:
        """Complete what can only be completed when all rows are there."""


def open_results(out: str | PathLike[str], settings: Mapping[str, Any]) -> Results:
    """Return where solutions go: a file by its extension, and else a folder.

    Args:
        out: a file that ends in .jsonl, .csv or .parquet, or a folder, which is made.
        settings: what graphs are solved with, of types that JSON has.

    Raises:
        InputError: for another extension, for a file where a folder must be, and without pyarrow for Parquet.
    """
    if not isinstance(out, str | PathLike) or not fspath(out):
        raise InputError(f"the place of solutions must be the path of a file or folder, it is {out!r:.40}")
    path = Path(out)
    kind = _KINDS.get(path.suffix.lower())
    with file_errors(path, "written"):
        is_folder = path.is_dir()
    if is_folder or str(out).endswith(("/", "\\")) or (kind is None and not path.suffix):
        if path.exists() and not is_folder:
            raise GraphFileError(path, f"it is a file without one of the extensions {', '.join(_KINDS)}")
        return ResultFolder(path, settings)
    if kind is None:
        choices = f"{', '.join(_KINDS)}, or a folder, with a slash behind its name"
        raise GraphFileError(path, f"unknown extension {path.suffix!r} of a file of solutions; choose one of {choices}")
    return kind(path, settings)


def is_written(file: Path, out: str | PathLike[str] | None) -> bool:
    """Tell whether a file that looks like one of graphs is what solutions are written to, or were in a folder.

    Example:
        >>> is_written(Path("a/settings.json"), "a/"), is_written(Path("a/settings.json"), "b/")
        (True, False)
    """
    if file.name == SETTINGS and file.with_name(SHARDS).exists():
        return True
    if out is None:
        return False
    with file_errors(Path(out), "written"):
        place, own = Path(out).resolve(), file.resolve()
    return own == place or (own.parent == place and own.name == SETTINGS)


def key_of(graph: Graph, name: str) -> str:
    """Return what tells a graph from others: a digest of its name and of all that its solution depends on.

    Example:
        >>> pair = Graph.from_edges([[0], [1]])
        >>> key_of(pair, "a") == key_of(Graph.from_edges([[1], [0]]), "a"), key_of(pair, "a") == key_of(pair, "b")
        (True, False)
    """
    bare = graph.bare()
    labels = {} if graph.node_labels is None else {"label": graph.node_labels}
    named = {**bare.graph_data, "name": np.array([name])}
    return fingerprint(replace(bare, node_data={**bare.node_data, **labels}, graph_data=named))[:32]


@dataclass(frozen=True)
class LineFormat:
    """How rows are written as lines.

    Attributes:
        to_line: makes a line of a row.
        from_line: makes a row of a line, or raises a ValueError.
        heading: the first line, or None.
        beginning: of every other line.
    """

    to_line: Callable[[Row], str]
    from_line: Callable[[str], Any]
    heading: str | None = None
    beginning: str = ""


class ResultFile:
    """A file with a line for each solution, as `Results`.

    Attributes:
        path: of the file.
        settings: what its graphs are solved with.
        format: of its lines.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], form: LineFormat) -> None:
        self.path, self.settings, self.format = path, dict(settings), form
        self._done: Counter[str] = Counter()
        self._lock = ExitStack()
        self._writer: LineWriter | None = None
        self._synced = now()

    def __enter__(self) -> ResultFile:
        _check_place(self.path)
        with ExitStack() as stack:
            stack.enter_context(lock_file(self.path))
            self.open()
            self._lock = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
        self._lock.close()

    def open(self) -> None:
        """Count the keys of the rows that are there; where there is no file, none is made before the first row."""
        self.count(self.rows())
        with file_errors(self.path, "written"):
            if self.path.exists():
                self._begun()

    def _begun(self) -> LineWriter:
        """Return what writes to the file, which begins with its heading."""
        if self._writer is None:
            self._writer = LineWriter(self.path)
            if self._writer.is_new and self.format.heading is not None:
                self._writer.write(self.format.heading)
        return self._writer

    def count(self, rows: Iterable[Row], place: Path | None = None) -> None:
        """Check that rows, of another file where one is named, have the settings of this one, and count their keys."""
        for row in rows:
            check_settings(place or self.path, self.settings, row["settings"])
            self._done[row["key"]] += 1

    def close(self) -> None:
        """Wait until all rows are on the disk."""
        if self._writer is not None:
            self._writer.sync()

    def rows(self) -> Iterator[Row]:
        """Yield the complete rows, of which keys and settings are checked."""
        number = 0
        for number, line in read_each_line(self.path):
            if number == 1 and self.format.heading is not None:
                if line != self.format.heading:
                    raise GraphFileError(self.path, "this is no table of solutions; give another file", line=1)
                continue
            try:
                row = self.format.from_line(line)
                complete = isinstance(row["key"], str) and isinstance(row["settings"], dict)
            except (ValueError, KeyError, TypeError, RecursionError):
                complete = False
            if not complete:
                raise GraphFileError(self.path, "this is no row of solutions; give another file", line=number)
            yield row
        self._check_unfinished(number + 1)

    def _check_unfinished(self, number: int) -> None:
        """Raise where the last line has no end and is not what a kill leaves of a row: it would be cut off."""
        heading = self.format.heading if number == 1 else None
        begin = (self.format.beginning if heading is None else heading).encode()
        line = unfinished_line(self.path)
        if not (line.startswith(begin) or begin.startswith(line)):
            raise GraphFileError(self.path, "this is no row of solutions; give another file", line=number)

    def is_done(self, file: Path) -> bool:
        """Tell nothing: rows do not say which file they are of."""
        del file
        return False

    def missing(self, file: Path | None, keys: Sequence[str]) -> list[int]:
        """Return which graphs have no row; equal graphs of one name count one by one."""
        del file
        found = []
        for number, key in enumerate(keys):
            left = self._done.pop(key, 0)
            if left == 0:
                found.append(number)
            elif left > 1:
                self._done[key] = left - 1
        return found

    def write(self, file: Path | None, key: str, solution: Solution) -> None:
        """Append the row of a graph."""
        del file
        writer = self._begun()
        writer.write(self.format.to_line(solution.to_dict() | {"key": key, "settings": self.settings}))
        if now() - self._synced > SYNC_SECONDS:
            writer.sync()
            self._synced = now()

    def finish(self) -> None:
        """Make the file where there was no graph to solve: else it is complete already."""
        self._begun()


def _check_place(path: Path) -> None:
    with file_errors(path, "written"):
        if not path.parent.is_dir():
            raise GraphFileError(path, "cannot be written: no such folder")
        if path.exists() and not path.is_file():
            raise GraphFileError(path, f"cannot be written: it is {'a folder' if path.is_dir() else 'no regular file'}")


def _csv_line(cells: Iterable[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def _csv_cell(value: Any) -> str:
    """Return what a cell holds: nothing for None, JSON for what is no text; a letter that ends a line is escaped."""
    if value is None:
        return ""
    return printable(value) if isinstance(value, str) else json.dumps(value, allow_nan=False)


_CSV_ROW = re.compile(",".join([r'("[^"]*+(?:""[^"]*+)*+"|[^",]*+)'] * len(COLUMNS)))


def _from_csv(line: str) -> Row:
    # The reader of the standard library takes no cell of more than 131,072 letters, which a large set has.
    found = _CSV_ROW.fullmatch(line)
    if found is None:
        raise ValueError("the line has other cells")
    cells = (cell[1:-1].replace('""', '"') if cell.startswith('"') else cell for cell in found.groups())
    row = dict(zip(COLUMNS, cells, strict=True))
    return row | {"settings": json.loads(row["settings"])}


JSON_LINES = LineFormat(
    to_line=lambda row: json.dumps(row, allow_nan=False), from_line=json.loads, beginning=f'{{"{KEYS[0]}": '
)
CSV = LineFormat(
    to_line=lambda row: _csv_line(_csv_cell(row[name]) for name in COLUMNS),
    from_line=_from_csv,
    heading=_csv_line(COLUMNS),
)


class ParquetFile:
    """A Parquet file as `Results`; while graphs are solved, rows are lines of JSON in ``NAME.parquet.jsonl``."""

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        require("a Parquet file", "pyarrow")
        self.path, self._finished = path, False
        self._lines = ResultFile(path.with_name(f"{path.name}.jsonl"), settings, JSON_LINES)
        self.is_done, self.missing, self.write = self._lines.is_done, self._lines.missing, self._lines.write

    def __enter__(self) -> ParquetFile:
        _check_place(self.path)
        with ExitStack() as stack:
            stack.enter_context(lock_file(self._lines.path))
            if self._merged() == _digest(self._lines.path):
                # A kill came between the new file and the end of its lines.
                self._lines.path.unlink(missing_ok=True)
            self._lines.count(self._stored(), self.path)
            self._lines.open()
            stack.callback(self._end)
            self._lock = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._lock.close()

    def _end(self) -> None:
        if self._finished:
            self._lines.path.unlink(missing_ok=True)
        else:
            self._lines.close()

    def _merged(self) -> str | None:
        """Return the digest of the lines that the Parquet file was made of, or None."""
        if not self.path.exists():
            return None
        from pyarrow import parquet

        with self._errors(), parquet.ParquetFile(self.path) as file:
            return str((file.schema_arrow.metadata or {}).get(DIGEST, b""), errors="replace")

    @contextmanager
    def _errors(self, action: str = "read") -> Iterator[None]:
        import pyarrow as pa

        with file_errors(self.path, action):
            try:
                yield
            except pa.ArrowException as error:
                rule = f"this is no Parquet file of solutions: {str(error).splitlines()[0]:.100}"
                raise GraphFileError(self.path, rule) from None

    def _stored(self) -> Iterator[Row]:
        """Yield the rows of the Parquet file, some at a time."""
        if not self.path.exists():
            return
        from pyarrow import parquet

        with self._errors(), parquet.ParquetFile(self.path) as file:
            if not {*COLUMNS} <= {*file.schema_arrow.names}:
                raise GraphFileError(self.path, "this is no table of solutions; give another file")
            rows = chain.from_iterable(batch.to_pylist() for batch in file.iter_batches(ROWS_AT_ONCE))
            for number, row in enumerate(rows):
                yield row | {"settings": self._checked_settings(number, row)}

    def _checked_settings(self, number: int, row: Row) -> dict[str, Any]:
        """Return the settings of a stored row, which must have a key and labels of nodes too."""
        try:
            settings = json.loads(row["settings"])
        except (ValueError, TypeError, RecursionError):
            settings = None
        labelled = isinstance(row["nodes"], list) and all(isinstance(label, int | str) for label in row["nodes"])
        if not (isinstance(settings, dict) and isinstance(row["key"], str) and labelled):
            raise GraphFileError(self.path, f"row {number} is no row of solutions; give another file")
        return settings

    def finish(self) -> None:
        """Write the rows of both files as one Parquet file, which takes the place of the old one; remove the lines."""
        if not self.path.exists() or next(self._lines.rows(), None) is not None:
            with self._errors("written"), replacing(self.path) as temporary:
                self._write_all(temporary)
        self._finished = True

    def _write_all(self, path: Path) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        whole = all(_are_whole(row["nodes"]) for row in self._all_rows())
        kinds = {
            **dict.fromkeys(COLUMNS, pa.string()),  # The seed too: it may have more than 64 bits.
            **dict.fromkeys(("value", "bound", "gap", "seconds"), pa.float64()),
            **dict.fromkeys(("feasible", "optimal"), pa.bool_()),
            "nodes": pa.list_(pa.int64() if whole else pa.string()),
        }
        schema = pa.schema(list(kinds.items()), metadata={DIGEST: _digest(self._lines.path)})
        rows = (_parquet_row(row, whole=whole) for row in self._all_rows())
        with parquet.ParquetWriter(path, schema) as writer:
            while some := list(islice(rows, ROWS_AT_ONCE)):
                writer.write_table(pa.Table.from_pylist(some, schema=schema))

    def _all_rows(self) -> Iterator[Row]:
        yield from self._stored()
        yield from self._lines.rows()


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file; "none" where it is not there or empty."""
    if not path.exists() or path.stat().st_size == 0:
        return "none"
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _are_whole(labels: Sequence[Any]) -> bool:
    return all(type(label) is int and -(2**63) <= label < 2**63 for label in labels)


def _parquet_row(row: Row, *, whole: bool) -> Row:
    """Return a row with labels of one type: integers where all are, else text, and JSON for what is no text."""
    nodes = (
        row["nodes"]
        if whole
        else [_unicode(each if isinstance(each, str) else json.dumps(each)) for each in row["nodes"]]
    )
    settings = json.dumps(row["settings"], sort_keys=True)
    return row | {"graph": _unicode(row["graph"]), "nodes": nodes, "seed": str(row["seed"]), "settings": settings}


def _unicode(text: Any) -> Any:
    """Return text in which what is no Unicode is escaped, as JSON does; Parquet cannot hold it."""
    return text.encode(errors="backslashreplace").decode() if isinstance(text, str) else text


class ResultFolder:
    """A folder with a file of JSON lines for each file of graphs, as `Results`.

    ``NAME.part`` has the rows of a file that is being solved; it becomes ``NAME.jsonl`` when all its graphs have one.
    ``shards.jsonl`` has the size and the time of each file that is done: where both are the same, it is not read again.
    ``settings.json`` has what graphs are solved with; where it was removed, the rows tell.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path, self.settings = path, dict(settings)
        self._lock = ExitStack()
        self._shards: dict[str, list[int]] = {}
        self._open: dict[Path, ResultFile] = {}
        self._left: Counter[Path] = Counter()
        self._names: dict[str, Path] = {}

    def __enter__(self) -> ResultFolder:
        with ExitStack() as stack:
            stack.enter_context(lock_folder(self.path))
            file = self.path / SETTINGS
            with file_errors(file, "read"):
                text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else None
            if text is not None:
                check_settings(self.path, self.settings, _as_settings(file, text))
            else:
                self._check_rows()
                with file_errors(file, "written"):
                    store(file, (json.dumps(self.settings, sort_keys=True) + "\n").encode())
            self._shards |= (_as_shard(self.path / SHARDS, *each) for each in read_each_line(self.path / SHARDS))
            self._log = LineWriter(self.path / SHARDS)
            self._lock = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        for rows in self._open.values():
            rows.close()
        self._log.sync()
        self._lock.close()

    def _check_rows(self) -> None:
        """Raise where files of this folder have rows of other settings; those of one file are all of the same."""
        with file_errors(self.path, "read"):
            files = [each for ending in ("*.jsonl", "*.part") for each in self.path.glob(ending) if each.is_file()]
        for file in sorted(files):
            _, line = next(read_each_line(file), (0, ""))
            try:
                row = json.loads(line)
                found = row["settings"] if isinstance(row["key"], str) else None
            except (ValueError, KeyError, TypeError, RecursionError):
                # It is none of ours, or its own reader tells what is wrong.
                continue
            if isinstance(found, dict):
                check_settings(file, self.settings, found)

    def is_done(self, file: Path) -> bool:
        """Tell whether a file is as it was when all of its graphs were solved."""
        name = self._name(file)
        return self._shards.get(name) == _state(file) and self._rows_of(name, ".jsonl").exists()

    def missing(self, file: Path | None, keys: Sequence[str]) -> list[int]:
        """Return which graphs of a file have no row; rows of graphs that it no longer has are removed."""
        if file is None:
            raise GraphFileError(self.path, "a folder takes the graphs of files; give a file for those of a program")
        name = self._name(file)
        part, whole = self._rows_of(name, ".part"), self._rows_of(name, ".jsonl")
        with file_errors(part, "written"):
            if whole.exists():
                whole.replace(part)
        _keep(part, Counter(keys))
        rows = ResultFile(part, self.settings, JSON_LINES)
        rows.open()
        self._open[file] = rows
        found = rows.missing(file, keys)
        self._left[file] = len(found)
        if not found:
            self._complete(file)
        return found

    def write(self, file: Path | None, key: str, solution: Solution) -> None:
        """Append the row of a graph; the last one of a file completes it."""
        assert file is not None  # noqa: S101 (`missing` takes no others)
        self._open[file].write(file, key, solution)
        self._left[file] -= 1
        if not self._left[file]:
            self._complete(file)

    def finish(self) -> None:
        """Do nothing: each file is completed by its last row."""

    def _complete(self, file: Path) -> None:
        name = self._name(file)
        rows = self._open.pop(file)
        rows.finish()
        rows.close()
        del self._left[file]
        part = self._rows_of(name, ".part")
        with file_errors(part, "written"):
            part.replace(self._rows_of(name, ".jsonl"))
        size, changed = self._shards[name] = _state(file)
        self._log.write(json.dumps({"file": name, "size": size, "time": changed}))

    def _name(self, file: Path) -> str:
        other = self._names.setdefault(file.name, file)
        if other != file:
            rule = f"the solutions of {other} and {file} would be one file; solve them into two folders"
            raise GraphFileError(self.path, rule)
        if self._rows_of(file.name, ".jsonl").name == SHARDS:
            raise GraphFileError(
                self.path, f"the solutions of {file} would be {SHARDS}, which says what is done; rename it"
            )
        return file.name

    def _rows_of(self, name: str, ending: str) -> Path:
        return self.path / f"{name}{ending}"


def _keep(path: Path, wanted: Counter[str]) -> None:
    """Remove rows whose keys are not wanted, or not so often."""
    lines, kept = list(read_each_line(path)), []
    for _, line in lines:
        try:
            key = json.loads(line)["key"]
        except (ValueError, KeyError, TypeError, RecursionError):
            # Whoever reads the rows next tells what is wrong.
            return
        if wanted[key] > 0:
            wanted[key] -= 1
            kept.append(line)
    if len(kept) < len(lines):
        with file_errors(path, "written"):
            store(path, "".join(f"{line}\n" for line in kept).encode())


def _state(file: Path) -> list[int]:
    with file_errors(file, "read"):
        status = file.stat()
    return [status.st_size, status.st_mtime_ns]


def _as_settings(file: Path, text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise GraphFileError(file, "these are no settings of solutions; give another folder")
    return found


def _as_shard(file: Path, number: int, line: str) -> tuple[str, list[int]]:
    try:
        found = json.loads(line)
        return str(found["file"]), [int(found["size"]), int(found["time"])]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise GraphFileError(file, "this is no line about a file that is done", line=number) from None


def check_settings(place: Path, wanted: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Raise a GraphFileError that names the first setting in which two runs differ.

    Example:
        >>> check_settings(Path("a.csv"), {"seed": 9}, {})  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        annealco.errors.GraphFileError: a.csv: it was written with the default seed, now seed is 9; ...
    """
    for name in [*wanted, *found]:
        if wanted.get(name) != found.get(name):
            before = f"with {name} {json.dumps(found[name])}" if name in found else f"with the default {name}"
            now = f"{name} is {json.dumps(wanted[name])}" if name in wanted else "it is the default"
            rule = f"it was written {before}, now {now}; give another --out, or the same settings"
            raise GraphFileError(place, rule)


_KINDS: dict[str, Callable[[Path, Mapping[str, Any]], Results]] = {
    ".jsonl": partial(ResultFile, form=JSON_LINES),
    ".csv": partial(ResultFile, form=CSV),
    ".parquet": ParquetFile,
}
"""Files of solutions, by their extensions."""
