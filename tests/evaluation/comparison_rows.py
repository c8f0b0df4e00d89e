"""Rows of comparisons to try reports on, written as `annealco bench` writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annealco.evaluation.bench.rows import Row, to_line
from annealco.files import LineWriter

HOSTILE = "</script><script>window.stolen=1</script><img src=x onerror=window.stolen=1>&\"'$style \u2028 é"
"""What would run in a page that takes labels for HTML."""


def row(method: str, case: int, value: float | None, **changes: Any) -> Row:
    """Return a row of independent sets on RB graphs whose optimum is 20."""
    given = {"data": "rb-small", "problem": "mis", "case": case, "method": method, "seed": 0, "limit": 0.05}
    ratio = None if changes.get("reference", 20.0) is None else (value or 0.0) / 20.0
    return {
        **given,
        "moves": None,
        "threads": 1,
        "graph": case,
        "value": value,
        "feasible": value is not None,
        "reference": 20.0,
        "reference_kind": "planted optimum",
        "ratio": ratio,
        "wall": 0.02,
        "cpu": 0.01,
        "note": "",
        "version": "0.1.0",
        **changes,
    }


def write_rows(folder: Path, *rows: Row) -> Path:
    """Append rows to the file of a folder."""
    writer = LineWriter(folder / "rows.jsonl")
    for each in rows:
        writer.write(to_line(each))
    return writer.path


def several_comparisons(folder: Path) -> int:
    """Write rows of two problems, two limits and two seeds, with failures; return how many."""
    sets = [
        row(method, case, value - case % 3, limit=limit, seed=seed, cpu=limit, wall=2 * limit)
        for limit in (0.01, 0.05)
        for seed in (0, 1)
        for case in range(10)
        for method, value in (("greedy_fixed", 15.0), ("sampling", 18.0))
    ]
    search = [
        row("search", case, 20.0, limit=limit, cpu=limit, wall=limit, trace=[[limit / 9, 17.0], [limit / 2, 20.0]])
        for limit in (0.01, 0.05)
        for case in range(10)
    ]
    failures = [
        row("gurobi", 0, None, note="the licence is too small"),
        row("gurobi", 1, None),
        row(HOSTILE, 2, 20.0, note=HOSTILE),
    ]
    shared = {"problem": "cut", "data": "sf295-subset", "reference_kind": "best known", "reference": 4.0}
    cuts = [
        row(method, case, value, graph=case // 2, conductance=0.2, volume=20, **shared)
        for case in range(6)
        for method, value in (("mqi", 5.0 if case else None), ("search", 4.0))
    ]
    write_rows(folder / "sets" / "rb", *sets, *search, *failures)
    write_rows(folder / "cuts", *cuts)
    return len(sets) + len(search) + len(failures) + len(cuts)
