"""Read tables and edge lists of a million rows: CPU seconds of `read_graph`, and of ``pandas.read_csv`` beside it.

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

from annealco import read_graph

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


def write(path: Path, rows: int, separator: str, *, text: bool, weighted: bool) -> None:
    """Write so many distinct edges to a file; tables have names of columns."""
    rng = np.random.default_rng(rows)
    num_nodes = max(10, rows // 5)
    keys = np.unique(rng.integers(0, num_nodes * num_nodes, 4 * rows))
    low, high = keys // num_nodes, keys % num_nodes
    kept = rng.permutation(np.flatnonzero(low < high))[:rows]
    name = "node_%d" if text else "%d"
    quote, joint = ('"', ",") if separator == '"' else ("", separator)
    columns = [[f"{quote}{name % node}{quote}" for node in ends[kept].tolist()] for ends in (low, high)]
    if weighted:
        columns.append(list(map(repr, rng.random(len(kept)).tolist())))
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


def measure(kind: str, rows: int, repeats: int) -> Row:
    """Return the row of one kind of file."""
    extension, separator, text, weighted = KINDS[kind]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{extension}"
        write(path, rows, separator, text=text, weighted=weighted)
        graph = read_graph(path)
        joint = "," if separator == '"' else separator
        header = None if separator == " " else 0
        return {
            "kind": kind,
            "rows": graph.num_edges,
            "nodes": graph.num_nodes,
            "megabytes": round(path.stat().st_size / 1e6, 1),
            "read_graph": round(cpu_seconds(lambda: read_graph(path), repeats), 3),
            "pandas": round(cpu_seconds(lambda: pd.read_csv(path, sep=joint, header=header), repeats), 3),
        }


def main() -> None:
    """Measure all kinds, and print them as a table of Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    print("| file | MB | read_graph, CPU s | pandas.read_csv, CPU s |\n|---|---|---|---|")
    for kind in KINDS:
        row = measure(kind, options.rows, options.repeats)
        append(options.out, row)
        print(f"| {row['kind']} | {row['megabytes']} | {row['read_graph']:.2f} | {row['pandas']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
