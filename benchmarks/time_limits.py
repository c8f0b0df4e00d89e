"""Measure by how much `solve` overruns its time limit, and how soon it answers Ctrl-C.

python benchmarks/time_limits.py                       # limits, about 15 minutes on an idle machine, then the table
python benchmarks/time_limits.py --interrupts          # Ctrl-C in every phase, about 5 minutes, then the table
python benchmarks/time_limits.py --table               # the tables of the rows so far

A limit counts from the call of `solve` on a graph in memory to its return, so that set-up, search, bounds and the final
score are all inside. Ctrl-C is sent to `annealco solve` as a program of its own, at moments spread over its run; what
counts is the time from the signal to the end of the program, its last output included. Rows go to --out.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from json_lines import Row, append, read_lines

import annealco
from annealco.graph.formats import write_graph
from annealco.graph.generators import generate
from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.graph import Graph

SEED = 5
PROBLEMS = ("mis", "clique", "mds", "max_cut", "cut", "vertex_cover", "conductance")
SIZES = (1_000, 10_000, 100_000, 1_000_000)
LIMITS = {1_000: (0.05, 0.3, 2.0), 10_000: (0.1, 0.3, 2.0), 100_000: (0.5, 2.0), 1_000_000: (2.0, 10.0)}
REPEATS = 3

GOALS = {True: (0.02, 0.005), False: (0.05, 0.05)}
"""Goals up to 100,000 nodes and above: share of the limit, or seconds, whichever is more."""

INTERRUPT_SIZES = (1_000, 10_000, 100_000)
INTERRUPT_MOMENTS = (0.05, 0.2, 0.5, 0.8, 1.3, 2.1)
INTERRUPT_GOAL = 0.05


def main() -> None:
    """Measure what is missing, and print the tables."""
    options = _parse()
    rows = read_lines(options.out)
    if not options.table:
        measured = {_key(row) for row in rows}
        for row in interrupt_rows(measured) if options.interrupts else limit_rows(options.sizes, measured):
            append(options.out, row)
            print(row, flush=True)
    rows = read_lines(options.out)
    print(limit_table([row for row in rows if "limit" in row]))
    print(interrupt_table([row for row in rows if "moment" in row]))


def make_graph(size: int) -> Graph:
    """Return a Barabási–Albert graph of so many nodes."""
    return barabasi_albert(np.random.default_rng(SEED), num_nodes=size, attachment=4)


def options_of(problem: str, graph: Graph) -> dict[str, tuple[float, float]]:
    """Return what a problem must be told: volumes between a tenth and a third of all."""
    volume = 2.0 * graph.num_edges
    return {"volume": (0.1 * volume, 0.3 * volume)} if problem in {"cut", "conductance"} else {}


def limit_rows(sizes: tuple[int, ...], measured: set[tuple[object, ...]]) -> Iterator[Row]:
    """Measure limits, the median of some repeats each."""
    dense = generate("rb-large", count=1, seed=SEED)[0]
    for size in sizes:
        graphs = {"ba": make_graph(size)} | ({"rb-large": dense} if size == sizes[0] else {})
        for kind, graph in graphs.items():
            for problem in PROBLEMS:
                for bound, threads in ((True, 1), (False, 1), (True, 2)):
                    for limit in LIMITS[size]:
                        row: Row = {
                            "kind": kind,
                            "size": graph.num_nodes,
                            "problem": problem,
                            "bound": bound,
                            "threads": threads,
                            "limit": limit,
                        }
                        if _key(row) not in measured:
                            yield row | {"seconds": [_timed(graph, row) for _ in range(REPEATS)]}


def _timed(graph: Graph, row: Row) -> float:
    began = time.perf_counter()
    annealco.solve(
        graph,
        row["problem"],
        time_limit=row["limit"],
        bound=row["bound"],
        restarts=row["threads"],
        num_threads=row["threads"],
        **options_of(row["problem"], graph),
    )
    return time.perf_counter() - began


def interrupt_rows(measured: set[tuple[object, ...]]) -> Iterator[Row]:
    """Send Ctrl-C to programs that would go on for a minute."""
    with tempfile.TemporaryDirectory() as folder:
        for size in INTERRUPT_SIZES:
            graph, file = make_graph(size), Path(folder) / f"{size}.npz"
            write_graph(graph, file)
            for problem in PROBLEMS:
                for moment in INTERRUPT_MOMENTS:
                    row: Row = {"size": size, "problem": problem, "moment": moment}
                    if _key(row) not in measured:
                        yield row | _interrupted(problem, graph, file, moment)


def _interrupted(problem: str, graph: Graph, file: Path, moment: float) -> Row:
    """Return how long a program took to end after Ctrl-C, and with what status."""
    flags = [
        f"--{key}={':'.join(f'{each:.0f}' for each in value)}" for key, value in options_of(problem, graph).items()
    ]
    command = [sys.executable, "-m", "annealco", "solve", problem, str(file), "--time-limit=60", "--json", *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        began = time.perf_counter()
        process.communicate()
        return {"seconds": time.perf_counter() - began, "status": process.returncode}


def limit_table(rows: list[Row]) -> str:
    """Return the worst overrun of every size and problem, of the medians of repeats, and whether all are within."""
    lines = ["| nodes | problem | limits | worst overrun | share | within |", "|---|---|---|---|---|---|"]
    for size in sorted({row["size"] for row in rows}):
        for problem in PROBLEMS:
            own = [row for row in rows if row["size"] == size and row["problem"] == problem]
            if own:
                over = [float(np.median(row["seconds"])) - row["limit"] for row in own]
                worst = int(np.argmax([each / allowed(row) for each, row in zip(over, own, strict=True)]))
                share = over[worst] / own[worst]["limit"]
                within = sum(each <= allowed(row) for each, row in zip(over, own, strict=True))
                limits = ", ".join(f"{each:g}" for each in sorted({row["limit"] for row in own}))
                cells = f"{1000 * over[worst]:.1f} ms | {100 * share:.1f} % | {within} of {len(own)}"
                lines.append(f"| {size:,} | {problem} | {limits} s | {cells} |")
    return "\n".join(lines)


def allowed(row: Row) -> float:
    """Return the seconds by which a limit may be overrun."""
    share, seconds = GOALS[row["size"] <= 100_000]
    return max(share * row["limit"], seconds)


def interrupt_table(rows: list[Row]) -> str:
    """Return the longest answers to Ctrl-C."""
    lines = ["| nodes | problem | longest | within 50 ms |", "|---|---|---|---|"]
    for size in INTERRUPT_SIZES:
        for problem in PROBLEMS:
            own = [row["seconds"] for row in rows if row["size"] == size and row["problem"] == problem]
            if own:
                within = sum(each <= INTERRUPT_GOAL for each in own)
                lines.append(f"| {size:,} | {problem} | {1000 * max(own):.0f} ms | {within} of {len(own)} |")
    return "\n".join(lines)


def _key(row: Row) -> tuple[object, ...]:
    return tuple(row.get(name) for name in ("kind", "size", "problem", "bound", "threads", "limit", "moment"))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sizes = lambda text: tuple(int(part) for part in text.split(","))  # noqa: E731
    parser.add_argument("--sizes", type=sizes, default=SIZES, help="numbers of nodes, separated by commas")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/time_limits.jsonl"), help="JSON lines")
    parser.add_argument("--table", action="store_true", help="print the tables, run nothing")
    parser.add_argument("--interrupts", action="store_true", help="measure Ctrl-C instead of limits")
    return parser.parse_args()


if __name__ == "__main__":
    main()
