"""Compare the compiled core with the last version on Numba: CPU time for the same work, and peak memory.

python benchmarks/core_speed.py                       # sets up the old version in a folder of its own, then measures
python benchmarks/core_speed.py --old PYTHON          # with an environment of the old version that is there already
python benchmarks/core_speed.py --only covering       # measures whose name begins like this
python benchmarks/core_speed.py --table               # the table of the rows so far

Both versions run in turns, each measurement in a process of its own with one thread, and the best of some repeats
counts. Work is counted in moves, sweeps or passes that both versions make alike; set-up and Numba's compilation, or its
loading of compiled code, stay outside. Peak memory is that of the process. Rows go to --out.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from versions import exists, first_of

PINNED = "9e48326"
"""The last commit on Numba."""

REPEATS = 3
SEED = 5
SEARCH_SEED = SEED
"""Of the searches; `same_moves.py` changes it."""

Work = Callable[[], Any]
Measure = Callable[[], tuple[Work, Work]]
"""Returns what is to be timed, and the same on something small, to compile or load what it needs."""


def main() -> None:
    """Measure what is asked for, in both versions, and print the table."""
    options = _parse()
    if options.measure:
        print(json.dumps(measure(options.measure)))
        return
    rows = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    if not options.table:
        old = options.old or old_environment()
        for name in MEASURES:
            if name.startswith(options.only):
                row = compare(name, old)
                rows = [each for each in rows if each["name"] != name] + [row]
                print(_line(row), flush=True)
        options.out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(table(rows))


def compare(name: str, old: str) -> dict[str, Any]:
    """Run a measurement in both versions, in turns; keep the best CPU seconds and the least memory of each."""
    found: dict[str, list[dict[str, float]]] = {"old": [], "new": []}
    for _ in range(REPEATS):
        for version, python in (("old", old), ("new", sys.executable)):
            found[version].append(_run(python, name))
    row: dict[str, Any] = {"name": name, "pinned": PINNED}
    for version, runs in found.items():
        row[version] = {key: min(run[key] for run in runs) for key in ("seconds", "megabytes")}
        row[version]["value"] = runs[0]["value"]
    return row


def _run(python: str, name: str) -> dict[str, float]:
    command = [python, __file__, "--measure", name]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=plain_environment())
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def plain_environment() -> dict[str, str]:
    """Return an environment for either version, with one thread."""
    # The folder of this script must not put one version's source before the other's.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return environment | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def measure(name: str) -> dict[str, float]:
    """Time one measurement in this process."""
    work, small = MEASURES[name]()
    small()
    began = time.process_time()
    value = work()
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "megabytes": peak, "value": float(value)}


def searched(problem: str, graphs: str, moves: int, *, weighted: bool = False) -> Measure:
    """Return a measurement of moves of the search that a problem gets, from a decoded start."""

    def prepare() -> tuple[Work, Work]:
        from annealco.graph.generators import generate

        budget = first_of("annealco.clock:Budget", "annealco.search.budget:Budget")
        improver = first_of("annealco.search.searches:Improver", "annealco.search.improve:Improver")

        def on(graph: Any, count: int) -> Work:
            instance = declared(problem, graph)
            start = decoder()(instance, np.full(graph.num_nodes, 0.5 if problem != "mds" else 0.1), num_threads=1)
            search = improver(instance, start, seed=SEARCH_SEED)
            search.improve(budget(moves=0))

            def work() -> float:
                search.improve(budget(moves=count))
                return search.cost

            return work

        graph = made(graphs) if graphs in GRAPHS else generate(graphs, count=1, seed=SEED)[0]
        if weighted:
            graph = graph.with_weights(node_weight=np.random.default_rng(SEED).integers(1, 100, graph.num_nodes))
        return on(graph, moves), on(made("small"), 1000)

    return prepare


def flipped(kind: str, problem: str, graphs: str, moves: int) -> Measure:
    """Return a measurement of moves of tabu search or of annealing."""

    def prepare() -> tuple[Work, Work]:
        budget = first_of("annealco.clock:Budget", "annealco.search.budget:Budget")
        trace = first_of("annealco.clock:Trace", "annealco.search.budget:Trace")

        def on(graph: Any, count: int) -> Work:
            instance = declared(problem, graph)
            search = flip_search(kind)(instance, np.zeros(graph.num_nodes, bool), SEARCH_SEED)
            return lambda: search.run(budget(moves=count), -math.inf, trace())[2]

        return on(made(graphs), moves), on(made("small"), 1000)

    return prepare


def passed(kind: str, problem: str, graphs: str) -> Measure:
    """Return a measurement of one pass over a graph: decoding, repair or mean field."""

    def prepare() -> tuple[Work, Work]:
        from annealco.search.mean_field import mean_field_annealing
        from annealco.search.repair import finish

        def on(graph: Any) -> Work:
            instance = declared(problem, graph)
            even = np.full(graph.num_nodes, 0.5 if problem != "mds" else 0.1)
            worst = np.full(graph.num_nodes, problem == "mis")
            decoder()(instance, even, num_threads=1)
            return {
                "decoding": lambda: instance.value(decoder()(instance, even, finish=False, num_threads=1))[0],
                "repair": lambda: instance.value(finish(instance, worst, num_threads=1))[0],
                "mean field": lambda: mean_field_annealing(instance, num_sweeps=20, num_threads=1).sum(),
            }[kind]

        return on(made(graphs)), on(made("small"))

    return prepare


def covered(graphs: str) -> Measure:
    """Return a measurement of a greedy clique cover."""

    def prepare() -> tuple[Work, Work]:
        neighbours_of = first_of(
            "annealco.bounds.linear_program:neighbours_of", "annealco.bounds.neighbours:neighbours_of"
        )

        def on(graph: Any) -> Work:
            cover = clique_cover(neighbours_of(graph.edges, graph.num_nodes), np.ones(graph.num_nodes))
            return lambda: len(cover().price)

        return on(made(graphs)), on(made("small"))

    return prepare


def branched(graphs: str) -> Measure:
    """Return a measurement of branch and bound to the proof of a least dominating set, from the same even prices."""

    def prepare() -> tuple[Work, Work]:
        import annealco
        from annealco.bounds.ledger import Ledger

        set_list = first_of("annealco.bounds.linear_program:SetList", "annealco.bounds.cutting_plane:SetList")

        def on(graph: Any) -> Work:
            neighbours: list[list[int]] = [[node] for node in range(graph.num_nodes)]
            for low, high in graph.edges.T.tolist():
                neighbours[low].append(high)
                neighbours[high].append(low)
            start = np.cumsum([0, *map(len, neighbours)])
            rows = set_list(start, np.concatenate(neighbours).astype(np.int32))
            price = np.array([1 / max(len(neighbours[node]) for node in each) for each in neighbours])
            least = float(annealco.solve(graph, "mds", time_limit=2.0, num_threads=1).value)

            def work() -> float:
                ledger = Ledger(seconds=3600.0, target=least, step=1.0)
                ledger.offer(float(price.sum()), "prices")
                branching(np.ones(graph.num_nodes), rows, price, ledger)
                return ledger.cost

            return work

        return on(made(graphs)), on(made("small"))

    return prepare


def clique_cover(rows: Any, weight: Any) -> Work:
    """Return the greedy clique cover of either version."""
    cover = first_of("annealco.bounds.packing:greedy_cover", "annealco.bounds.greedy_cover:greedy_clique_cover")
    if not exists("annealco._core:Clock"):
        return lambda: cover(rows, weight)
    clock = first_of("annealco._core:Clock")
    return lambda: cover(rows, weight, clock())[0]


def branching(weight: Any, rows: Any, price: Any, ledger: Any) -> None:
    """Raise a bound to the target by branch and bound, in either version."""
    prove = first_of("annealco.bounds.branching:prove_by_branching", "annealco.bounds.branch_bound:prove_by_branching")
    first: tuple[Any, ...] = (weight, rows, np.ones(len(price), np.int64))
    if exists("annealco.bounds.branch_bound:demands_of"):
        first = (first_of("annealco.bounds.branch_bound:demands_of")(*first),)
    prove(*first, price, ledger, constant=0.0, offer=lambda cost: ledger.offer(cost, "branch and bound"))


def declared(problem: str, graph: Any) -> Any:
    """Return the instance of a problem; cuts get a volume of a tenth to a third of all."""
    from annealco.problems import PROBLEMS

    found = PROBLEMS[problem]
    if problem == "cut":
        volume = 2.0 * graph.num_edges
        found = found.with_options(volume=(0.1 * volume, 0.3 * volume))
    return found.declare(graph)


def decoder() -> Any:
    """Return `decode` of either version."""
    return first_of("annealco.search.decode:decode", "annealco.search.conditional:decode")


def flip_search(kind: str) -> Any:
    """Return the class of a search by flips, of either version."""
    places = {
        "tabu": ("annealco.search.tabu:TabuSearch",),
        "annealing": ("annealco.search.annealing:AnnealingSearch", "annealco.search.anneal:AnnealingSearch"),
    }
    return first_of(*places[kind])


def barabasi(size: int) -> Callable[[], Any]:
    """Return a maker of a Barabási–Albert graph."""

    def make() -> Any:
        from annealco.graph.generators.barabasi_albert import barabasi_albert

        return barabasi_albert(np.random.default_rng(SEED), num_nodes=size, attachment=4)

    return make


def torus(side: int) -> Callable[[], Any]:
    """Return a maker of a square torus with weights −1 and 1."""

    def make() -> Any:
        from annealco.graph.graph import Graph

        place = np.arange(side * side).reshape(side, side)
        ends = [np.stack([place.ravel(), np.roll(place, 1, axis).ravel()]) for axis in (0, 1)]
        low, high = np.sort(np.concatenate(ends, axis=1), axis=0)
        order = np.lexsort((high, low))
        graph = Graph.from_edges([low[order], high[order]], side * side)
        return graph.with_weights(edge_weight=np.random.default_rng(SEED).choice([-1.0, 1.0], graph.num_edges))

    return make


def random_graph(size: int, density: float) -> Callable[[], Any]:
    """Return a maker of an Erdős–Rényi graph."""

    def make() -> Any:
        from annealco.graph.generators import erdos_renyi

        return erdos_renyi(np.random.default_rng(SEED), num_nodes=size, edge_probability=density)

    return make


GRAPHS: dict[str, Callable[[], Any]] = {
    "small": barabasi(60),
    "random 120": random_graph(120, 0.06),
    "ba 1e4": barabasi(10_000),
    "ba 1e5": barabasi(100_000),
    "ba 1e6": barabasi(1_000_000),
    "torus": torus(100),
    "random": random_graph(2000, 0.01),
}


def made(name: str) -> Any:
    """Return a graph by its name."""
    return GRAPHS[name]()


MEASURES: dict[str, Measure] = {
    "covering, mis, rb-large": searched("mis", "rb-large", 400_000),
    "covering, mds, ba-large": searched("mds", "ba-large", 400_000),
    "covering, mis, ba 1e5": searched("mis", "ba 1e5", 400_000),
    "covering, weighted mis, rb-large": searched("mis", "rb-large", 400_000, weighted=True),
    "covering, clique, rb-large": searched("clique", "rb-large", 200_000),
    "tabu, max_cut, random": flipped("tabu", "max_cut", "random", 300_000),
    "tabu, max_cut, torus": flipped("tabu", "max_cut", "torus", 300_000),
    "tabu, cut, ba 1e4": flipped("tabu", "cut", "ba 1e4", 100_000),
    "annealing, max_cut, random": flipped("annealing", "max_cut", "random", 20_000_000),
    "annealing, max_cut, torus": flipped("annealing", "max_cut", "torus", 20_000_000),
    "annealing, cut, ba 1e4": flipped("annealing", "cut", "ba 1e4", 5_000_000),
    "decoding, mis, ba 1e5": passed("decoding", "mis", "ba 1e5"),
    "decoding, mis, ba 1e6": passed("decoding", "mis", "ba 1e6"),
    "decoding, mds, ba 1e5": passed("decoding", "mds", "ba 1e5"),
    "decoding, mds, ba 1e6": passed("decoding", "mds", "ba 1e6"),
    "repair, mis, ba 1e5": passed("repair", "mis", "ba 1e5"),
    "repair, mis, ba 1e6": passed("repair", "mis", "ba 1e6"),
    "repair, mds, ba 1e6": passed("repair", "mds", "ba 1e6"),
    "mean field, mis, ba 1e4": passed("mean field", "mis", "ba 1e4"),
    "mean field, mds, ba 1e4": passed("mean field", "mds", "ba 1e4"),
    "clique cover, ba 1e5": covered("ba 1e5"),
    "clique cover, ba 1e6": covered("ba 1e6"),
    "branch and bound, mds, random 120": branched("random 120"),
}


def old_environment(commit: str = PINNED) -> str:
    """Set a commit up in a folder beside this checkout's own environment; return its Python."""
    root = Path(__file__).parents[1]
    folder = root / "build" / f"version-{commit}"
    if not (folder / ".venv/.ready").exists():
        subprocess.run(["git", "-C", root, "worktree", "add", "--detach", folder, commit], check=True)
        subprocess.run(["make", "-C", folder, "setup"], check=True)
    return str(folder / ".venv/bin/python")


