"""Measure the searches for cuts against each other, D-Wave's simulated annealing and CP-SAT, at equal CPU seconds.

python benchmarks/cut_search.py max_cut      # about 2 minutes
python benchmarks/cut_search.py cut          # about 6 minutes
python benchmarks/cut_search.py moves        # the cost of a move on small and large graphs

Needs dwave-samplers and ortools. One thread; graphs and searches are drawn from seeds, but results of a time limit
depend on the machine.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from annealco import PROBLEMS, generate
from annealco.baselines import METHODS
from annealco.clock import Budget, Trace
from annealco.energy import Instance
from annealco.graph.generators import erdos_renyi, random_regular
from annealco.graph.graph import Graph
from annealco.search.annealing import AnnealingSearch
from annealco.search.searches import Search
from annealco.search.tabu import AlternatingSearch, TabuSearch

SEED = 5
FACEBOOK = Path(os.environ.get("ANNEALCO_DATA", ".")) / "FACEBOOK100.npz"
CLOCK_SECONDS = 0.002
"""A search knows the wall clock only: it is continued until no more than this is left of its CPU time."""

READ_SWEEPS = 1000
"""Sweeps of one of D-Wave's coolings, its default."""


def torus(seed: int, *, side: int, signed: bool) -> Graph:
    """Return a square lattice without borders, with weights ±1 or all 1."""
    count = side * side
    at = np.arange(count).reshape(side, side)
    edges = np.stack([np.tile(at.ravel(), 2), np.concatenate([np.roll(at, 1, axis).ravel() for axis in (0, 1)])])
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], 2 * count)
    return Graph.from_edges(edges, count).with_weights(edge_weight=signs if signed else np.ones(2 * count))


def planted(seed: int, *, blocks: int = 6, size: int = 150, inside: float = 0.15, between: float = 0.01) -> Graph:
    """Return a graph of equal communities."""
    label = np.arange(blocks * size) // size
    edges = np.stack(np.triu_indices(blocks * size, 1))
    chance = np.where(label[edges[0]] == label[edges[1]], inside, between)
    return Graph.from_edges(edges[:, np.random.default_rng(seed).random(len(chance)) < chance], blocks * size)


def normal_weights(seed: int) -> Graph:
    """Return G(500, 0.1) with normal weights."""
    rng = np.random.default_rng(seed)
    graph = erdos_renyi(rng, num_nodes=500, edge_probability=0.1)
    return graph.with_weights(edge_weight=rng.normal(size=graph.num_edges))


def facebook(seed: int) -> Graph:
    """Return one of the smaller graphs of FACEBOOK100."""
    with np.load(FACEBOOK) as data:
        index = int(np.argsort(np.diff(data["ptr"]), kind="stable")[seed - SEED])
        edges = data["edges"][:, data["edge_ptr"][index] : data["edge_ptr"][index + 1]].astype(np.int64)
        return Graph.from_edges(edges, int(np.diff(data["ptr"])[index]))


def regular(seed: int, *, num_nodes: int = 2000, degree: int = 4) -> Graph:
    """Return a random regular graph."""
    return random_regular(np.random.default_rng(seed), num_nodes=num_nodes, degree=degree)


FAMILIES: dict[str, dict[str, Callable[[int], Graph]]] = {
    "max_cut": {
        "G(800, 6 %)": lambda seed: erdos_renyi(np.random.default_rng(seed), num_nodes=800, edge_probability=0.06),
        "torus 40 × 40, ±1": lambda seed: torus(seed, side=40, signed=True),
        "torus 100 × 100, ±1": lambda seed: torus(seed, side=100, signed=True),
        "G(500, 10 %), normal": normal_weights,
        "4-regular, 2000": regular,
        "ba-small": lambda seed: generate("ba-small", count=1, seed=seed),
        "ba-large": lambda seed: generate("ba-large", count=1, seed=seed),
    },
    "cut": {
        "ba-small": lambda seed: generate("ba-small", count=1, seed=seed),
        "ba-large": lambda seed: generate("ba-large", count=1, seed=seed),
        "er-small": lambda seed: generate("er-small", count=1, seed=seed),
        "six communities": planted,
        "torus 40 × 40": lambda seed: torus(seed, side=40, signed=False),
        "4-regular, 2000": regular,
        "FACEBOOK100": facebook,
    },
}


def search_with(
    make: Callable[[Instance, NDArray[np.bool_], int], Search], instance: Instance, seconds: float
) -> float:
    """Return the value that a search finds from the empty set in so many CPU seconds."""
    trace, started = Trace(), time.process_time()
    search = make(instance, np.zeros(instance.num_nodes, np.bool_), SEED)
    while True:
        left = max(seconds - (time.process_time() - started), 0.0)
        _, best, _ = search.run(Budget(seconds=left), -math.inf, trace)
        if left < CLOCK_SECONDS:
            return float(instance.value(best)[0])


