"""Measure the way from a file to an answer on a graph with a million nodes and four million edges.

python benchmarks/large_graphs.py                                  # all cells, then the table
OTHER/bin/python benchmarks/large_graphs.py --version 0.1          # another installation beside it
python benchmarks/large_graphs.py --table                          # the table of the rows so far

All times are CPU seconds. Stages are those of one process that reads the file and declares and scores each problem in
turn; `solve` is a process of its own, `annealco solve PROBLEM FILE --time-limit 0.3`, from its start to its end. The
graph is drawn once, and kept in a temporary folder. Rows are appended to --out.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from json_lines import Row, append, read_lines

from annealco.graph.formats import read_graph, write_graph
from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS

SEED, ATTACHMENT = 5, 4
SOLVED = ("mis", "mds", "max_cut", "clique")
DECLARED = (*SOLVED, "vertex_cover", "cut")
TIME_LIMIT = 0.3
STAGES = "stages"


def main() -> None:
    """Run one cell, or all that are missing, and print the table."""
    options = _parse()
    if options.cell:
        print(json.dumps(measure_stages(Path(options.cell))))
        return
    file = _file(options.nodes)
    done = {(row["version"], row["nodes"], row["cell"]) for row in read_lines(options.out)}
    for cell in () if options.table else (STAGES, *SOLVED):
        if (options.version, options.nodes, cell) not in done:
            measured = _run_stages(file) if cell == STAGES else _run_solve(file, cell)
            row = {"version": options.version, "nodes": options.nodes, "cell": cell} | measured
            append(options.out, row)
            print(row, flush=True)
    print(table(read_lines(options.out)))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000, help="number of nodes")
    parser.add_argument("--version", default="this", help="what the rows call this installation")
    parser.add_argument("--out", type=Path, default=Path("large_graphs.jsonl"), help="rows, as JSON lines")
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    parser.add_argument("--cell", metavar="FILE", help="measure the stages of a file, here")
    return parser.parse_args()


def _file(num_nodes: int) -> Path:
    """Return the file of the graph, which is drawn where it is not there yet."""
    file = Path(tempfile.gettempdir()) / "annealco-large-graphs" / f"ba-{num_nodes}-{ATTACHMENT}-{SEED}.col"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng([SEED, num_nodes])
        write_graph(barabasi_albert(rng, num_nodes=num_nodes, attachment=ATTACHMENT), file)
    return file


def _run_stages(file: Path) -> Row:
    command = [sys.executable, __file__, "--cell", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    return json.loads(done.stdout)


def _run_solve(file: Path, problem: str) -> Row:
    """Solve in a process of its own; compiled code, where it is compiled at first use, is warm."""
    command = [sys.executable, "-m", "annealco", "solve", problem]
    flags = ["--time-limit", str(TIME_LIMIT), "--json"]
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.col"
        write_graph(barabasi_albert(np.random.default_rng(SEED), num_nodes=100, attachment=ATTACHMENT), small)
        subprocess.run([*command, str(small), *flags], capture_output=True, timeout=600, check=True)
    begun = _children()
    done = subprocess.run([*command, str(file), *flags], capture_output=True, text=True, timeout=600, check=True)
    answer = json.loads(done.stdout)
    told = {key: answer[key] for key in ("value", "bound", "method", "seconds")}
    return {"solve": round(_children() - begun, 3), **told}


def _children() -> float:
    """Return the CPU seconds of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure_stages(file: Path) -> Row:
    """Read a file, build its graph again from edges in and out of order, declare and score."""
    row: Row = {"start": round(time.process_time(), 3)}
    row["read"], graph = _timed(lambda: read_graph(file))
    order = np.random.default_rng(SEED).permutation(graph.num_edges)
    for name, edges in (("sorted", graph.edges), ("shuffled", graph.edges[:, order])):
        long = edges.astype(np.int64)
        row[f"from_edges {name}"] = _timed(lambda long=long: Graph.from_edges(long, graph.num_nodes))[0]
    for name in DECLARED:
        # A new graph each time: it remembers its rows and degrees, which are part of what a declaration takes.
        own = graph.with_weights()
        row[f"declare {name}"], instance = _timed(lambda name=name, own=own: PROBLEMS[name].declare(own))
        del instance
        nodes = _some_set(name, graph)
        row[f"score {name}"], value = _timed(lambda name=name, nodes=nodes: PROBLEMS[name].score(graph, nodes))
        if value is None:
            raise RuntimeError(f"the set for {name} is not feasible")
    # Linux counts in KiB, macOS in bytes.
    unit = 2**10 if sys.platform != "darwin" else 1
    return row | {"peak": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30, 3)}


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.process_time()
    result = work()
    return round(time.process_time() - begun, 3), result


def _some_set(name: str, graph: Graph) -> list[int]:
    """Return a feasible set: nodes that come before all their neighbours, an edge, or about half of the volume."""
    low, high = graph.edges
    if name == "clique":
        return [int(low[0]), int(high[0])]
    if name in {"max_cut", "cut"}:
        volume = np.cumsum(np.bincount(graph.edges.reshape(-1), minlength=graph.num_nodes))
        return np.flatnonzero(volume <= volume[-1] / 2).tolist()
    first = np.ones(graph.num_nodes, dtype=np.bool_)
    first[high] = False
    return np.flatnonzero(first if name == "mis" else np.ones_like(first)).tolist()


def table(rows: list[Row]) -> str:
    """Return CPU seconds as Markdown, a column for each installation."""
    versions = list(dict.fromkeys((row["version"], row["nodes"]) for row in rows))
    cells: dict[str, dict[tuple[str, int], float]] = {}
    for row in rows:
        named = {"solve": f"solve {row['cell']}"}
        for key, value in row.items():
            if isinstance(value, float) and key not in {"value", "bound", "seconds"}:
                cells.setdefault(named.get(key, key), {})[row["version"], row["nodes"]] = value
    head = [f"| CPU seconds (peak: GiB) | {' | '.join(f'{name}, {nodes:,} nodes' for name, nodes in versions)} |"]
    lines = [
        f"| {name} | {' | '.join(f'{found[each]:.3f}' if each in found else '-' for each in versions)} |"
        for name, found in cells.items()
    ]
    return "\n".join([*head, "|---" * (len(versions) + 1) + "|", *lines])


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
