"""Measure the search of sparse quadratic functions against annealing and dwave-samplers, at equal CPU seconds.

python benchmarks/sparse_cuts.py            # adds what benchmarks/results/sparse_cuts.jsonl lacks; a quarter of an hour
python benchmarks/sparse_cuts.py --methods "dwave tabu" --families "3-regular, 10,000"    # some of it
python benchmarks/sparse_cuts.py --table    # prints means by family

Graphs are like those of the G-set: tori with weights ±1, random regular and random graphs, unions of two planar ones.
`recombination` is the default for these, `annealing` was it before. The limit is for all that `solve` does without a
bound; for D-Wave's samplers it is for sampling alone, as in `qubo_quality.py`. One thread each. Needs dwave-samplers.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from cut_search import regular, torus
from json_lines import append, read_lines
from qubo_quality import ENOUGH, run_annealing, run_tabu
from scipy.spatial import Delaunay

from annealco import PROBLEMS, Graph
from annealco.clock import Budget, Trace
from annealco.graph.generators import erdos_renyi
from annealco.search.decode import decode
from annealco.search.searches import SEARCHES, choose_search

RESULTS = Path(__file__).parent / "results" / "sparse_cuts.jsonl"
SEEDS, LIMITS = (0, 1, 2), (5.0,)
METHODS = ("recombination", "annealing", "dwave sa", "dwave sa_long", "dwave tabu")
NO_TABU = ("torus 100 x 200, ±1",)
"""D-Wave's tabu search makes a matrix of all pairs of nodes: 4 GB for 10,000, too much for more."""

KEY = ("family", "seed", "limit", "method")


def long_torus(seed: int) -> Graph:
    """Return a lattice of 100 by 200 nodes without borders, with weights ±1."""
    at = np.arange(20_000).reshape(100, 200)
    edges = np.stack([np.tile(at.ravel(), 2), np.concatenate([np.roll(at, 1, axis).ravel() for axis in (0, 1)])])
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], 40_000)
    return Graph.from_edges(edges, 20_000).with_weights(edge_weight=signs)


def planar(seed: int, *, signed: bool, num_nodes: int = 2000) -> Graph:
    """Return the union of two triangulations of random points."""
    rng = np.random.default_rng(seed)
    triangles = [Delaunay(rng.random((num_nodes, 2))).simplices for _ in range(2)]
    ends = np.concatenate([each[:, two] for each in triangles for two in ([0, 1], [1, 2], [0, 2])])
    graph = Graph.from_edges(np.unique(np.sort(ends, axis=1), axis=0).T, num_nodes)
    return with_signs(graph, rng) if signed else graph


def with_signs(graph: Graph, rng: np.random.Generator) -> Graph:
    """Return a graph with weights ±1."""
    return graph.with_weights(edge_weight=rng.choice([-1.0, 1.0], graph.num_edges))


def random_graph(seed: int, *, signed: bool) -> Graph:
    """Return G(2000, 1 %)."""
    rng = np.random.default_rng(seed)
    graph = erdos_renyi(rng, num_nodes=2000, edge_probability=0.01)
    return with_signs(graph, rng) if signed else graph


FAMILIES: dict[str, Callable[[int], Graph]] = {
    "torus 100 x 100, ±1": lambda seed: torus(seed, side=100, signed=True),
    "torus 100 x 200, ±1": long_torus,
    "3-regular, 10,000": lambda seed: regular(seed, num_nodes=10_000, degree=3),
    "two planar, 2,000": lambda seed: planar(seed, signed=False),
    "two planar, 2,000, ±1": lambda seed: planar(seed, signed=True),
    "G(2000, 1 %)": lambda seed: random_graph(seed, signed=False),
    "G(2000, 1 %), ±1": lambda seed: random_graph(seed, signed=True),
}


def run_own(graph: Graph, limit: float, seed: int, search: str) -> tuple[float, float]:
    """Declare, decode and search in so many CPU seconds, as `solve` does without a bound; return cut and seconds."""
    began = time.process_time()
    problem = PROBLEMS["max_cut"]
    instance = problem.declare(graph)
    start = decode(instance, np.full(graph.num_nodes, 0.5), num_threads=1)
    running = choose_search(instance, start, seed, search=SEARCHES[search], seconds=limit)
    while True:
        # Of so many seconds of the wall clock other processes may take a part: then it goes on.
        left = limit - (time.process_time() - began)
        best = running.run(Budget(seconds=max(left, 0.0)), -np.inf, Trace()).assignment
        if left < (1 - ENOUGH) * limit:
            break
    seconds = time.process_time() - began
    return float(problem.score(graph, np.flatnonzero(best).tolist())), seconds


def run_dwave(graph: Graph, limit: float, seed: int, method: str) -> tuple[float, float]:
    """Minimise Σ w s s by one of D-Wave's samplers; return cut and seconds."""
    from dimod import BinaryQuadraticModel

    model = BinaryQuadraticModel.from_numpy_vectors(
        np.zeros(graph.num_nodes), (*graph.edges, graph.edge_weight), 0.0, "SPIN"
    )
    if method == "tabu":
        energy, seconds = run_tabu(model, limit, seed)
    else:
        energy, seconds = run_annealing(model, limit, seed, long=method == "sa_long")
    return (float(graph.edge_weight.sum()) - energy) / 2, seconds


def measure(family: str, seed: int, limit: float, method: str) -> dict[str, Any]:
    """Return a row."""
    graph = FAMILIES[family](seed)
    name, _, rest = method.partition(" ")
    cut, seconds = run_dwave(graph, limit, seed, rest) if name == "dwave" else run_own(graph, limit, seed, method)
    key = dict(zip(KEY, (family, seed, limit, method), strict=True))
    return {**key, "value": cut, "cpu_seconds": round(seconds, 3)}


def run(families: Sequence[str], methods: Sequence[str]) -> None:
    """Append what is missing, one row after the other."""
    done = {tuple(row[key] for key in KEY) for row in read_lines(RESULTS)}
    wanted = [
        (family, seed, limit, method)
        for seed in SEEDS
        for method in methods
        for family in families
        for limit in LIMITS
        if not (method == "dwave tabu" and family in NO_TABU)
    ]
    for key in wanted:
        if key not in done:
            row = measure(*key)
            append(RESULTS, row)
            print(*row.values(), flush=True)


def table() -> None:
    """Print mean cuts by family over the seeds that all methods with rows have, and the gain over annealing."""
    values: dict[tuple[str, float], dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in read_lines(RESULTS):
        values[row["family"], row["limit"]][row["method"]][row["seed"]] = row["value"]
    print("| graphs | s | seeds |", *(f"{method} |" for method in METHODS), "above annealing |")
    print("|---|---|---|" + "---|" * (len(METHODS) + 1))
    for (family, limit), found in values.items():
        seeds = set.intersection(*(set(each) for each in found.values()))
        means = {method: float(np.mean([each[seed] for seed in seeds])) for method, each in found.items() if seeds}
        gain = 100 * (means.get(METHODS[0], np.nan) / means.get(METHODS[1], np.nan) - 1)
        cells = (f"{means[method]:.1f} |" if method in means else "- |" for method in METHODS)
        print(f"| {family} | {limit:g} | {len(seeds)} |", *cells, f"{gain:+.2f} % |")


def main() -> None:
    """Run or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="print the table instead")
    parser.add_argument("--families", nargs="+", default=list(FAMILIES), choices=FAMILIES, help="kinds of graphs")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS, help="who runs")
    options = parser.parse_args()
    table() if options.table else run(options.families, options.methods)


if __name__ == "__main__":
    main()
