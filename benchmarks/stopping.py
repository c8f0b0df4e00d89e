"""Measure what patience saves on many small graphs, and whether limits hold, bounds mean something and memory is flat.

python benchmarks/stopping.py                    # 5,000 graphs at 0.1 s and at 0.02 s with patience, about 6 minutes
python benchmarks/stopping.py --memory           # 100,000 graphs in blocks, about 3 minutes
python benchmarks/stopping.py --graphs 500       # fewer graphs, which make rows of their own
python benchmarks/stopping.py --table            # the tables of the rows so far

The graphs are Barabási–Albert graphs of 200 nodes with 4 edges per new node, the problem is the independent set, and
two graphs are solved at once. Limits say something only on an idle machine with two processors: a row has the processor
time beside the wall clock. Rows go to --out.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from json_lines import Row, append, read_lines

from annealco.bounds import find_bounds
from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.solving.solve import solve_each
from annealco.solving.solver import Solver

SEED, NUM_NODES, ATTACHMENT = 5, 200, 4
NUM_GRAPHS, THREADS = 5_000, 2
SETTINGS: dict[str, dict[str, Any]] = {
    "0.1 s": {"time_limit": 0.1},
    "0.02 s": {"time_limit": 0.02},
    "0.02 s, patience 20%": {"time_limit": 0.02, "gap": 0.0, "patience": "20%"},
}
REFERENCE, STOPPED = "0.1 s", "0.02 s, patience 20%"

WITHIN = 1.2
"""A limit is kept where a graph takes less than this many times as long."""

GOALS = {"share of time": 1 / 3, "kept": 0.99, "lost": 0.005}
"""At most so much of the reference's time, limits kept at least so often, and at most this much below its mean."""

MEMORY_SIZES = (1_000, 10_000, 100_000)
BLOCK = 1_000
MEMORY_GROWTH = 1.1
"""Memory is flat where the last of these sizes takes at most this many times what the first does."""


def main() -> None:
    """Measure what is missing, and print the tables."""
    options = _parse()
    measured = {_key(row) for row in read_lines(options.out)}
    if not options.table:
        for row in memory_rows(options.sizes) if options.memory else rows_of(options.graphs, measured):
            append(options.out, row)
            print(row, flush=True)
    rows = read_lines(options.out)
    print(table([row for row in rows if "settings" in row]))
    print(memory_table([row for row in rows if "memory" in row]))


def draw(count: int, generator: np.random.Generator) -> Graph:
    """Return so many graphs as a batch."""
    return Graph.batch([barabasi_albert(generator, num_nodes=NUM_NODES, attachment=ATTACHMENT) for _ in range(count)])


def rows_of(count: int, measured: set[tuple[object, ...]]) -> Iterator[Row]:
    """Solve the graphs with each of the settings."""
    graphs = draw(count, np.random.default_rng(SEED))
    for name, settings in SETTINGS.items():
        row: Row = {"settings": name, "graphs": count}
        if _key(row) not in measured:
            # What the first graphs of a process import is on no clock, but its processor time would be counted.
            list(solve_each(Solver(PROBLEMS["mis"], **settings, num_threads=THREADS), graphs[:THREADS]))
            yield row | measure(graphs, settings)


