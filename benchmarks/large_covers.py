"""Compare what versions of the search find on large sparse graphs in the same CPU seconds.

python benchmarks/large_covers.py --out ROWS                              # this version
OTHER/bin/python benchmarks/large_covers.py --version before --out ROWS   # another installation
python benchmarks/large_covers.py --table --out ROWS                      # the table of the rows so far

One thread, no bound, five graphs a family, seed 5; weights are whole numbers from 1 to 100. A limit is wall-clock time;
where others take the processor it is stretched until the CPU time is what the budget says. Rows are appended to --out,
and a row that is there is not run again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import numpy as np
from geometric import random_geometric
from json_lines import Row, append, read_lines

import annealco
from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.graph import Graph

SEED = 5
TRIES, CPU_TOLERANCE = 4, 0.05


def _grid(_: np.random.Generator, size: int) -> Graph:
    """Return a square lattice of about so many nodes."""
    side = round(size**0.5)
    number = np.arange(side * side).reshape(side, side)
    across = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()])
    down = np.stack([number[:-1].ravel(), number[1:].ravel()])
    return Graph.from_edges(np.concatenate([across, down], axis=1), side * side)


KINDS: dict[str, Callable[[np.random.Generator, int], Graph]] = {
    "geometric": lambda rng, size: random_geometric(rng, num_nodes=size, average_degree=8.0),
    "ba": lambda rng, size: barabasi_albert(rng, num_nodes=size, attachment=4),
    "grid": _grid,
}


class Cell(NamedTuple):
    """A problem on one graph."""

    problem: str
    kind: str
    weighted: bool
    size: int
    index: int


def main() -> None:
    """Run what is missing, and print the table."""
    options = _parse()
    done = {(row["version"], row["budget"], Cell(*(row[name] for name in Cell._fields))) for row in _rows(options)}
    for cell in () if options.table else _cells(options):
        if (options.version, options.budget, cell) not in done:
            row = cell._asdict() | {"version": options.version, "budget": options.budget} | run(cell, options.budget)
            append(options.out, row)
            print(row, flush=True)
    print(table(_rows(options)))


def _rows(options: argparse.Namespace) -> list[Row]:
    return read_lines(options.out)


def _cells(options: argparse.Namespace) -> Iterator[Cell]:
    for index in range(options.count):
        for kind in options.kinds.split(","):
            for problem in options.problems.split(","):
                yield from (Cell(problem, kind, weighted, options.nodes, index) for weighted in (False, True))


def graph_of(cell: Cell) -> Graph:
    """Draw the graph of a cell."""
    rng = np.random.default_rng([SEED, list(KINDS).index(cell.kind), cell.index])
    graph = KINDS[cell.kind](rng, cell.size)
    if not cell.weighted:
        return graph
    return graph.with_weights(node_weight=rng.integers(1, 101, graph.num_nodes).astype(float))


def run(cell: Cell, budget: float) -> Row:
    """Solve a cell in so many CPU seconds."""
    graph = graph_of(cell)
    limit = budget
    for _ in range(TRIES):
        began = time.process_time()
        solution = annealco.solve(graph, cell.problem, time_limit=limit, bound=False, num_threads=1, seed=cell.index)
        used = time.process_time() - began
        if used > (1 - CPU_TOLERANCE) * budget:
            break
        limit *= budget / used
    return {"value": solution.value, "cpu": round(used, 2)}


def table(rows: list[Row]) -> str:
    """Return mean values by version, as Markdown."""
    versions = list(dict.fromkeys(row["version"] for row in rows))
    lines = [f"| problem | graphs | CPU s | {' | '.join(versions)} |", "|---" * (3 + len(versions)) + "|"]
    for problem, kind, weighted, size, budget in dict.fromkeys(
        tuple(row[name] for name in ("problem", "kind", "weighted", "size", "budget")) for row in rows
    ):
        values = {
            version: {
                row["index"]: row["value"]
                for row in rows
                if (row["version"], row["problem"], row["kind"], row["weighted"], row["size"], row["budget"])
                == (version, problem, kind, weighted, size, budget)
            }
            for version in versions
        }
        # Only graphs that all versions have had are compared.
        common = set.intersection(*(set(each) for each in values.values()))
        means = [f"{mean(each[index] for index in common):,.1f}" if common else "–" for each in values.values()]
        name = f"{len(common)} {kind}, {size:,} nodes{', weights' if weighted else ''}"
        lines.append(f"| {problem} | {name} | {budget:g} | {' | '.join(means)} |")
    return "\n".join(lines)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", default="this", help="what the rows call this installation")
    parser.add_argument("--problems", default="mds,mis", help="names, separated by commas")
    parser.add_argument("--kinds", default=",".join(KINDS), help="names, separated by commas")
    parser.add_argument("--nodes", type=int, default=50_000, help="number of nodes")
    parser.add_argument("--count", type=int, default=5, help="graphs of each family")
    parser.add_argument("--budget", type=float, default=5.0, help="CPU seconds a graph")
    parser.add_argument("--out", type=Path, default=Path("large_covers.jsonl"), help="rows, as JSON lines")
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    return parser.parse_args()


if __name__ == "__main__":
    main()
