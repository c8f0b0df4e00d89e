"""Write the rows of all comparisons in a folder as one HTML file that needs no network, no server and no package.

Rows are collected from the folder and all folders in it, checked, and of one key the first is kept. The report is plain
data: facts of the runs, tables with one line per method, and all rows. A *table* is a problem on a set under one limit,
so that its lines can be compared; runs of several seeds belong to one table.

The plots are drawn as SVG by a few hundred lines of script of our own. A plotting library would add tooltips and
zooming, but also more than 3 MB to every report; this way a report of a thousand rows is about as large as a picture.

Labels, notes and file names are text of other people. They stand as JSON in a tag of their own, with everything that
could end the tag escaped; the script puts them into the page as text only; and the page's policy lets no other script
run and no address be loaded.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from annealco.errors import GraphFileError
from annealco.evaluation.bench.comparison import FILE, Bench, with_stored_references
from annealco.evaluation.bench.entries import Entry
from annealco.evaluation.bench.rows import Key, Row, key_of, problem_of, read_rows
from annealco.evaluation.bench.table import Line, at_reference, summarise, with_references
from annealco.evaluation.bench.tasks import ratio
from annealco.files import file_errors, store
from annealco.problems import Problem

REPORT_FILE = "report.html"
SCRIPTS = ("tables.js", "charts.js", "page.js")
DIGITS = 6
FIELDS = ("table", "method", "note", "status", "case", "seed", "value", "reference", "ratio", "wall", "cpu", "trace")
"""The fields of a row: table, method, note and status by their numbers, the trace as (seconds, ratio)."""
STATUSES = ("no set", "infeasible", "below", "at reference")
"""How a run ended, the worst first; ``no set`` is a run that found none and says why."""

ReportContent = dict[str, Any]


class Written(NamedTuple):
    """The report that was written.

    Attributes:
        path: of the report.
        rows: in it.
        files: that they came from.
        size: in bytes.
    """

    path: Path
    rows: int
    files: int
    size: int


def write_report(
    folder: str | PathLike[str], out: str | PathLike[str] | None = None, *, written: datetime | None = None
) -> Written:
    """Write the report of all comparisons in a folder.

    Args:
        folder: holds files ``rows.jsonl`` of `annealco bench`, itself or in folders below.
        out: the file, by default ``report.html`` in the folder.
        written: the moment that the report tells, by default now.

    Raises:
        GraphFileError: where there is no row, a row is damaged, or the file cannot be written.
    """
    collected = collect_rows(folder)
    path = collected.folder / REPORT_FILE if out is None else Path(out)
    with file_errors(path, "written"):
        if path.resolve() in {each.resolve() for each in collected.files}:
            raise GraphFileError(path, "cannot be written: it holds the rows")
        page = as_page(report_content(collected, written=written or datetime.now(UTC))).encode("ascii")
        store(path, page)
    return Written(path, len(collected.rows), len(collected.files), len(page))


def as_page(content: ReportContent) -> str:
    """Return the HTML of a report, in ASCII."""
    style, script = _part("style.css"), "\n".join(_part(name) for name in SCRIPTS)
    return Template(_part("page.html")).substitute(
        style=style, script=script, style_hash=_digest(style), script_hash=_digest(script), content=as_json(content)
    )


def as_json(content: ReportContent) -> str:
    r"""Return JSON that can stand in a tag of HTML: nothing in it ends the tag or begins another.

    Example:
        >>> as_json({"note": "</script>&"})
        '{"note":"\\u003c/script\\u003e\\u0026"}'
    """
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _part(name: str) -> str:
    return (files("annealco.evaluation") / "report_page" / name).read_text(encoding="ascii")


def _digest(text: str) -> str:
    """Return the hash by which the policy of the page allows a style or script."""
    return base64.b64encode(hashlib.sha256(text.encode("ascii")).digest()).decode("ascii")


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
            rows.setdefault(key_of(row).identity, row)
    if not rows:
        raise GraphFileError(folder, f"there is no row in it; 'annealco bench' writes them to {FILE}")
    return Collected(folder, tuple(files), list(rows.values()), total - len(rows))


class TableKey(NamedTuple):
    """What rows must share to stand in one table."""

    problem: str
    data: str
    limit: float
    moves: int | None
    threads: int
    options: str = ""


def report_content(collected: Collected, *, written: datetime) -> ReportContent:
    """Return the content of the page.

    Args:
        collected: the rows.
        written: when the report is made.
    """
    tables: dict[TableKey, list[Row]] = {}
    for row in collected.rows:
        tables.setdefault(_table_of(row), []).append(row)
    order = sorted(
        tables, key=lambda each: (each.problem, each.options, each.data, each.limit, each.moves or 0, each.threads)
    )
    methods = _numbered(row["method"] for table in order for row in tables[table])
    notes = _numbered(row["note"] for row in collected.rows)
    content: ReportContent = {
        "title": collected.folder.resolve().name,
        "facts": _facts(collected, written),
        "methods": list(methods),
        "notes": list(notes),
        "fields": FIELDS,
        "statuses": STATUSES,
        "tables": [],
        "rows": [],
    }
    for number, table in enumerate(order):
        bench = _bench(table, tables[table])
        rows = with_stored_references(bench, tables[table])
        content["tables"].append(_described(table, bench, rows, methods))
        for row in with_references(bench, rows):
            numbers = [number, methods[row["method"]], notes[row["note"]], STATUSES.index(_status(row))]
            content["rows"].append([*numbers, *_cells(row, bench.chosen)])
    return content


def _table_of(row: Row) -> TableKey:
    key = key_of(row)
    return TableKey(key.problem, key.data, key.limit, key.moves, key.threads, key.options)


def _numbered(texts: Iterable[str]) -> dict[str, int]:
    return {text: number for number, text in enumerate(dict.fromkeys(texts))}


def _bench(table: TableKey, rows: list[Row]) -> Bench:
    labels = dict.fromkeys(row["method"] for row in rows)
    # A network's label is that of its use, its folder and its weights.
    entries = tuple(Entry(label, label.partition("=")[0]) for label in labels)
    settings: dict[str, Any] = {"seconds": table.limit, "moves": table.moves, "threads": table.threads}
    problem = problem_of(rows[0])
    # With options set a problem is another one, without stored references; which these are does not matter here.
    return Bench(
        table.data, replace(problem, set_options=(table.options,) if table.options else ()), entries, **settings
    )


def _described(table: TableKey, bench: Bench, rows: list[Row], methods: dict[str, int]) -> ReportContent:
    kinds = Counter({row["case"]: row["reference_kind"] or "none" for row in with_references(bench, rows)}.values())
    lines = summarise(bench, rows)
    return {
        **table._asdict(),
        "problem": f"{table.problem} {table.options}".strip(),
        "seeds": sorted({row["seed"] for row in rows}),
        "references": sorted(kinds.items()),
        "uneven": len({line.graphs for line in lines}) > 1,
        "lines": [_line(line, methods) for line in lines],
    }


def _line(line: Line, methods: dict[str, int]) -> ReportContent:
    rounded = {
        name: round(value, DIGITS) if isinstance(value, float) else value for name, value in line.as_json().items()
    }
    return {**rounded, "method": methods[line.method]}


def _status(row: Row) -> str:
    if row["value"] is not None:
        return "at reference" if at_reference(row) else "below"
    return "no set" if row["note"] and row.get("volume") is None else "infeasible"


def _cells(row: Row, problem: Problem) -> list[Any]:
    numbers = [round(row[name], DIGITS) for name in ("ratio", "wall", "cpu")]
    return [row["case"], row["seed"], row["value"], row["reference"], *numbers, _trace(row, problem)]


def _trace(row: Row, problem: Problem) -> list[list[float]] | None:
    """Return pairs of seconds and the ratio reached then, or None without a trace or reference."""
    if not row.get("trace") or row["reference"] is None:
        return None
    return [[at, round(ratio(problem, value, row["reference"]), DIGITS)] for at, value in row["trace"]]


def _facts(collected: Collected, written: datetime) -> list[tuple[str, str]]:
    rows = collected.rows
    changed = max(datetime.fromtimestamp(path.stat().st_mtime, UTC) for path in collected.files)
    repeated = f", {collected.repeated} left out that an earlier file has too" if collected.repeated else ""
    moves = sorted({row["moves"] for row in rows} - {None})
    return [
        ("problems", _list(row["problem"] for row in rows)),
        ("sets", _list(row["data"] for row in rows)),
        ("methods", _list(row["method"] for row in rows)),
        ("limits", ", ".join(f"{limit:g} s" for limit in sorted({row["limit"] for row in rows}))),
        *([("moves", ", ".join(map(str, moves)))] if moves else []),
        ("threads", _list(row["threads"] for row in rows)),
        ("seeds", _list(row["seed"] for row in rows)),
        ("versions", _list(row["version"] for row in rows)),
        ("rows", f"{len(rows)}{repeated}"),
        ("files", _list(path.relative_to(collected.folder).as_posix() for path in collected.files)),
        ("last row", _moment(changed)),
        ("report written", _moment(written)),
    ]


def _list(values: Iterable[Any]) -> str:
    return ", ".join(map(str, sorted(set(values))))


def _moment(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
