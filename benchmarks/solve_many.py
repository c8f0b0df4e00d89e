"""Measure streams of graphs: memory from 10³ to 10⁵ graphs, the rates of the parts, and one worker of Ray against two.

python benchmarks/solve_many.py                       # all cells, about twenty minutes, then the table
python benchmarks/solve_many.py --kinds memory,parts  # without Ray
python benchmarks/solve_many.py --table               # the table of the rows so far

Graphs are Barabási–Albert graphs of 200 nodes, 1,000 in a shard. Every cell is a process of its own, so that its peak
memory is its own. Cells of workers want an idle machine: what they tell in CPU seconds holds on a busy one too.
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
from collections.abc import Iterator
from pathlib import Path

from json_lines import Row, append, read_lines

import annealco
from annealco.graph.formats.named import stem, with_names
from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.graph import Graph
from annealco.solving.result_files import key_of, open_results

NUM_NODES, ATTACHMENT = 200, 4
SHARD = 1000
COUNTS = (1_000, 10_000, 100_000)
PLACES = ("none", "file", "folder")
QUICK = {"polish": False, "bound": False}
"""Decoding alone: what is measured is the stream, not the search."""

WORKERS = (1, 2)
BUDGETS: dict[str, dict[str, float]] = {"seconds": {"time_limit": 0.02}, "moves": {"moves": 20_000, "time_limit": 60.0}}
"""What each graph gets in the workers: with seconds, values depend on the machine; with moves, the time does."""

NUM_SOLVED = 4_000
PROPOSED = "benchmarks/results/solve_many.jsonl"


def main() -> None:
    """Run one cell, or all that are missing, and print the table."""
    options = _parse()
    if options.cell:
        kind, *rest = options.cell
        print(json.dumps(CELLS[kind](*rest)))
        return
    done = {tuple(row["cell"]) for row in read_lines(options.out)}
    for cell in [] if options.table else _cells(options.kinds):
        if cell not in done:
            row = _run(cell)
            append(options.out, row)
            print(row, flush=True)
    print(table(read_lines(options.out)))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", default="parts,memory,workers", help="kinds of cells, with commas between")
    parser.add_argument("--out", type=Path, default=Path(PROPOSED), help="rows, as JSON lines")
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    parser.add_argument("--cell", nargs="+", metavar="PART", help="measure one cell, here")
    return parser.parse_args()


def _cells(kinds: str) -> Iterator[tuple[str, ...]]:
    for kind in kinds.split(","):
        if kind == "parts":
            yield ("parts",)
        if kind == "memory":
            yield from (("memory", place, str(count)) for place in PLACES for count in COUNTS)
        if kind == "workers":
            yield from (("workers", budget, str(number)) for budget in BUDGETS for number in WORKERS)


def _run(cell: tuple[str, ...]) -> Row:
    done = subprocess.run([sys.executable, __file__, "--cell", *cell], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"cell": list(cell), "error": done.stderr.strip()[-300:]}
    return {"cell": list(cell), **json.loads(done.stdout.splitlines()[-1])}


def draw(count: int) -> Graph:
    """Draw graphs as a batch."""
    import numpy as np

    rng = np.random.default_rng(0)
    return Graph.batch([barabasi_albert(rng, num_nodes=NUM_NODES, attachment=ATTACHMENT) for _ in range(count)])


def write_shards(place: str, number: str) -> Row:
    """Write one shard, and name it as often as is needed: graphs are told apart by the names of their files."""
    folder, count = Path(place), int(number)
    annealco.write_graph(draw(min(count, SHARD)), folder / "graphs.npz")
    (folder / "shards").mkdir()
    for shard in range(max(1, count // SHARD)):
        os.link(folder / "graphs.npz", folder / "shards" / f"{shard:06}.npz")
    return {}


def measure_memory(place: str, count: str) -> Row:
    """Solve a stream of so many graphs, and then the same call again, which finds all of them done."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # In a process of its own: drawing takes more memory than solving.
        subprocess.run([sys.executable, __file__, "--cell", "shards", name, count], check=True, capture_output=True)
        out = {"none": None, "file": folder / "out.jsonl", "folder": f"{folder}/out/"}[place]
        list(annealco.solve_many(draw(2), "mis", **QUICK))
        before = _peak()
        row: Row = {"graphs": int(count), "peak_start": before}
        for part in ("", "again_"):
            started, begun, solved = time.perf_counter(), time.process_time(), 0
            for _ in annealco.solve_many(folder / "shards", "mis", out=out, **QUICK):
                solved += 1
            row |= {
                f"{part}solved": solved,
                f"{part}wall": round(time.perf_counter() - started, 3),
                f"{part}cpu": round(time.process_time() - begun, 3),
                f"{part}peak": _peak(),
            }
            if out is None:
                break
    return row


