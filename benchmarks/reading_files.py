"""Read files of a million edges: CPU seconds of `read_graph`, for tables beside those of ``pandas.read_csv``.

    python benchmarks/reading_files.py                     # measure, add rows, print
    python benchmarks/reading_files.py --rows 10000        # a quick look

Each kind is a file of distinct random edges among a fifth as many nodes. pandas returns columns; `read_graph` checks
and numbers the labels, and normalises the edges too. Least CPU seconds of ``--repeats`` readings in this process.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from json_lines import Row, append

from annealco import Graph, read_graph, write_graph

RESULTS = Path(__file__).parent / "results" / "reading_files.jsonl"

KINDS: dict[str, tuple[str, str, bool, bool]] = {
    "csv, integers": (".csv", ",", False, False),
    "csv, integers and weights": (".csv", ",", False, True),
    "csv, text": (".csv", ",", True, False),
    "csv, text and weights": (".csv", ",", True, True),
    "csv, quoted text and weights": (".csv", '"', True, True),
    "tsv, integers": (".tsv", "\t", False, False),
    "edge list, integers": (".edges", " ", False, False),
    "edge list, integers and weights": (".edges", " ", False, True),
    "edge list, text": (".edges", " ", True, False),
    "edge list, text and weights": (".edges", " ", True, True),
}
"""Extension, separator (a quote: quoted cells and commas), whether labels are text, whether there are weights."""

OTHERS: dict[str, tuple[str, bool]] = {
    f"{name}, {'random weights' if weighted else 'no weights'}": (extension, weighted)
    for name, extension in {
        "dimacs": ".col",
        "pace": ".gr",
        "metis": ".graph",
        "matrixmarket": ".mtx",
        "graphml": ".graphml",
        "npz": ".npz",
    }.items()
    for weighted in (False, True)
    if name != "pace" or not weighted
}
"""Extension of files that `write_graph` makes, and whether edges have weights."""


def draw(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of so many distinct edges, in random order."""
    num_nodes = max(10, rows // 5)
    keys = np.unique(rng.integers(0, num_nodes * num_nodes, 4 * rows))
    low, high = keys // num_nodes, keys % num_nodes
    kept = rng.permutation(np.flatnonzero(low < high))[:rows]
    return low[kept], high[kept]


def write(path: Path, rows: int, separator: str, *, text: bool, weighted: bool) -> None:
    """Write so many distinct edges to a file; tables have names of columns."""
    rng = np.random.default_rng(rows)
    drawn = draw(rng, rows)
    name = "node_%d" if text else "%d"
    quote, joint = ('"', ",") if separator == '"' else ("", separator)
    columns = [[f"{quote}{name % node}{quote}" for node in ends.tolist()] for ends in drawn]
    if weighted:
        columns.append(list(map(repr, rng.random(rows).tolist())))
    header = joint.join(["source", "target", "weight"][: len(columns)]) + "\n"
    lines = "\n".join(map(joint.join, zip(*columns, strict=True)))
    path.write_text(("" if separator == " " else header) + lines + "\n", encoding="utf-8")


def cpu_seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the least CPU seconds of several runs."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def reading(kind: str, path: Path, repeats: int) -> Row:
    """Return what a file holds, and how long it takes to read."""
    graph = read_graph(path)
    return {
        "kind": kind,
        "rows": graph.num_edges,
        "nodes": graph.num_nodes,
        "megabytes": round(path.stat().st_size / 1e6, 1),
        "read_graph": round(cpu_seconds(lambda: read_graph(path), repeats), 3),
    }


def measure(kind: str, rows: int, repeats: int) -> Row:
    """Return the row of one kind of file."""
    extension, separator, text, weighted = KINDS[kind]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{extension}"
        write(path, rows, separator, text=text, weighted=weighted)
        joint = "," if separator == '"' else separator
        header = None if separator == " " else 0
        pandas = cpu_seconds(lambda: pd.read_csv(path, sep=joint, header=header), repeats)
        return reading(kind, path, repeats) | {"pandas": round(pandas, 3)}


def measure_other(kind: str, rows: int, repeats: int) -> Row:
    """Return the row of a format that is no table."""
    extension, weighted = OTHERS[kind]
    rng = np.random.default_rng(rows)
    edges = np.stack(draw(rng, rows))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{extension}"
        write_graph(Graph.from_edges(edges, edge_weight=rng.random(rows) if weighted else None), path)
        return reading(kind, path, repeats) | {"pandas": None}


def main() -> None:
    """Measure all kinds, and print them as a table of Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    print("| file | MB | read_graph, CPU s | pandas.read_csv, CPU s |\n|---|---|---|---|")
    for kind in [*KINDS, *OTHERS]:
        row = (measure if kind in KINDS else measure_other)(kind, options.rows, options.repeats)
        append(options.out, row)
        pandas = "-" if row["pandas"] is None else f"{row['pandas']:.2f}"
        print(f"| {row['kind']} | {row['megabytes']} | {row['read_graph']:.2f} | {pandas} |", flush=True)


if __name__ == "__main__":
    main()
