"""Measure `qubo` against D-Wave's tabu search and simulated annealing (dwave-samplers), at equal CPU seconds.

python benchmarks/qubo_quality.py run       # adds what benchmarks/results/qubo_quality.jsonl lacks; half an hour
python benchmarks/qubo_quality.py table     # prints means and wins

Instances are random functions of bits: linear and pair coefficients are normal (``gaussian``) or ±1 (``signs``), and of
all pairs a share has one. One thread each. The limit of annealco is for all that `solve` does without a bound, from the
graph on. That of D-Wave's samplers is for sampling alone: what it takes them to read the model is left out.

D-Wave's tabu search runs with its default tenure until its time is over. Its annealing runs in two ways: `sa`, reads of
1,000 sweeps, the default, as many as fit (at least one, then shorter); `sa_long`, one read of as many sweeps as fit.
Their clocks are of the wall: CPU seconds are those times the share of the processor that a call had. What a limit
leaves is used by a further call, from the best sample (tabu) or anew (annealing).
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from json_lines import append, read_lines

from annealco import Graph
from annealco.clock import Budget, Trace
from annealco.problems.qubo import QUBO
from annealco.search.decode import decode
from annealco.search.searches import SEARCHES, choose_search

RESULTS = Path(__file__).parent / "results" / "qubo_quality.jsonl"
SIZES, DENSITIES, KINDS, LIMITS, SEEDS = (
    (500, 1000, 2500, 5000),
    (1.0, 0.1),
    ("gaussian", "signs"),
    (1.0, 5.0),
    (0, 1, 2),
)
READ_SWEEPS, TRIAL_SWEEPS = 1000, 10
ENOUGH = 0.97
"""Share of the limit that counts as all of it."""

Found = tuple[float, float]
"""The value of the best sample, and CPU seconds."""


def draw(kind: str, size: int, density: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return linear coefficients [n], pairs [2, num_pairs] and theirs."""
    rng = np.random.default_rng([seed, size, KINDS.index(kind), round(100 * density)])
    low, high = np.triu_indices(size, 1)
    kept = rng.random(len(low)) < density if density < 1 else slice(None)
    pairs = np.stack([low[kept], high[kept]])
    coefficients = [
        rng.normal(size=count) if kind == "gaussian" else rng.choice([-1.0, 1.0], count)
        for count in (size, pairs.shape[1])
    ]
    return coefficients[0], pairs, coefficients[1]


def run_annealco(graph: Graph, limit: float, seed: int, search: str | None) -> Found:
    """Declare, decode and search in so many CPU seconds, as `solve` does without a bound."""
    began = time.process_time()
    instance = QUBO.declare(graph)
    start = decode(instance, np.full(graph.num_nodes, 0.5), num_threads=1)
    kind = None if search is None else SEARCHES[search]
    running, trace = choose_search(instance, start, seed, search=kind, seconds=limit), Trace()
    while True:
        # Of so many seconds of the wall clock other processes may take a part: then it goes on.
        left = limit - (time.process_time() - began)
        best = running.run(Budget(seconds=max(left, 0.0)), -np.inf, trace).assignment
        if left < (1 - ENOUGH) * limit:
            break
    cpu = time.process_time() - began
    return float(QUBO.score(graph, np.flatnonzero(best).tolist())), cpu


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a call gives, and the share of a processor that it had."""
    cpu, wall = time.process_time(), time.perf_counter()
    found = call()
    return found, min(1.0, max(0.05, (time.process_time() - cpu) / max(time.perf_counter() - wall, 1e-9)))


def run_tabu(model: Any, limit: float, seed: int) -> Found:
    """Run D-Wave's tabu search for so many CPU seconds of search."""
    from dwave.samplers import TabuSampler

    sampler, best, used = TabuSampler(), None, 0.0
    while used < ENOUGH * limit:
        options = {} if best is None else {"initial_states": best}
        seconds = limit - used
        found, share = timed(
            partial(
                sampler.sample,
                model,
                num_reads=1,
                timeout=max(1, round(1000 * seconds)),
                seed=1000 * seed + round(100 * used),
                **options,
            )
        )
        used += seconds * share
        if best is None or found.first.energy < best.first.energy:
            best = found
    return float(best.first.energy), used