def table(rows: list[dict[str, Any]]) -> str:
    """Return all rows, and the geometric mean of their ratios."""
    lines = ["| work | Numba, CPU s | core, CPU s | times faster | Numba, MB | core, MB |", "|---|---|---|---|---|---|"]
    lines += [_line(row) for row in rows]
    if rows:
        mean = math.exp(sum(math.log(_ratio(row)) for row in rows) / len(rows))
        lines.append(f"| geometric mean | | | {mean:.2f} | | |")
    return "\n".join(lines)


def _ratio(row: dict[str, Any]) -> float:
    return float(row["old"]["seconds"] / row["new"]["seconds"])


def _line(row: dict[str, Any]) -> str:
    old, new = row["old"], row["new"]
    times = f"{old['seconds']:.3f} | {new['seconds']:.3f} | {_ratio(row):.2f}"
    return f"| {row['name']} | {times} | {old['megabytes']:.0f} | {new['megabytes']:.0f} |"


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", help="Python of an environment with the old version")
    parser.add_argument("--only", default="", help="how names of measurements begin")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/core_speed.jsonl"), help="JSON lines")
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    parser.add_argument("--measure", choices=MEASURES, help="measure one in this process, and print it as JSON")
    return parser.parse_args()


if __name__ == "__main__":
    main()
