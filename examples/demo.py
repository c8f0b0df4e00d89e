"""Solve the example graphs, print what was found and proven, and save pictures.

python examples/demo.py --out demo
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import annealco
from annealco.plotting.solutions import draw_solution

GRAPHS = Path(__file__).parent / "graphs"

EXAMPLES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("mis", "queens.col", {}),
    ("mis", "forced.npz", {}),
    ("clique", "friends.graphml", {}),
    ("mds", "streets.graph", {}),
    ("cut", "regions.edges", {"seed_node": 205}),
    ("conductance", "regions.edges", {"seed_node": 205}),
    ("vertex_cover", "rooms.gr", {}),
    ("max_cut", "spins.mtx", {}),
    ("ising", "spins.mtx", {}),
    ("qubo", "hours.npz", {}),
    ("set_cover", "crews.npz", {}),
    ("hitting_set", "crews.npz", {}),
)
"""Problem, file, options of the problem."""


def solutions(time_limit: float) -> Iterator[tuple[annealco.Graph, annealco.Solution]]:
    """Solve one graph after the other."""
    for problem, file, options in EXAMPLES:
        for graph in annealco.read_graph(GRAPHS / file):
            [solution] = annealco.solve([graph], problem, time_limit=time_limit, **options)
            named = "name" in graph.graph_data
            yield graph, solution if named else replace(solution, graph=Path(file).stem)
    # A larger one: its picture shows the search over time.
    graph = annealco.generate("rb-large", count=1, seed=0)
    [solution] = annealco.solve([graph], "mis", time_limit=3 * time_limit)
    yield graph, replace(solution, graph="rb-large")


def row(graph: annealco.Graph, solution: annealco.Solution) -> str:
    """Write a line of the table."""
    bound = "-" if solution.bound is None else f"{solution.bound:g}"
    gap = "-" if solution.gap is None else f"{solution.gap:.1%}"
    proven = "yes" if solution.optimal else "no"
    sizes = f"{graph.num_nodes:5} {graph.num_edges:6} {solution.value:6g} {bound:>6} {gap:>6}"
    return f"{solution.problem:13} {solution.graph:10} {sizes}  {proven:7} {solution.seconds:7.2f}  {solution.method}"


def main() -> None:
    """Run the demonstration."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("demo"), help="folder for the pictures")
    parser.add_argument("--time-limit", type=float, default=1.0, help="seconds a graph")
    settings = parser.parse_args()
    settings.out.mkdir(parents=True, exist_ok=True)
    print("problem       graph      nodes  edges  value  bound    gap  optimal seconds  method")
    for graph, solution in solutions(settings.time_limit):
        print(row(graph, solution), flush=True)
        draw_solution(graph, solution, settings.out / f"{solution.problem}-{solution.graph}.png")
    print(f"Pictures: {settings.out}/*.png, one a graph; the last one shows a search over time.")


if __name__ == "__main__":
    main()
