"""What the report shows, as plain data: facts of the runs, a line a method, and all rows.

A *table* is a problem on a set under one limit; its lines can be compared. Runs of several seeds are of one table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from annealco.evaluation.bench import Bench, with_stored_references
from annealco.evaluation.bench_entry import Entry
from annealco.evaluation.bench_rows import Row, key_of
from annealco.evaluation.bench_table import Line, at_reference, summarise, with_references
from annealco.evaluation.bench_task import ratio
from annealco.evaluation.report_rows import Collected
from annealco.problems import Problem
from annealco.solving import find_problem

DIGITS = 6
FIELDS = ("table", "method", "note", "status", "case", "seed", "value", "reference", "ratio", "wall", "cpu", "trace")
"""What is told of a row: table, method, note and status by their numbers, the trace as (seconds, ratio)."""
STATUSES = ("no set", "infeasible", "below", "at reference")
"""How a run ended, the worst first; no set is a run that found none and says why."""

Content = dict[str, Any]


class Table(NamedTuple):
    """What rows must share to be compared."""

    problem: str
    data: str
    limit: float
    moves: int | None
    threads: int


def report_content(collected: Collected, *, written: datetime) -> Content:
    """Return what the page shows.

    Args:
        collected: the rows.
        written: when the report is made.
    """
    tables: dict[Table, list[Row]] = {}
    for row in collected.rows:
        tables.setdefault(_table_of(row), []).append(row)
    order = sorted(tables, key=lambda each: (each.problem, each.data, each.limit, each.moves or 0, each.threads))
    methods = _numbered(row["method"] for table in order for row in tables[table])
    notes = _numbered(row["note"] for row in collected.rows)
    content: Content = {
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
            content["rows"].append([*numbers, *_cells(row, find_problem(table.problem))])
    return content


def _table_of(row: Row) -> Table:
    key = key_of(row)
    return Table(key.problem, key.data, key.limit, key.moves, key.threads)


def _numbered(texts: Iterable[str]) -> dict[str, int]:
    return {text: number for number, text in enumerate(dict.fromkeys(texts))}


def _bench(table: Table, rows: list[Row]) -> Bench:
    labels = dict.fromkeys(row["method"] for row in rows)
    # A network's label is that of its use, its folder and its weights.
    entries = tuple(Entry(label, label.partition("=")[0]) for label in labels)
    return Bench(table.data, table.problem, entries, seconds=table.limit, moves=table.moves, threads=table.threads)


def _described(table: Table, bench: Bench, rows: list[Row], methods: dict[str, int]) -> Content:
    kinds = Counter({row["case"]: row["reference_kind"] or "none" for row in with_references(bench, rows)}.values())
    lines = summarise(bench, rows)
    return {
        **table._asdict(),
        "seeds": sorted({row["seed"] for row in rows}),
        "references": sorted(kinds.items()),
        "uneven": len({line.graphs for line in lines}) > 1,
        "lines": [_line(line, methods) for line in lines],
    }


def _line(line: Line, methods: dict[str, int]) -> Content:
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
    """Return when which ratio was reached, or None where it is not known."""
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
