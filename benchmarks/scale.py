"""Measure how time and memory grow from a thousand to a million nodes.

python benchmarks/scale.py                       # all cells, about ten minutes, then the table
python benchmarks/scale.py --sizes 1000,10000    # smaller graphs only
python benchmarks/scale.py --table               # the table of the rows so far

Every cell is a process of its own, so that its peak memory is its own. Kernels are warm. What one thread does is told
in CPU seconds, the rest in seconds of wall-clock time. Rows are appended to --out.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from geometric import random_geometric
from json_lines import Row, append, read_lines

from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS

SEED = 5
SIZES = (1_000, 10_000, 100_000, 1_000_000)
TIME_LIMIT = 15.0
REPEATS = 3
GROWTH_SIZES = (100_000, 1_000_000)
GROWTH_PAIRS = 25

KINDS: dict[str, Callable[[np.random.Generator, int], Graph]] = {
    "ba": lambda rng, size: barabasi_albert(rng, num_nodes=size, attachment=4),
    "geometric": lambda rng, size: random_geometric(rng, num_nodes=size, average_degree=8.0),
}

CELLS = [(problem, kind) for problem in ("mis", "mds", "vertex_cover") for kind in KINDS]
CLIQUE_CELLS = [("clique", kind, 100_000) for kind in KINDS]
"""Cliques of sparse graphs: all pairs but the edges are excluded, and never listed."""

GROWTH = "growth"
"""Stands for the size of a cell that compares two."""


def main() -> None:
    """Run one cell, or all that are missing, and print the table."""
    options = _parse()
    if options.cell:
        name, kind, size = options.cell
        print(json.dumps(measure_growth(name, kind) if size == GROWTH else measure(name, kind, int(size))))
        return
    rows = read_lines(options.out)
    done = {(row["problem"], row["kind"], row["size"]) for row in rows}
    cells: list[tuple[str, str, int | str]] = [(*cell, size) for size in options.sizes for cell in CELLS]
    cells += CLIQUE_CELLS
    cells += [(*cell, GROWTH) for cell in CELLS] if set(GROWTH_SIZES) <= set(options.sizes) else []
    for cell in cells if not options.table else []:
        if cell not in done:
            row = _run(cell)
            append(options.out, row)
            print(row, flush=True)
    print(table(read_lines(options.out)))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sizes = lambda text: tuple(int(part) for part in text.split(","))  # noqa: E731
    parser.add_argument("--sizes", type=sizes, default=SIZES, help="numbers of nodes, separated by commas")
    parser.add_argument("--out", type=Path, default=Path("scale.jsonl"), help="rows, as JSON lines")
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    parser.add_argument("--cell", nargs=3, metavar=("PROBLEM", "KIND", "SIZE"), help="measure one cell, here")
    return parser.parse_args()


def _run(cell: tuple[str, str, int | str]) -> Row:
    command = [sys.executable, __file__, "--cell", *map(str, cell)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        return dict(zip(("problem", "kind", "size"), cell, strict=True)) | {"error": done.stderr.strip()[-300:]}
    return json.loads(done.stdout)


def measure(name: str, kind: str, size: int) -> Row:
    """Measure one problem on one graph."""
    from annealco.search.decode import decode
    from annealco.solving.solve import solve

    problem = PROBLEMS[name]
    solve(KINDS[kind](np.random.default_rng(0), 50), name, time_limit=0.2)
    before = _peak()
    graph = KINDS[kind](np.random.default_rng([SEED, size]), size)
    row: Row = {"problem": name, "kind": kind, "size": size, "edges": graph.num_edges, "peak_start": before}
    row["peak_graph"] = _peak()
    uniform = np.full(size, 0.5)
    row["declare"] = row["decode"] = float("inf")
    for _ in range(REPEATS):
        # A new instance each time: it remembers its compiled form, which is part of what decoding takes.
        started = time.process_time()
        instance = problem.declare(graph)
        row["declare"] = min(row["declare"], time.process_time() - started)
        started = time.process_time()
        bits = decode(instance, uniform, num_threads=1)
        row["decode"] = min(row["decode"], time.process_time() - started)
    row["decoded"] = problem.score(graph, np.flatnonzero(bits).tolist())
    row["peak_decode"] = _peak()
    started, begun = time.perf_counter(), time.process_time()
    found = solve(graph, name, time_limit=TIME_LIMIT)
    row |= {
        "solve": time.perf_counter() - started,
        "solve_cpu": time.process_time() - begun,
        "value": found.value,
        "method": found.method,
        "bound": found.bound,
    }
    chosen = np.zeros(size, bool)
    chosen[found.nodes] = True
    row["maximal"] = _is_settled(problem.declare(graph), chosen)
    return row | {"peak": _peak()}


def measure_growth(name: str, kind: str) -> Row:
    """Decode graphs of two sizes in turns, each time both, so that a ratio compares two neighbouring moments."""
    from annealco.search.decode import decode

    graphs = [KINDS[kind](np.random.default_rng([SEED, size]), size) for size in GROWTH_SIZES]
    seconds = np.empty((GROWTH_PAIRS + 1, 2))
    for pair in seconds:
        for k, graph in enumerate(graphs):
            instance, uniform = PROBLEMS[name].declare(graph), np.full(graph.num_nodes, 0.5)
            started = time.process_time()
            decode(instance, uniform, num_threads=1)
            pair[k] = time.process_time() - started
    # The first pair compiles.
    growth = seconds[1:, 1] / seconds[1:, 0]
    least = seconds[1:].min(axis=0)
    row = {"problem": name, "kind": kind, "size": GROWTH, "growth": sorted(growth.round(2).tolist())}
    return row | {"least": least.round(4).tolist()}


def _is_settled(instance: Any, chosen: Any) -> bool:
    """Tell whether maximalising changes nothing."""
    from annealco.search.repair import maximalise

    return bool(np.array_equal(maximalise(instance, chosen), chosen))


def _peak() -> float:
    """Return the most memory this process has had so far, in GiB."""
    # Linux counts in KiB, macOS in bytes.
    unit = 2**10 if sys.platform != "darwin" else 1
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30


def table(rows: list[Row]) -> str:
    """Return times in milliseconds and memory in GiB as Markdown, with the growth from 10⁵ to 10⁶ nodes."""
    head = [
        "| problem | graph | nodes | edges | declare ms | decode ms | solve s "
        "| decoded | solved | maximal | peak GiB (graph alone) |",
        "|---" * 11 + "|",
    ]
    measured = [row for row in rows if row["size"] != GROWTH]
    lines = [_line(row) for row in sorted(measured, key=lambda row: (row["problem"], row["kind"], row["size"]))]
    return "\n".join([*head, *lines, "", *_growth(rows)])


def _line(row: Row) -> str:
    if "error" in row:
        return f"| {row['problem']} | {row['kind']} | {row['size']:,} | {row['error']} |"
    times = [f"{1000 * row[name]:.1f}" for name in ("declare", "decode")]
    cells = [row["problem"], row["kind"], f"{row['size']:,}", f"{row['edges']:,}", *times, f"{row['solve']:.2f}"]
    cells += [f"{row['decoded']:,.0f}", f"{row['value']:,.0f}", "yes" if row["maximal"] else "**no**"]
    cells.append(f"{row['peak']:.2f} ({row['peak_graph']:.2f})")
    return f"| {' | '.join(cells)} |"


def _growth(rows: list[Row]) -> list[str]:
    """Say how many times as long decoding takes on 10⁶ nodes as on 10⁵."""
    return [
        f"* {row['problem']} on {row['kind']}: decoding grows {row['least'][1] / row['least'][0]:.1f} times by the "
        f"best times, {np.median(row['growth']):.1f} by the median of {len(row['growth'])} pairs "
        f"({row['growth'][0]:.1f} to {row['growth'][-1]:.1f})"
        for row in rows
        if "growth" in row
    ]


if __name__ == "__main__":
    main()