def measure_parts() -> Row:
    """Measure CPU seconds per graph of reading, telling apart and writing, and the bytes of a graph and of a row."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_shards(name, str(SHARD))
        shard = folder / "graphs.npz"
        begun = time.process_time()
        graphs = with_names(annealco.read_graph(shard), stem(shard))
        row: Row = {"read": time.process_time() - begun, "shard_bytes": shard.stat().st_size}
        names = graphs.graph_data["name"].tolist()
        begun = time.process_time()
        keys = [key_of(graph, each) for graph, each in zip(graphs, names, strict=True)]
        row["keys"] = time.process_time() - begun
        solved = list(annealco.solve_many(graphs, "mis", num_threads=1, **QUICK))
        begun = time.process_time()
        with open_results(folder / "out.jsonl", {"problem": "mis"}) as results:
            results.missing(None, keys)
            for key, solution in zip(keys, solved, strict=True):
                results.write(None, key, solution)
        row["write"] = time.process_time() - begun
        row["row_bytes"] = (folder / "out.jsonl").stat().st_size
    return {key: value / SHARD for key, value in row.items()}


def measure_workers(budget: str, number: str) -> Row:
    """Solve graphs with a budget in the workers of a cluster with so many processors."""
    import psutil
    import ray

    graphs, settings = draw(NUM_SOLVED), {**BUDGETS[budget], "bound": False, "ray": "auto"}
    ray.init(address="local", num_cpus=int(number), include_dashboard=False, log_to_driver=False)

    def workers() -> float:
        found = [each for each in psutil.process_iter(["cmdline", "cpu_times"]) if each.info["cmdline"]]
        return sum(sum(each.info["cpu_times"][:2]) for each in found if each.info["cmdline"][0].startswith("ray::"))

    # Workers have been started, and have imported what they need.
    list(annealco.solve_many(graphs[:200], "mis", **settings))
    started, begun, before = time.perf_counter(), time.process_time(), workers()
    values = [each.value for each in annealco.solve_many(graphs, "mis", **settings)]
    wall = time.perf_counter() - started
    row = {
        "graphs": len(values),
        "mean_value": sum(values) / len(values),
        "wall": round(wall, 3),
        "cpu_workers": round(workers() - before, 3),
        "cpu_driver": round(time.process_time() - begun, 3),
        "load": os.getloadavg()[0],
    }
    ray.shutdown()
    return row


CELLS = {"memory": measure_memory, "parts": measure_parts, "workers": measure_workers, "shards": write_shards}


def _peak() -> float:
    """Return the most memory that this process has had, in MB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def table(rows: list[Row]) -> str:
    """Return the rows as tables."""
    lines = [
        "| written to | graphs | peak MB | s | CPU ms per graph | again: peak MB | again: s |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        if row["cell"][0] == "memory" and "error" not in row:
            again = f"{row['again_peak']:.0f} | {row['again_wall']:.1f}" if "again_peak" in row else "- | -"
            figures = f"{row['peak']:.0f} | {row['wall']:.1f} | {1000 * row['cpu'] / row['graphs']:.2f} | {again}"
            lines.append(f"| {row['cell'][1]} | {row['graphs']:,} | {figures} |")
    for row in rows:
        if row["cell"][0] == "parts" and "error" not in row:
            parts = ", ".join(f"{name} {1e6 * row[name]:.0f} µs" for name in ("read", "keys", "write"))
            lines.append(
                f"\nper graph: {parts}; {row['shard_bytes']:.0f} bytes in a shard, {row['row_bytes']:.0f} as a row"
            )
    for budget in BUDGETS:
        lines += _worker_lines(
            budget, [row for row in rows if row["cell"][:2] == ["workers", budget] and "error" not in row]
        )
    return "\n".join(lines)


def _worker_lines(budget: str, rows: list[Row]) -> list[str]:
    lines, rates = [], [row["graphs"] / row["wall"] for row in rows]
    for row, rate in zip(rows, rates, strict=True):
        worker, driver = (1000 * row[f"cpu_{part}"] / row["graphs"] for part in ("workers", "driver"))
        cost = f"workers {worker:.2f} CPU ms and driver {driver:.2f} CPU ms per graph"
        lines.append(f"\n{budget}, {row['cell'][2]} worker(s): {rate:.1f} graphs/s, {cost}, load {row['load']:.1f}")
    if len(rows) == len(WORKERS):
        lines.append(f"\n{budget}: two workers solve {rates[1] / rates[0]:.2f} times as many per second as one")
    return lines


if __name__ == "__main__":
    main()