def run_annealing(model: Any, limit: float, seed: int, *, long: bool) -> Found:
    """Run D-Wave's simulated annealing for so many CPU seconds of sampling."""
    from dwave.samplers import SimulatedAnnealingSampler

    sampler, best, used, number = SimulatedAnnealingSampler(), np.inf, 0.0, 0

    def sample(sweeps: int, reads: int) -> tuple[float, float]:
        """Return the least energy of a call, and the CPU seconds of a sweep."""
        call = partial(sampler.sample, model, num_reads=reads, num_sweeps=sweeps, seed=1000 * seed + number)
        found, share = timed(call)
        return float(found.first.energy), found.info["timing"]["sampling_ns"] * 1e-9 * share / (sweeps * reads)

    _, a_sweep = sample(TRIAL_SWEEPS, 1)
    while used < ENOUGH * limit:
        left = max(1, int((limit - used) / a_sweep))
        sweeps = left if long else min(READ_SWEEPS, left)
        # A first read tells what the others take.
        reads = 1 if number == 0 or long else max(1, left // sweeps)
        number += 1
        energy, a_sweep = sample(sweeps, reads)
        best, used = min(best, energy), used + a_sweep * sweeps * reads
    return best, used


def build_model(linear: np.ndarray, pairs: np.ndarray, value: np.ndarray) -> Any:
    """Return dimod's model."""
    from dimod import BinaryQuadraticModel

    return BinaryQuadraticModel.from_numpy_vectors(linear, (*pairs, value), 0.0, "BINARY")


def measure(method: str, graph: Graph, model: Any, limit: float, seed: int) -> Found:
    """Run a method by its name."""
    if method == "tabu":
        return run_tabu(model, limit, seed)
    if method in {"sa", "sa_long"}:
        return run_annealing(model, limit, seed, long=method == "sa_long")
    return run_annealco(
        graph, limit, seed, {"annealco": None, "annealco annealing": "annealing", "annealco tabu": "tabu"}[method]
    )


METHODS = ("annealco", "annealco annealing", "annealco tabu", "tabu", "sa", "sa_long")
KEY = ("kind", "density", "size", "seed", "limit", "method")


def run(densities: tuple[float, ...], sizes: tuple[int, ...], methods: tuple[str, ...]) -> None:
    """Append what is missing, one row after the other."""
    done = {tuple(row[key] for key in KEY) for row in read_lines(RESULTS)}
    for density in densities:
        for size in sizes:
            for kind in KINDS:
                for seed in SEEDS:
                    wanted = [(kind, density, size, seed, limit, method) for limit in LIMITS for method in methods]
                    missing = [key for key in wanted if key not in done]
                    if not missing:
                        continue
                    linear, pairs, value = draw(kind, size, density, seed)
                    # Each pair once: a dictionary of millions would take longer than the searches.
                    data = {"offset": np.zeros(1), "vartype": np.array(["BINARY"])}
                    graph = Graph.from_edges(
                        pairs, size, edge_weight=value, node_data={"linear": linear}, graph_data=data
                    )
                    theirs = {"tabu", "sa", "sa_long"} & {key[-1] for key in missing}
                    model = build_model(linear, pairs, value) if theirs else None
                    for key in missing:
                        best, cpu = measure(key[-1], graph, model, key[4], seed)
                        append(
                            RESULTS, {**dict(zip(KEY, key, strict=True)), "value": best, "cpu_seconds": round(cpu, 3)}
                        )
                        print(*key, f"{best:.3f}", f"{cpu:.2f}", flush=True)


def table() -> None:
    """Print mean values by family and limit, and for how many seeds annealco is at least as good as the others."""
    values: dict[tuple[Any, ...], dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in read_lines(RESULTS):
        family = row["kind"], row["density"], row["size"], row["limit"]
        values[family][row["method"]][row["seed"]] = row["value"]
    methods = [method for method in METHODS if any(method in found for found in values.values())]
    print("| instances | density | n | s |", *(f"{method} |" for method in methods), "at least as good |")
    print("|---|---|---|---|" + "---|" * (len(methods) + 1))
    for family, found in sorted(values.items()):
        others = [found[method] for method in methods if method in found and not method.startswith("annealco")]
        own = found.get("annealco", {})
        margin = {seed: 1e-9 * abs(value) for seed, value in own.items()}
        good = sum(all(own[seed] <= other.get(seed, np.inf) + margin[seed] for other in others) for seed in own)
        means = [f"{np.mean(list(found[method].values())):.1f}" if method in found else "-" for method in methods]
        kind, density, size, limit = family
        print(
            f"| {kind} | {density:g} | {size} | {limit:g} |",
            *(f"{mean} |" for mean in means),
            f"{good} of {len(own)} |",
        )


def main() -> None:
    """Run or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "table"])
    parser.add_argument("--densities", default="1,0.1")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--methods", default=",".join(METHODS))
    given = parser.parse_args()
    if given.command == "table":
        table()
        return
    densities = tuple(float(each) for each in given.densities.split(","))
    run(densities, tuple(map(int, given.sizes.split(","))), tuple(given.methods.split(",")))


if __name__ == "__main__":
    main()
