"""Measure by how much `solve` overruns its time limit, and how soon it answers Ctrl-C.

python benchmarks/time_limits.py                       # limits, about 15 minutes on an idle machine, then the table
python benchmarks/time_limits.py --interrupts          # Ctrl-C in every phase, about 8 minutes, then the table
python benchmarks/time_limits.py --table               # the tables of the rows so far

A limit counts from the call of `solve` on a graph in memory to its return, so that set-up, search, bounds and the final
score are all inside; a small graph is solved first, so that nothing is imported meanwhile. Ctrl-C is sent to `annealco
solve` as a program of its own, which tells when it begins to read, decode, search, prove and score; before that it is
loading. What is measured is the time from the signal to the first line of the answer, and to the end of the program
with all its output. Rows go to --out.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
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
"""Of limits below a second; longer ones are measured once."""

GOALS = {True: (0.02, 0.005), False: (0.05, 0.05)}
"""Goals up to 100,000 nodes and above: share of the limit, or seconds, whichever is more."""

INTERRUPT_SIZES = (1_000, 100_000, 1_000_000)
DELAYS = {"loading": (0.03, 0.08), "reading": (0.0, 0.02), "decoding": (0.002, 0.1), "search": (0.002, 0.1)} | {
    "bound": (0.002, 0.1, 0.3),
    "score": (0.002, 0.1),
}
"""Seconds from the beginning of a phase to Ctrl-C; short phases may be over by then."""

INTERRUPT_GOAL = 0.05
INTERRUPTED_LARGE = ("mis", "max_cut")
"""Problems that are interrupted on the largest graph, one of sets and one of pairs."""

TELLING = """
import os, sys

def telling(module, name, phase, after=None):
    work = getattr(module, name)
    def tell(*given, **options):
        os.write(TOLD, phase + b"\\n")
        found = work(*given, **options)
        if after:
            os.write(TOLD, after + b"\\n")
        return found
    setattr(module, name, tell)

from annealco.__main__ import main

class Finder:
    # Wraps what the phases begin with just before the command imports it: until then it is loading.
    def find_spec(self, name, *_):
        if name == "annealco.graph.formats.named":
            sys.meta_path.remove(self)
            from annealco.graph import formats
            from annealco.solving import pipeline
            telling(formats, "read_graph", b"reading")
            telling(pipeline, "_pose", b"decoding")
            telling(pipeline, "_search", b"search")
            telling(pipeline, "_prove", b"bound")
            telling(pipeline, "_search_and_prove", b"set up", b"score")

sys.meta_path.insert(0, Finder())
sys.exit(main())
"""


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
    print(interrupt_table([row for row in rows if "phase" in row]))


def make_graph(size: int) -> Graph:
    """Return a Barabási–Albert graph of so many nodes."""
    return barabasi_albert(np.random.default_rng(SEED), num_nodes=size, attachment=4)


def options_of(problem: str, graph: Graph) -> dict[str, tuple[float, float]]:
    """Return what a problem must be told: volumes between a tenth and a third of all."""
    volume = 2.0 * graph.num_edges
    return {"volume": (0.1 * volume, 0.3 * volume)} if problem in {"cut", "conductance"} else {}


def limit_rows(sizes: tuple[int, ...], measured: set[tuple[object, ...]]) -> Iterator[Row]:
    """Measure limits, some of them repeatedly."""
    dense = generate("rb-large", count=1, seed=SEED)[0]
    for problem in PROBLEMS:
        small = make_graph(200)
        annealco.solve(small, problem, time_limit=1.0, **options_of(problem, small))
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
                            yield row | {"seconds": [_timed(graph, row) for _ in range(REPEATS if limit < 1 else 1)]}


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
    # A shell lets what it runs in the background ignore Ctrl-C, and programs inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as folder:
        for size in INTERRUPT_SIZES:
            graph, file = make_graph(size), Path(folder) / f"{size}.col"
            write_graph(graph, file)
            for problem in INTERRUPTED_LARGE if size == max(INTERRUPT_SIZES) else PROBLEMS:
                # What is proven of a sum says too little about a quotient, so that there is no bound.
                for phase, delays in DELAYS.items():
                    for delay in () if (problem, phase) == ("conductance", "bound") else delays:
                        row: Row = {"size": size, "problem": problem, "phase": phase, "delay": delay}
                        if _key(row) not in measured:
                            yield row | _interrupted(graph, file, row)


def _interrupted(graph: Graph, file: Path, row: Row) -> Row:
    """Return how long a program took to answer Ctrl-C, and to end, and with what status; none where it ended before."""
    flags = [f"--{key}={low:.0f}:{high:.0f}" for key, (low, high) in options_of(row["problem"], graph).items()]
    # A score comes last, so that it is reached soon where the time is short.
    seconds = 0.3 + graph.num_nodes / 500_000 if row["phase"] == "score" else 60.0
    told, telling = os.pipe()
    program = TELLING.replace("TOLD", str(telling))
    command = [sys.executable, "-c", program, "solve", row["problem"], str(file), f"--time-limit={seconds}", "--json"]
    # Sets of large graphs do not fit into a pipe that nobody reads.
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen([*command, *flags], stdout=output, stderr=subprocess.PIPE, pass_fds=[telling]) as process,
    ):
        os.close(telling)
        with os.fdopen(told) as phases:
            reached = row["phase"] == "loading" or _is_reached(row["phase"], phases)
            time.sleep(row["delay"])
            if not reached or process.poll() is not None:
                process.communicate()
                return {"answer": None, "seconds": None, "status": process.returncode}
            process.send_signal(signal.SIGINT)
            began = time.perf_counter()
            assert process.stderr is not None
            process.stderr.readline()
            answer = time.perf_counter() - began
            process.communicate()
            return {"answer": answer, "seconds": time.perf_counter() - began, "status": process.returncode}


def _is_reached(phase: str, told: Iterable[str]) -> bool:
    """Wait for a phase; tell whether it was reached before the program ended.

    Raises:
        RuntimeError: where no phase was told at all, since then what is wrapped has moved.
    """
    line = ""
    for line in told:
        if line.strip() == phase:
            return True
    if not line:
        raise RuntimeError("the program told no phase: have the functions that it wraps moved?")
    return False


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
    """Return the longest answers to Ctrl-C by size and phase."""
    lines = [
        "| nodes | phase | signals | first line | within 50 ms | end of the program | within 50 ms |",
        "|---|---|---|---|---|---|---|",
    ]
    for size in INTERRUPT_SIZES:
        for phase in DELAYS:
            own = [row for row in rows if row["size"] == size and row["phase"] == phase and row["answer"] is not None]
            if own:
                cells = [f"{size:,}", phase, str(len(own))]
                for name in ("answer", "seconds"):
                    within = sum(row[name] <= INTERRUPT_GOAL for row in own)
                    cells += [f"{1000 * max(row[name] for row in own):.0f} ms", f"{within} of {len(own)}"]
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _key(row: Row) -> tuple[object, ...]:
    return tuple(row.get(name) for name in ("kind", "size", "problem", "bound", "threads", "limit", "phase", "delay"))


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
