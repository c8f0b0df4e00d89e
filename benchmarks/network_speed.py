"""Compare networks in the compiled core with the last version in which torch ran them: CPU time of the same steps.

python benchmarks/network_speed.py                    # sets up the old version in a folder of its own, then measures
python benchmarks/network_speed.py --old PYTHON       # with an environment of the old version that is there already
python benchmarks/network_speed.py --same-core        # the old Python code on the present core: nothing is built
python benchmarks/network_speed.py --only mis         # measures whose name begins like this
python benchmarks/network_speed.py --table            # the tables of the rows so far

Both versions run in turns, each measurement in a process of its own with one thread, and the best of some repeats
counts. A measurement is a call of a shipped network on one graph, from its random features to its logits; what is made
once a graph stays outside. Or it is a training step as `train_speed.py` takes it: 32 graphs taken out of a set and
declared, forward, backward and Adam of a `field` of 16 steps, with the peak of memory. The second table tells how far
the core is from the machine's limits: operations of the products by weights beside a product of two matrices by NumPy,
and bytes of neighbours' states beside a copy of memory.
Rows go to --out.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import core_speed
import train_speed

PINNED = "47e7643"
"""The last commit in which torch ran the networks."""

TURNS, REPEATS = 2, 3
TRAINED = 32
"""Graphs of a training step."""

WIDTH, NUM_SEEN = 32, 11
"""Of the shipped networks: numbers of a state, and of what a node sees beside states."""


class Case(NamedTuple):
    """A network on a graph: so many restarts of so many steps."""

    problem: str
    graph: str
    restarts: int
    steps: int = 64

    @property
    def name(self) -> str:
        """What the row is called."""
        return f"{self.problem}, {self.graph}, {self.restarts} × {self.steps}"


CASES = {
    each.name: each
    for each in (
        Case("mis", "rb-small", 1),
        Case("mis", "rb-small", 8),
        Case("mis", "rb-small", 32),
        Case("mis", "rb-large", 1),
        Case("mis", "rb-large", 8),
        Case("mis", "rb-large", 32),
        Case("mis", "ba 1e5", 1, 16),
        Case("mis", "ba 1e5", 8, 8),
        Case("clique", "rb-small-complement", 8),
        Case("mds", "ba-large", 8),
        Case("mds", "ba 1e5", 1, 16),
    )
}

STEPS = {f"training step, {data}": data for data in train_speed.DATA}
"""Training steps by their names, and the graphs of each."""


def main() -> None:
    """Measure what is asked for, in both versions, and print the tables."""
    options = _parse()
    if options.source:
        # In place of the package of this environment, whose finder comes before all paths.
        sys.meta_path = [each for each in sys.meta_path if "ScikitBuild" not in type(each).__name__]
        sys.path.insert(0, options.source)
    if options.measure:
        work = {name: partial(measure, case) for name, case in CASES.items()}
        work |= {name: partial(measure_step, data) for name, data in STEPS.items()}
        print(json.dumps(work[options.measure]()))
        return
    rows = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    if not options.table:
        old = (
            [sys.executable, old_source()] if options.same_core else [options.old or core_speed.old_environment(PINNED)]
        )
        limits = machine_limits()
        for name in (*CASES, *STEPS):
            if name.startswith(options.only):
                row = {"name": name, "pinned": PINNED, "same_core": options.same_core, **compare(name, old), **limits}
                rows = [each for each in rows if each["name"] != name] + [row]
                print(_line(row) if name in CASES else _step_line(row), flush=True)
                options.out.write_text("".join(json.dumps(each) + "\n" for each in rows))
    calls, steps = ([row for row in rows if row["name"] in kind] for kind in (CASES, STEPS))
    print(table(calls), limit_table(calls), step_table(steps), sep="\n\n")


def measure(case: Case) -> dict[str, float]:
    """Time a network in this process: CPU seconds of a call, nodes of the graph and neighbours it hears."""
    from annealco.graph.operations import sparse_side
    from annealco.problems import PROBLEMS

    graph = made(case.graph)
    instance = PROBLEMS[case.problem].declare(graph)
    work = _proposer(case, graph, instance)
    work()
    seconds = min(_timed(work) for _ in range(REPEATS))
    return {"seconds": seconds, "nodes": graph.num_nodes, "heard": 2 * sparse_side(graph).pairs.shape[1]}


def measure_step(data: str) -> dict[str, float]:
    """Time training steps in this process: CPU seconds of the best, and the peak of memory in megabytes."""
    cell = train_speed.measure("field", data, batch=TRAINED, repeats=REPEATS)
    return {"seconds": cell.seconds, "megabytes": cell.megabytes, "nodes": cell.nodes}


def made(name: str) -> Any:
    """Return a graph by its name, or the first of a family."""
    from annealco.graph.generators import generate

    return core_speed.made(name) if name in core_speed.GRAPHS else generate(name, count=1, seed=core_speed.SEED)[0]


def _proposer(case: Case, graph: Any, instance: Any) -> Callable[[], Any]:
    import torch

    from annealco.models.pretrained import shipped_folder
    from annealco.training.checkpoint import load

    torch.set_num_threads(1)
    trained = load(shipped_folder(case.problem))
    trained = trained.with_settings(num_restarts=case.restarts, num_steps=case.steps, seed=core_speed.SEED)
    return lambda: trained(graph, instance)


def _timed(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def old_source() -> str:
    """Put the Python code of the pinned commit into a folder, beside the present core; return the folder."""
    root = Path(__file__).parents[1]
    folder = root / "build" / f"source-{PINNED}"
    packed = subprocess.run(["git", "-C", root, "archive", PINNED, "src"], capture_output=True, check=True)
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "-x", "-C", folder], input=packed.stdout, check=True)
    core = Path(importlib.import_module("annealco._core").__file__ or "")
    shutil.copy(core, folder / "src" / "annealco" / core.name)
    return str(folder / "src")


def compare(name: str, old: list[str]) -> dict[str, Any]:
    """Measure one case in both versions, in turns, each in a process of its own; the best of each counts.

    Args:
        name: of the case.
        old: the Python of the old version, and where its code is if it is not that of the environment.
    """
    found: dict[str, list[dict[str, float]]] = {"old": [], "new": []}
    for version, (python, *source) in TURNS * (("old", old), ("new", [sys.executable])):
        command = [python, __file__, "--measure", name, *(["--source", *source] if source else [])]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=core_speed.plain_environment())
        found[version].append(json.loads(done.stdout.splitlines()[-1]))
    return {version: min(runs, key=lambda run: run["seconds"]) for version, runs in found.items()}


def machine_limits(size: int = 1024, megabytes: int = 256) -> dict[str, float]:
    """Return what NumPy reaches on one thread: 10^9 operations and bytes per second, in a product and in a copy."""
    program = f"""
