"""Make graphs, write and read them, and hold every problem's energy against all sets of a small graph.

python examples/foundations.py --out demo
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from annealco import PROBLEMS, Graph, check_problem, generate, read_graph, write_graph
from annealco.graph.operations import induced_subgraph


def best_by_enumeration(problem_name: str, graph: Graph) -> tuple[float, float, list[int]]:
    """Return the least energy, the best score and the best set, over all sets of nodes."""
    problem = PROBLEMS[problem_name]
    bits = np.arange(2**graph.num_nodes)[:, None] >> np.arange(graph.num_nodes) & 1
    instance = problem.declare(graph)
    energies = instance.energy().value(bits)[:, 0]
    feasible = instance.violations(bits)[:, 0] == 0
    best = np.flatnonzero(feasible)[np.argmin(energies[feasible])]
    chosen = np.flatnonzero(bits[best]).tolist()
    score = problem.score(graph, chosen)
    return float(energies.min()), float("nan") if score is None else score, chosen


def main() -> None:
    """Run the demonstration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("demo"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    print("1. Graphs: five forced RB graphs, seed 1, written and read again")
    graphs = generate("rb-small", count=5, seed=1)
    write_graph(graphs, out / "rb-small.npz")
    for graph in read_graph(out / "rb-small.npz"):
        planted = int(graph.graph_data["planted_size"][0])
        score = PROBLEMS["mis"].score(graph, np.flatnonzero(graph.node_data["planted"]))
        print(f"   {graph.num_nodes} nodes, {graph.num_edges} edges, planted set {planted}, its score {score:g}")

    print("2. Problems: least energy over all sets of a 12-node graph, and the best feasible set")
    small = generate("er-small", count=1, seed=1)
    weights = np.random.default_rng(0).integers(1, 6, small.num_nodes)
    small = induced_subgraph(small.with_weights(node_weight=weights), np.arange(12))
    for name in PROBLEMS:
        energy, score, chosen = best_by_enumeration(name, small)
        print(f"   {name:13} least energy {energy:7.2f}   best score {score:6.2f}   nodes {chosen}")

    print("3. The contract, for every problem")
    for problem in PROBLEMS.values():
        started = time.perf_counter()
        check_problem(problem)
        print(f"   {problem.name:13} kept ({time.perf_counter() - started:.1f} s)")


if __name__ == "__main__":
    main()