def dwave(graph: Graph, seconds: float) -> float:
    """Return the maximum cut that D-Wave's sampler finds in one call that takes so long; its sizing is not counted."""
    from dimod import BinaryQuadraticModel
    from dwave.samplers import SimulatedAnnealingSampler

    pairs = dict(zip(map(tuple, graph.edges.T.tolist()), graph.edge_weight.tolist(), strict=True))
    model, sampler = BinaryQuadraticModel.from_ising({}, pairs), SimulatedAnnealingSampler()

    def sample(reads: int, sweeps: int) -> tuple[float, float]:
        started = time.process_time()
        found = sampler.sample(model, num_reads=reads, num_sweeps=sweeps, seed=SEED).first.energy
        return found, time.process_time() - started

    overhead = min(sample(1, 1)[1] for _ in range(3))
    cooling = max(sample(1, READ_SWEEPS)[1] - overhead, 1e-6)
    share = max(seconds - overhead, 0.0) / cooling
    energy, _ = sample(int(share), READ_SWEEPS) if share >= 1 else sample(1, max(1, int(share * READ_SWEEPS)))
    return (float(graph.edge_weight.sum()) - energy) / 2


def cp_sat(graph: Graph, seconds: float) -> float:
    """Return the cut within the default volume bounds that CP-SAT finds with one worker; NaN for none."""
    found = METHODS["cp_sat"].run(PROBLEMS["cut"], graph, budget=seconds).assignment
    value = None if found is None else PROBLEMS["cut"].score(graph, np.flatnonzero(found).tolist())
    return math.nan if value is None else value


SEARCHES: dict[str, Callable[[Instance, NDArray[np.bool_], int], Search]] = {
    "tabu": TabuSearch,
    "annealing": AnnealingSearch,
    "turns": AlternatingSearch,
}
PEERS = {"D-Wave": dwave, "CP-SAT": cp_sat}
CELLS = {
    "max_cut": [
        ("tabu", 1.0),
        ("turns", 1.0),
        ("annealing", 0.1),
        ("D-Wave", 0.1),
        ("annealing", 1.0),
        ("D-Wave", 1.0),
    ],
    "cut": [
        ("tabu", 0.1),
        ("annealing", 0.1),
        ("turns", 0.1),
        ("tabu", 1.0),
        ("annealing", 1.0),
        ("turns", 1.0),
        ("CP-SAT", 10.0),
    ],
}


def compare(name: str, count: int) -> None:
    """Print the mean value of every method on every family."""
    cells = CELLS[name]
    print("| graphs | " + " | ".join(f"{method} {seconds:g} s" for method, seconds in cells) + " |")
    print("|---" * (len(cells) + 1) + "|")
    small = PROBLEMS[name].declare(FAMILIES[name]["ba-small"](SEED))
    for make in SEARCHES.values():
        search_with(make, small, 0.05)
    for family, draw in FAMILIES[name].items():
        graphs = [draw(SEED + index) for index in range(count)]
        means = []
        for method, seconds in cells:
            found = [
                PEERS[method](graph, seconds)
                if method in PEERS
                else search_with(SEARCHES[method], PROBLEMS[name].declare(graph), seconds)
                for graph in graphs
            ]
            means.append(float(np.mean(found)))
        print(f"| {family} | " + " | ".join(f"{mean:.1f}" for mean in means) + " |", flush=True)


def measure_moves() -> None:
    """Print moves a second on regular graphs of equal degree."""
    print("| search | problem | 1,000 nodes | 10,000 | 100,000 |\n|---|---|---|---|---|")
    for method in ("tabu", "annealing"):
        for name in ("max_cut", "cut"):
            rates = []
            for num_nodes in (1000, 10_000, 100_000):
                instance = PROBLEMS[name].declare(regular(SEED, num_nodes=num_nodes, degree=8))
                search = SEARCHES[method](instance, np.zeros(num_nodes, np.bool_), SEED)
                search.run(Budget(moves=1000), -math.inf, Trace())
                started = time.process_time()
                moves, _, _ = search.run(Budget(seconds=3.0), -math.inf, Trace())
                rates.append(f"{moves / (time.process_time() - started) / 1e6:.2f} M/s")
            print(f"| {method} | {name} | " + " | ".join(rates) + " |", flush=True)


def main() -> None:
    """Read the command line and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=[*FAMILIES, "moves"])
    parser.add_argument("--count", type=int, default=3, help="graphs of each family")
    options = parser.parse_args()
    if options.what == "moves":
        measure_moves()
    else:
        compare(options.what, options.count)


if __name__ == "__main__":
    main()
