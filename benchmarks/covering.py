"""Measure the covering search alone: moves and seconds to the planted optimum, and the cost of a move.

python benchmarks/covering.py            # seed 5, CPU seconds of one thread, about a minute
"""

from __future__ import annotations

import time

import numpy as np

from annealco import PROBLEMS, generate
from annealco._core import Clock, CoveringSearch
from annealco.graph.graph import Graph
from annealco.search.covering import as_hitting_set

CASES = (
    ("rb-small", "mis", 100, 200_000),
    ("rb-small-complement", "clique", 100, 200_000),
    ("rb-large", "mis", 20, 2_000_000),
    ("rb-large-complement", "clique", 20, 2_000_000),
    ("ba-small", "mds", 50, 50_000),
    ("ba-large", "mds", 20, 200_000),
)
CHUNK = 256


def measure(graph: Graph, problem: str, most_moves: int) -> tuple[float, int, float, float]:
    """Return the best cost, moves made, CPU seconds, and CPU seconds until the best was found."""
    sets = as_hitting_set(PROBLEMS[problem].declare(graph))
    if sets is None:
        raise ValueError(f"{problem} is no hitting set problem on {graph}")
    planted = graph.graph_data.get("planted_size")
    target = -1.0 if planted is None else float(graph.num_nodes - planted[0])
    started = time.process_time()
    search = CoveringSearch(sets.core, np.ones(graph.num_nodes, np.bool_), 1)
    moves, best, found = 0, np.inf, 0.0
    while moves < most_moves:
        go_on = search.run(Clock(moves=CHUNK), target)
        moves += CHUNK
        if search.best_cost < best:
            best, found = search.best_cost, time.process_time() - started
        if not go_on:
            break
    return best, moves, time.process_time() - started, found


def main() -> None:
    """Print a row a case."""
    measure(generate("rb-small", count=1, seed=0), "mis", CHUNK)
    print(
        "| graphs | problem | at the planted optimum | seconds to the best: median, largest | µs a move | mean cost |"
    )
    print("|---|---|---|---|---|---|")
    for name, problem, count, moves in CASES:
        graphs = generate(name, count=count, seed=5)
        rows = np.array([measure(graph, problem, moves) for graph in graphs])
        planted = graphs.graph_data.get("planted_size")
        share = "-" if planted is None else f"{np.mean(rows[:, 0] == np.diff(graphs.node_ptr) - planted):.0%}"
        per_move = 1e6 * rows[:, 2].sum() / rows[:, 1].sum()
        found = f"{np.median(rows[:, 3]):.4f}, {rows[:, 3].max():.3f}"
        print(f"| {count} {name} | {problem} | {share} | {found} | {per_move:.2f} | {rows[:, 0].mean():.2f} |")


if __name__ == "__main__":
    main()
