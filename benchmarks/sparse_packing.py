"""Compare independent sets and vertex covers of large sparse graphs with CHILS, ReduMIS and OnlineMIS of chszlablib.

python benchmarks/sparse_packing.py --nodes 10000 50000 --graphs 1 2 3     # the cells that are missing, then the table
python benchmarks/sparse_packing.py --nodes 1000000 --limits 1 5 20
python benchmarks/sparse_packing.py --table                                # the table of the rows so far, as Markdown

Graphs: Barabási–Albert with 4 edges per node, random geometric of degree 8, power-law cluster (Holme and Kim, 2002)
with 4 edges per node, and a square grid of which half the squares have a diagonal. Weights are uniform from 1 to 200.
Graph 0 of each kind is the one that the search was tuned on; the table is about the others.
Every run is a process of its own with one thread, in which all clocks show its CPU seconds
(``peers/cpu_clock.c``), so that other processes on the machine take no time from a limit. What a run took stands in its
row, since peers look at their limits now and then only; one that takes three times its limit and half a minute is
ended, and where it had nothing by then, shorter limits are not tried.
Reading and drawing are not timed, declaring a problem is. A vertex cover of theirs is what their independent set leaves
out. A row is appended to --out as soon as it is there, and what is there is not run again.
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
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from geometric import random_geometric
from json_lines import Row, append, read_lines

from annealco import solve
from annealco.baselines.external.kamis import run_chils, run_online_mis, run_redu_mis
from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS

OUT = Path(__file__).parent / "results" / "sparse_packing.jsonl"
FAMILIES = ("ba", "geometric", "cluster", "grid")
MOST_WEIGHT, ATTACHMENT, TRIANGLES = 200, 4, 0.5
OURS = "annealco"
METHODS = {"chils": run_chils, "redumis": run_redu_mis, "online_mis": run_online_mis}
KINDS = {
    ("mis", True): (OURS, "chils"),
    ("mis", False): (OURS, "redumis", "online_mis"),
    ("vertex_cover", False): (OURS,),
}
"""Who runs on which problem, with weights or without."""

KEYS = ("family", "nodes", "problem", "weighted", "limit", "method", "graph", "seed")
LIMITS = (1.0, 5.0, 20.0)
TUNED = 0
"""The graph that the search was tuned on."""

HARD_LIMIT, HARD_SECONDS = 3.0, 30.0
"""A run that takes this many times its limit, and so many seconds more, is ended."""

CLOCK = Path(__file__).parent / "peers" / "cpu_clock.c"


def power_law_cluster(rng: np.random.Generator, *, num_nodes: int) -> Graph:
    """Draw a graph that grows by edges to popular nodes, each followed by one to a neighbour of these with a chance."""
    neighbours: list[list[int]] = [[] for _ in range(num_nodes)]
    popular = list(range(ATTACHMENT))
    numbers = iter(rng.random(12 * ATTACHMENT * num_nodes).tolist())
    edges = []
    for node in range(ATTACHMENT, num_nodes):
        chosen: dict[int, None] = {}
        last: int | None = None
        while len(chosen) < ATTACHMENT:
            target = None
            if last is not None and neighbours[last] and next(numbers) < TRIANGLES:
                target = neighbours[last][int(next(numbers) * len(neighbours[last]))]
            if target is None or target in chosen:
                target = popular[int(next(numbers) * len(popular))]
            if target not in chosen:
                chosen[target] = None
                last = target
        for target in chosen:
            neighbours[node].append(target)
            neighbours[target].append(node)
            edges.append((target, node))
            popular.append(target)
        popular.extend([node] * ATTACHMENT)
    return Graph.from_edges(np.array(edges).T, num_nodes)


def grid_like(rng: np.random.Generator, *, num_nodes: int) -> Graph:
    """Draw a square grid of which a quarter of the squares have a falling diagonal, and a quarter a rising one."""
    side = int(np.sqrt(num_nodes))
    node = np.arange(side * side).reshape(side, side)
    ends = [(node[:, :-1], node[:, 1:]), (node[:-1], node[1:])]
    kind = rng.integers(0, 4, (side - 1, side - 1))
    ends += [(node[:-1, :-1][kind == 1], node[1:, 1:][kind == 1]), (node[:-1, 1:][kind == 2], node[1:, :-1][kind == 2])]
    pairs = np.stack([np.concatenate([each[i].ravel() for each in ends]) for i in (0, 1)])
    return Graph.from_edges(pairs, side * side)


def file_of(family: str, num_nodes: int, number: int) -> Path:
    """Return where a graph is kept."""
    return Path(tempfile.gettempdir()) / "annealco-sparse-packing" / f"{family}-{num_nodes}-{number}.npz"


def draw(family: str, num_nodes: int, number: int, *, weighted: bool) -> Graph:
    """Return the graph of a cell; drawn once, then kept in a temporary folder."""
    file = file_of(family, num_nodes, number)
    if not file.exists():
        rng = np.random.default_rng([num_nodes, FAMILIES.index(family), number][: 2 if number == TUNED else 3])
        if family == "ba":
            graph = barabasi_albert(rng, num_nodes=num_nodes, attachment=ATTACHMENT)
        elif family == "geometric":
            graph = random_geometric(rng, num_nodes=num_nodes)
        else:
            graph = (power_law_cluster if family == "cluster" else grid_like)(rng, num_nodes=num_nodes)
        weight = rng.integers(1, MOST_WEIGHT + 1, graph.num_nodes)
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}.npz")
        np.savez(part, edges=graph.edges, weight=weight)
        part.replace(file)
    with np.load(file) as stored:
        weight = stored["weight"].astype(float) if weighted else None
        return Graph.from_edges(stored["edges"], len(stored["weight"]), node_weight=weight)


def found_by(cell: Row, graph: Graph, limit: float) -> list[int]:
    """Run the method of a cell on a graph, and return a set of nodes."""
    problem = PROBLEMS[cell["problem"]]
    if cell["method"] == OURS:
        found = solve(graph, problem, time_limit=limit, seed=cell["seed"], model="none", bound=False, num_threads=1)
        return list(found.nodes)
    outcome = METHODS[cell["method"]](problem, graph, budget=limit, seed=cell["seed"])
    return np.flatnonzero(outcome.assignment).tolist()


def measure(cell: Row) -> Row:
    """Run one method on one graph, in this process."""
    graph = draw(cell["family"], cell["nodes"], cell["graph"], weighted=cell["weighted"])
    # So that loading of modules is not timed.
    found_by(cell, Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 0]]), 0.01)
    begun = time.process_time()
    nodes = found_by(cell, graph, cell["limit"])
    cpu = time.process_time() - begun
    return cell | {"value": PROBLEMS[cell["problem"]].score(graph, nodes), "cpu": round(cpu, 2)}


def preloaded_clock() -> Path:
    """Return the library of clocks that show CPU seconds; built once, in a temporary folder."""
    library = Path(tempfile.gettempdir()) / "annealco-sparse-packing" / "cpu_clock.so"
    if not library.exists() or library.stat().st_mtime < CLOCK.stat().st_mtime:
        library.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", str(CLOCK), "-o", str(library), "-ldl"], check=True)
    return library


def run_cell(cell: Row) -> Row:
    """Run one cell in a process of its own; a value of None says that it gave nothing."""
    if not file_of(cell["family"], cell["nodes"], cell["graph"]).exists():
        draw(cell["family"], cell["nodes"], cell["graph"], weighted=cell["weighted"])
    most = int(HARD_SECONDS + HARD_LIMIT * cell["limit"])
    try:
        done = subprocess.run(
            [sys.executable, __file__, "--cell", json.dumps(cell)],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"LD_PRELOAD": str(preloaded_clock())},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most)),
        )
    except subprocess.CalledProcessError as error:
        return cell | {"value": None, "cpu": None, "status": error.returncode}
    return json.loads(done.stdout.splitlines()[-1])


def cells(nodes: Sequence[int], limits: Sequence[float], graphs: Sequence[int]) -> list[Row]:
    """List all cells of the table."""
    return [
        dict(zip(KEYS, (family, count, problem, weighted, limit, method, graph, 1), strict=True))
        for graph in graphs
        for limit in limits
        for count in nodes
        for family in FAMILIES
        for (problem, weighted), methods in KINDS.items()
        for method in methods
    ]


def gives_nothing(cell: Row, rows: Sequence[Row]) -> bool:
    """Tell whether a method gave nothing within a longer limit: it ends when it is done, whatever its limit."""
    same = [key for key in KEYS if key != "limit"]
    return any(
        row["value"] is None and row["limit"] > cell["limit"] and all(row[key] == cell[key] for key in same)
        for row in rows
    )


def compared(rows: Sequence[Row], line: tuple[object, ...], limit: float) -> str:
    """Return our mean on the graphs of one limit, and by how much it is better than those of the others."""
    family, count, problem, weighted = line

    def by_graph(method: str, name: object) -> dict[int, Row]:
        wanted = (family, count, name, weighted, limit, method)
        kept = [row for row in rows if tuple(row[key] for key in KEYS[:6]) == wanted and row["graph"] != TUNED]
        return {row["graph"]: row for row in kept}

    ours, parts = by_graph(OURS, problem), []
    if not ours:
        return "-"
    for method in KINDS["mis", bool(weighted)][1:]:
        theirs = by_graph(method, "mis")
        both = [number for number in ours if number in theirs]
        if not both:
            continue
        if any(theirs[number]["value"] is None for number in both):
            parts.append(f"{method}: nothing")
            continue
        ahead = []
        for number in both:
            value, their = ours[number]["value"], theirs[number]["value"]
            if problem == "vertex_cover":
                their = draw(str(family), int(str(count)), number, weighted=False).num_nodes - their
            ahead.append(100 * (value / their - 1) * (1 if problem == "mis" else -1))
        cpu = np.mean([theirs[number]["cpu"] for number in both])
        parts.append(f"{method} {np.mean(ahead) + 0.0:+.3f} %" + (f" in {cpu:.1f} s" if cpu > 1.2 * limit else ""))
    mean, cpu = np.mean([row["value"] for row in ours.values()]), np.mean([row["cpu"] for row in ours.values()])
    return "; ".join([f"{mean:,.1f}".removesuffix(".0") + f" in {cpu:.1f} s", *([", ".join(parts)] if parts else [])])


def table(rows: Sequence[Row]) -> str:
    """Return a line per kind of graph and problem and a column per limit, of the graphs that nothing was tuned on."""
    limits = LIMITS
    lines = ["| graph | nodes | problem | " + " | ".join(f"{limit:g} s" for limit in limits) + " |"]
    lines.append("|---|---|---|" + "---|" * len(limits))
    for count in sorted({row["nodes"] for row in rows}):
        for family in FAMILIES:
            for problem, weighted in KINDS:
                title = f"weighted {problem}" if weighted else problem
                found = [compared(rows, (family, count, problem, weighted), limit) for limit in limits]
                lines.append(f"| {family} | {count:,} | {title} | " + " | ".join(found) + " |")
    return "\n".join(lines)


def main() -> None:
    """Run one cell, or all that are missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[10_000, 50_000, 1_000_000], help="sizes of graphs")
    parser.add_argument("--limits", type=float, nargs="+", default=list(LIMITS), help="CPU seconds")
    parser.add_argument("--graphs", type=int, nargs="+", default=[1], help="which graphs of each kind; 0 is for tuning")
    parser.add_argument("--families", nargs="+", default=list(FAMILIES), choices=FAMILIES, help="kinds of graphs")
    parser.add_argument("--methods", nargs="+", default=[OURS, *METHODS], help="who runs")
    parser.add_argument("--out", type=Path, default=OUT, help="rows, as JSON lines")
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    parser.add_argument("--cell", help="run this cell here, for the other processes")
    options = parser.parse_args()
    if options.cell:
        print(json.dumps(measure(json.loads(options.cell))))
        return
    rows = read_lines(options.out)
    done = {tuple(row[key] for key in KEYS) for row in rows}
    for cell in [] if options.table else cells(options.nodes, options.limits, options.graphs):
        if cell["method"] not in options.methods or cell["family"] not in options.families:
            continue
        if tuple(cell[key] for key in KEYS) not in done:
            skipped = gives_nothing(cell, rows)
            row = cell | {"value": None, "cpu": None} if skipped else run_cell(cell)
            append(options.out, row)
            rows.append(row)
            print(row, flush=True)
    print(table(read_lines(options.out)))


if __name__ == "__main__":
    main()
