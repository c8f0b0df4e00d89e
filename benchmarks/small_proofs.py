"""Count how many small instances of every problem are proven, and in how many CPU milliseconds.

    python benchmarks/small_proofs.py run [--version NAME]   # adds what benchmarks/results/small_proofs.jsonl lacks
    python benchmarks/small_proofs.py table                  # prints the table

Random instances of 20, 40 and 60 nodes: sparse (three edges per node on average), medium (a fifth of all pairs) and
dense ones (three fifths). Weights of nodes are whole numbers from 1 to 20; pairs of `qubo` and `ising` have whole
coefficients from −10 to 10, edges of cuts weights from 1 to 10. One thread, limit 0.1 CPU seconds. A row says whether
the answer is proven optimal, and what it took. `set_cover` and `hitting_set` have so many sets, and so many elements.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from json_lines import Row, append, read_lines

import annealco
from annealco.evaluation.processor_share import run_for_cpu
from annealco.problems import PROBLEMS

RESULTS = Path(__file__).parent / "results" / "small_proofs.jsonl"
SIZES, SEEDS, LIMIT = (20, 40, 60), (0, 1, 2), 0.1
DENSITIES = {"sparse": None, "medium": 0.2, "dense": 0.6}
VERSION = "exact search"
"""What rows are called by default; rows of other versions stay for comparison."""


def draw(problem: str, size: int, density: str, seed: int) -> Any:
    """Return an instance as `annealco.solve` takes it."""
    rng = np.random.default_rng([seed, size, list(DENSITIES).index(density)])
    share = DENSITIES[density] or min(1.0, 6 / (size - 1))
    low, high = np.triu_indices(size, 1)
    kept = rng.random(len(low)) < share
    pairs = np.stack([low[kept], high[kept]])
    if problem in ("qubo", "ising"):
        matrix = np.diag(rng.integers(-10, 11, size)).astype(float)
        matrix[pairs[0], pairs[1]] = rng.integers(-10, 11, pairs.shape[1])
        return annealco.quadratic(matrix, vartype="BINARY" if problem == "qubo" else "SPIN")
    if problem in ("set_cover", "hitting_set"):
        # As many sets as elements; every element is in a set, and every set has an element.
        inside = rng.random((size, size)) < share
        inside[np.arange(size), rng.permutation(size)] = True
        sets = [np.flatnonzero(row).tolist() for row in inside]
        costs, which = rng.integers(1, 21, size).tolist(), SIDES[problem]
        return annealco.set_system(sets, labels=which, **{"costs" if which == "sets" else "element_costs": costs})
    graph = annealco.Graph.from_edges(pairs, size)
    return graph.with_weights(
        node_weight=rng.integers(1, 21, size).astype(float),
        edge_weight=rng.integers(1, 11, pairs.shape[1]).astype(float),
    )


SIDES = {"set_cover": "sets", "hitting_set": "elements"}


def measure(problem: str, size: int, density: str, seed: int) -> Row:
    """Return the row of one instance, without the version."""
    graph = draw(problem, size, density, seed)

    def solve(limit: float) -> annealco.Solution:
        found = annealco.solve(graph, problem, time_limit=limit, num_threads=1)
        assert not isinstance(found, list)
        return found

    found, seconds, _ = run_for_cpu(solve, LIMIT)
    return {
        "problem": problem,
        "nodes": size,
        "density": density,
        "seed": seed,
        "value": found.value,
        "bound": found.bound,
        "proven": found.optimal,
        "milliseconds": round(1000 * seconds, 1),
        "method": found.method,
    }


def key_of(row: Row) -> tuple[Any, ...]:
    """Return what a row is of."""
    return tuple(row[name] for name in ("version", "problem", "nodes", "density", "seed"))


def run(version: str) -> None:
    """Add rows that are missing."""
    known = {key_of(row) for row in read_lines(RESULTS)}
    annealco.solve(annealco.Graph.from_edges([[0], [1]]), "mis")
    for problem in PROBLEMS.own:
        for size in SIZES:
            for density in DENSITIES:
                for seed in SEEDS:
                    if (version, problem, size, density, seed) not in known:
                        append(RESULTS, {"version": version, **measure(problem, size, density, seed)})


def table() -> list[str]:
    """Return the lines of a table in Markdown: proven of all, and median CPU milliseconds, by version and size."""
    cells: dict[tuple[str, str, int], list[Row]] = defaultdict(list)
    for row in read_lines(RESULTS):
        cells[row["problem"], row["version"], row["nodes"]].append(row)
    lines = ["| problem | version | " + " | ".join(f"{size} nodes" for size in SIZES) + " |", "|---" * 5 + "|"]
    for problem, version in dict.fromkeys((problem, version) for problem, version, _ in cells):
        parts = []
        for size in SIZES:
            rows = cells[problem, version, size]
            median = np.median([row["milliseconds"] for row in rows])
            parts.append(f"{sum(row['proven'] for row in rows)} of {len(rows)}, {median:.0f} ms")
        lines.append(f"| {problem} | {version} | {' | '.join(parts)} |")
    return lines


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("action", choices=["run", "table"])
    parser.add_argument("--version", default=VERSION)
    given = parser.parse_args()
    if given.action == "run":
        run(given.version)
    print("\n".join(table()))


if __name__ == "__main__":
    main()