import time
import numpy as np
def best(work):
    times = []
    for _ in range({REPEATS}):
        start = time.process_time(); work(); times.append(time.process_time() - start)
    return min(times)
one = np.ones(({size}, {size}), np.float32)
memory, copy = np.ones({megabytes} << 18, np.float32), np.empty({megabytes} << 18, np.float32)
print(2e-9 * {size}**3 / best(lambda: one @ one), 2e-9 * memory.nbytes / best(lambda: np.copyto(copy, memory)))
"""
    command, environment = [sys.executable, "-c", program], core_speed.plain_environment()
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    product, copied = map(float, done.stdout.split())
    return {"product": product, "copy": copied}


def table(rows: list[dict[str, Any]]) -> str:
    """Return the times of both versions."""
    heading = (
        "| network, graph, restarts × steps | torch, CPU ms | core, CPU ms | times faster | ns per node and step |"
    )
    return "\n".join([heading, "|---|---|---|---|---|", *map(_line, rows)])


def _line(row: dict[str, Any]) -> str:
    old, new = row["old"]["seconds"], row["new"]["seconds"]
    return f"| {row['name']} | {1e3 * old:.1f} | {1e3 * new:.1f} | {old / new:.1f} | {1e9 * _per_step(row):.0f} |"


def step_table(rows: list[dict[str, Any]]) -> str:
    """Return the times and the memory of training steps in both versions."""
    heading = "| work | torch, CPU ms | core, CPU ms | times faster | torch, MB | core, MB |"
    return "\n".join([heading, "|---|---|---|---|---|---|", *map(_step_line, rows)])


def _step_line(row: dict[str, Any]) -> str:
    old, new = row["old"], row["new"]
    times = f"{1e3 * old['seconds']:.0f} | {1e3 * new['seconds']:.0f} | {old['seconds'] / new['seconds']:.1f}"
    return f"| {row['name']} | {times} | {old['megabytes']:.0f} | {new['megabytes']:.0f} |"


def _per_step(row: dict[str, Any]) -> float:
    """Return the seconds of a step of one restart at one node."""
    case = CASES[row["name"]]
    return float(row["new"]["seconds"] / (row["new"]["nodes"] * case.restarts * case.steps))


def limit_table(rows: list[dict[str, Any]]) -> str:
    """Return operations and bytes per second of the core, beside those that NumPy reaches."""
    heading = (
        "| network, graph, restarts × steps | 10⁹ operations per s | of a product | 10⁹ bytes heard per s | of a copy |"
    )
    return "\n".join([heading, "|---|---|---|---|---|", *map(_limit_line, rows)])


def _limit_line(row: dict[str, Any]) -> str:
    seconds = _per_step(row)
    operations = 1e-9 * 2 * 3 * WIDTH * (3 * WIDTH + NUM_SEEN) / seconds
    heard = 1e-9 * 4 * WIDTH * row["new"]["heard"] / row["new"]["nodes"] / seconds
    shares = [f"{100 * operations / row['product']:.0f} %", f"{100 * heard / row['copy']:.0f} %"]
    return f"| {row['name']} | {operations:.0f} | {shares[0]} | {heard:.1f} | {shares[1]} |"


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", help="Python of an environment with the old version")
    parser.add_argument("--same-core", action="store_true", help="the old Python code on the present core")
    parser.add_argument("--source", help=argparse.SUPPRESS)
    parser.add_argument("--only", default="", help="how names of measurements begin")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/network_speed.jsonl"), help="JSON lines")
    parser.add_argument("--table", action="store_true", help="print the tables, run nothing")
    parser.add_argument("--measure", choices=[*CASES, *STEPS], help="measure one in this process, and print it as JSON")
    return parser.parse_args()


if __name__ == "__main__":
    main()
