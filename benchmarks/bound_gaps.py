"""Compare bounds with the best values found, on instances that are not small and on many small ones side by side.

    python benchmarks/bound_gaps.py run [--version NAME]   # adds what benchmarks/results/bound_gaps.jsonl lacks
    python benchmarks/bound_gaps.py table                  # prints the table
    python benchmarks/bound_gaps.py share                  # adds what benchmarks/results/bound_share.jsonl lacks

One thread and so many CPU seconds for all of `solve`, of which the bound has its usual share. Weights are whole
numbers.
"Parts" are 50 random instances of 12 to 40 nodes side by side, as one graph or one system.

`share` tells what the bound takes from the search: independent sets of the first 15 test graphs of `rb-large`, whose
optimum is planted, at 1 CPU second with the bound and without.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from json_lines import Row, append, read_lines

import annealco
from annealco.datasets import load_dataset
from annealco.evaluation.processor_share import run_for_cpu
from annealco.graph.generators import random_regular

RESULTS = Path(__file__).parent / "results" / "bound_gaps.jsonl"
VERSION = "theta, kernels and parts"
"""What rows are called by default; rows of other versions stay for comparison."""

NUM_PARTS = 50


def _edges(rng: np.random.Generator, size: int, density: float) -> np.ndarray:
    low, high = np.triu_indices(size, 1)
    kept = rng.random(len(low)) < density
    return np.stack([low[kept], high[kept]])


def _random(size: int, density: float, *, weighted: bool = False) -> annealco.Graph:
    rng = np.random.default_rng(size)
    graph = annealco.Graph.from_edges(_edges(rng, size, density), size)
    return graph.with_weights(node_weight=rng.integers(1, 20, size).astype(float)) if weighted else graph


def _regular(size: int, degree: int, *, weighted: bool = False) -> annealco.Graph:
    rng = np.random.default_rng(size)
    graph = random_regular(rng, num_nodes=size, degree=degree)
    return graph.with_weights(node_weight=rng.integers(80, 120, size).astype(float)) if weighted else graph


def _quadratic(size: int, density: float, *, spins: bool) -> Any:
    rng = np.random.default_rng(size)
    matrix = np.diag(rng.integers(-10, 11, size)).astype(float)
    low, high = _edges(rng, size, density)
    matrix[low, high] = rng.integers(-10, 11, len(low))
    return annealco.quadratic(matrix, vartype="SPIN" if spins else "BINARY")


def _part_edges(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    parts, first = [], 0
    for _ in range(NUM_PARTS):
        size = int(rng.integers(12, 41))
        parts.append(first + _edges(rng, size, float(rng.choice([4 / size, 8 / size, 0.4]))))
        first += size
    return np.concatenate(parts, axis=1), first


def _parts(kind: str) -> Any:
    rng = np.random.default_rng(7)
    edges, size = _part_edges(rng)
    if kind in {"qubo", "ising"}:
        matrix = np.diag(rng.integers(-10, 11, size)).astype(float)
        matrix[edges[0], edges[1]] = rng.integers(-10, 11, edges.shape[1])
        return annealco.quadratic(matrix, vartype="SPIN" if kind == "ising" else "BINARY")
    if kind in {"set_cover", "hitting_set"}:
        inside = np.eye(size, dtype=bool)
        inside[edges[0], edges[1]] = True
        costs = rng.integers(1, 20, size).tolist()
        sets = [np.flatnonzero(row).tolist() for row in inside]
        which = "sets" if kind == "set_cover" else "elements"
        return annealco.set_system(sets, labels=which, **{"costs" if which == "sets" else "element_costs": costs})
    return annealco.Graph.from_edges(edges, size).with_weights(
        node_weight=rng.integers(1, 20, size).astype(float),
        edge_weight=rng.integers(1, 20, edges.shape[1]) * rng.choice([-1.0, 1.0], edges.shape[1]),
    )


CASES: dict[str, tuple[str, Callable[[], Any]]] = {
    "G(750, 0.15)": ("mis", lambda: _random(750, 0.15)),
    "G(750, 0.15), weighted": ("mis", lambda: _random(750, 0.15, weighted=True)),
    "G(300, 0.1), weighted": ("vertex_cover", lambda: _random(300, 0.1, weighted=True)),
    "G(300, 0.9)": ("clique", lambda: _random(300, 0.9)),
    "3-regular, 500 nodes": ("mis", lambda: _regular(500, 3)),
    "4-regular, 300 nodes, weighted": ("mis", lambda: _regular(300, 4, weighted=True)),
    "G(5000, 0.001) bits": ("qubo", lambda: _quadratic(5000, 0.001, spins=False)),
    "G(1000, 0.01) bits": ("qubo", lambda: _quadratic(1000, 0.01, spins=False)),
    "G(500, 0.1) bits": ("qubo", lambda: _quadratic(500, 0.1, spins=False)),
    "G(2000, 0.0015) spins": ("ising", lambda: _quadratic(2000, 0.0015, spins=True)),
    **{
        f"parts, {kind}": (kind, lambda kind=kind: _parts(kind))
        for kind in ("mis", "vertex_cover", "mds", "max_cut", "qubo", "ising", "set_cover", "hitting_set")
    },
}
LIMITS = (0.3, 2.0)


def measure(case: str, limit: float) -> Row:
    """Return the row of one instance at one limit, without the version."""
    problem, draw = CASES[case]
    source = draw()

    def solve(seconds: float) -> annealco.Solution:
        found = annealco.solve(source, problem, time_limit=seconds, num_threads=1)
        assert not isinstance(found, list)
        return found

    found, seconds, _ = run_for_cpu(solve, limit)
    return {
        "case": case,
        "problem": problem,
        "limit": limit,
        "value": found.value,
        "bound": found.bound,
        "proven": found.optimal,
        "seconds": round(seconds, 3),
        "method": found.method,
    }


def run(version: str) -> None:
    """Add rows that are missing."""
    known = {(row["version"], row["case"], row["limit"]) for row in read_lines(RESULTS)}
    annealco.solve(annealco.Graph.from_edges([[0], [1]]), "mis")
    for case in CASES:
        for limit in LIMITS:
            if (version, case, limit) not in known:
                append(RESULTS, {"version": version, **measure(case, limit)})


def table() -> list[str]:
    """Return the lines of a table in Markdown: value and bound of each version at each limit."""
    rows = {(row["case"], row["limit"], row["version"]): row for row in read_lines(RESULTS)}
    versions = list(dict.fromkeys(version for _, _, version in rows))
    cells = [f"{limit:g} s, {version}" for limit in LIMITS for version in versions]
    lines = ["| problem | instance | " + " | ".join(cells) + " |", "|---" * (2 + len(cells)) + "|"]
    for case, (problem, _) in CASES.items():
        found = [rows.get((case, limit, version)) for limit in LIMITS for version in versions]
        parts = ["–" if row is None else _cell(row) for row in found]
        lines.append(f"| {problem} | {case} | {' | '.join(parts)} |")
    return lines


def _cell(row: Row) -> str:
    if row["proven"]:
        return f"{row['value']:,.0f} proven, {1000 * row['seconds']:.0f} ms"
    return f"{row['value']:,.0f}, bound {row['bound']:,.0f}"


SHARED = Path(__file__).parent / "results" / "bound_share.jsonl"
NUM_SHARED, SHARED_LIMIT = 15, 1.0


def share() -> None:
    """Add rows of graphs that are missing, with a bound and without, and print how many optima were found."""
    known = {(row["graph"], row["bound"]) for row in read_lines(SHARED)}
    graphs = load_dataset("rb-large", "test")
    annealco.solve(annealco.Graph.from_edges([[0], [1]]), "mis")
    for number in range(NUM_SHARED):
        graph = graphs[number]
        for bound in (True, False):
            if (number, bound) in known:
                continue

            def solve(seconds: float, graph: annealco.Graph = graph, bound: bool = bound) -> annealco.Solution:
                found = annealco.solve(graph, "mis", time_limit=seconds, bound=bound, num_threads=1)
                assert not isinstance(found, list)
                return found

            found, seconds, _ = run_for_cpu(solve, SHARED_LIMIT)
            best = float(graph.graph_data["planted_size"][0])
            row = {"graph": number, "bound": bound, "value": found.value, "best": best, "proven": found.optimal}
            append(SHARED, row | {"seconds": round(seconds, 3)})
    print("\n".join(share_lines()))


def share_lines() -> list[str]:
    """Return the lines of a table in Markdown: optima, proofs and the mean time, with a bound and without."""
    lines = ["| | graphs | optima | proven | mean CPU seconds |", "|---" * 5 + "|"]
    for bound, name in ((True, "with a bound"), (False, "without")):
        rows = [row for row in read_lines(SHARED) if row["bound"] == bound]
        optima, proven = sum(row["value"] == row["best"] for row in rows), sum(row["proven"] for row in rows)
        mean = np.mean([row["seconds"] for row in rows])
        lines.append(f"| {name} | {len(rows)} | {optima} | {proven} | {mean:.2f} |")
    return lines


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("action", choices=["run", "table", "share"])
    parser.add_argument("--version", default=VERSION)
    given = parser.parse_args()
    if given.action == "share":
        share()
        return
    if given.action == "run":
        run(given.version)
    print("\n".join(table()))


if __name__ == "__main__":
    main()