def measure(graphs: Graph, settings: dict[str, Any]) -> Row:
    """Return values, bounds and times of graphs that are solved with some settings."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = list(solve_each(Solver(PROBLEMS["mis"], **settings, num_threads=THREADS), graphs))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    seconds, nodes = np.array([each.seconds for each in found]), np.diff(graphs.node_ptr)
    bounds = np.array([np.inf if each.bound is None else each.bound for each in found])
    return {
        "mean": float(np.mean([each.value for each in found])),
        "proven": sum(each.optimal for each in found),
        "trivial": int(np.count_nonzero(bounds >= nodes)),
        "worst_bound": float(bounds.max()),
        "wall": wall,
        "cpu": cpu,
        "median": float(np.median(seconds)),
        "kept": float(np.mean(seconds < WITHIN * settings["time_limit"])),
    }


def table(rows: list[Row]) -> str:
    """Return a line per setting and number of graphs, and below what the goals say."""
    names = ("settings", "graphs", "mean value", "proven", "trivial bounds", "wall", "CPU", "below 1.2 limits")
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for row in rows:
        values = f"{row['mean']:.3f} | {row['proven']} | {row['trivial']}"
        times = f"{row['wall']:.1f} s | {row['cpu']:.1f} s | {100 * row['kept']:.2f} %"
        lines.append(f"| {row['settings']} | {row['graphs']:,} | {values} | {times} |")
    for count in sorted({row["graphs"] for row in rows}):
        both = {row["settings"]: row for row in rows if row["graphs"] == count}
        if REFERENCE in both and STOPPED in both:
            lines.append(f"\n{count:,} graphs: " + "; ".join(verdicts(both[REFERENCE], both[STOPPED])))
    return "\n".join(lines)


def verdicts(reference: Row, stopped: Row) -> list[str]:
    """Return whether each goal is met.

    Example:
        >>> slow = {"mean": 89.0, "wall": 250.0, "kept": 1.0, "trivial": 0}
        >>> verdicts(slow, slow | {"wall": 50.0})[0]
        'time 0.20 of 0.1 s (met)'
    """
    share = stopped["wall"] / reference["wall"]
    lost = reference["mean"] - stopped["mean"]
    checks = {
        f"time {share:.2f} of {REFERENCE}": share <= GOALS["share of time"],
        f"mean {stopped['mean']:.3f} for {reference['mean']:.3f}": lost <= GOALS["lost"],
        f"limits kept on {100 * stopped['kept']:.2f} %": stopped["kept"] >= GOALS["kept"],
        f"{stopped['trivial']} trivial bounds": stopped["trivial"] == 0,
    }
    return [f"{text} ({'met' if met else 'not met'})" for text, met in checks.items()]


def memory_rows(sizes: tuple[int, ...]) -> Iterator[Row]:
    """Solve graphs block by block, and tell the memory of the process when so many are done."""
    # Quick proofs, so that it is memory and not time that is spent.
    generator, bounds = np.random.default_rng(SEED), find_bounds("gains")
    solver = Solver(PROBLEMS["mis"], moves=1_000, patience="20%", bounds=bounds, num_threads=THREADS)
    for done in range(BLOCK, max(sizes) + 1, BLOCK):
        for _ in solve_each(solver, draw(BLOCK, generator)):
            pass
        if done in sizes:
            yield {"memory": _resident(), "graphs": done}


def memory_table(rows: list[Row]) -> str:
    """Return the memory by the number of graphs, and whether it is flat."""
    lines = ["| graphs | memory |", "|---|---|"]
    # Of several runs the last counts, since the memory is that of one process.
    rows = list({row["graphs"]: row for row in sorted(rows, key=lambda row: int(row["graphs"]))}.values())
    lines += [f"| {row['graphs']:,} | {row['memory'] / 2**20:.0f} MiB |" for row in rows]
    if len(rows) > 1:
        growth = rows[-1]["memory"] / rows[0]["memory"]
        lines.append(f"\n{growth:.2f} times the first ({'met' if growth <= MEMORY_GROWTH else 'not met'})")
    return "\n".join(lines)


def _resident() -> int:
    """Return the bytes of memory that this process has now; Linux tells."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _key(row: Row) -> tuple[object, ...]:
    return tuple(row.get(name) for name in ("settings", "graphs"))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sizes = lambda text: tuple(int(part) for part in text.split(","))  # noqa: E731
    parser.add_argument("--graphs", type=int, default=NUM_GRAPHS, help="how many graphs are solved")
    parser.add_argument("--memory", action="store_true", help="measure memory instead")
    parser.add_argument("--sizes", type=sizes, default=MEMORY_SIZES, help="after how many graphs, multiples of 1,000")
    parser.add_argument("--table", action="store_true", help="print the tables, run nothing")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/stopping.jsonl"), help="JSON lines")
    return parser.parse_args()


if __name__ == "__main__":
    main()
