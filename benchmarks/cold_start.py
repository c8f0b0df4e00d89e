"""Measure how long ``annealco solve mis FILE`` takes in a new process, on graphs of 300 nodes.

python benchmarks/cold_start.py                  # two minutes, of which the first run ever takes one
python benchmarks/cold_start.py --kernels DIR    # without it: compiled code is in this folder, or kept there

Of a forced RB graph the proof is at hand, so that the answer comes as soon as it is found; of a random graph it is not,
and the default time limit is used up. Without --kernels nothing is compiled yet. Bytecode is kept in a folder of its
own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from annealco.graph.formats import write_graph
from annealco.graph.generators import erdos_renyi, rb_graph

SEED = 3
NUM_GROUPS, GROUP_SIZE, TIGHTNESS = 25, 12, 0.5
EDGE_PROBABILITY = 0.1


class Run(NamedTuple):
    """Seconds of wall-clock and of CPU time, and what was printed."""

    wall: float
    cpu: float
    printed: str
    told: str


def main() -> None:
    """Measure and print a table."""
    options = _parse()
    with tempfile.TemporaryDirectory(prefix="annealco-cold-") as name:
        folder = Path(name)
        graphs = _write_graphs(folder)
        environment = _environment(folder, options.kernels or folder / "kernels")
        first = run("mis", graphs["forced"], environment)
        if "compiling" in first.told:
            print(f"first run ever, which compiles and says so: {first.wall:.1f} s (CPU {first.cpu:.1f} s)")
        print("graph     wall: best  median  CPU: median  of it solving  proven")
        for kind in graphs:
            runs = [run("mis", graphs[kind], environment) for _ in range(options.repeats)]
            answer = json.loads(run("mis", graphs[kind], environment, "--json").printed)
            wall, cpu = [each.wall for each in runs], [each.cpu for each in runs]
            times = f"{min(wall):9.2f} s {statistics.median(wall):5.2f} s {statistics.median(cpu):10.2f} s"
            print(f"{kind:9} {times} {answer['seconds']:12.2f} s  {'yes' if answer['optimal'] else 'no'}")


def run(problem: str, file: Path, environment: dict[str, str], *flags: str) -> Run:
    """Run the command line once, in a process of its own."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "annealco", "solve", problem, str(file), *flags]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(wall, cpu, done.stdout, done.stderr)


def _write_graphs(folder: Path) -> dict[str, Path]:
    graphs = {
        "forced": rb_graph(
            np.random.default_rng(SEED), num_groups=NUM_GROUPS, group_size=GROUP_SIZE, tightness=TIGHTNESS
        ),
        "random": erdos_renyi(
            np.random.default_rng(SEED), num_nodes=NUM_GROUPS * GROUP_SIZE, edge_probability=EDGE_PROBABILITY
        ),
    }
    for kind, graph in graphs.items():
        write_graph(graph, folder / f"{kind}.npz")
    return {kind: folder / f"{kind}.npz" for kind in graphs}


def _environment(folder: Path, kernels: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"NUMBA_CACHE_DIR": str(kernels), "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=9, help="runs of each command")
    parser.add_argument("--kernels", type=Path, help="folder of compiled code, to be kept")
    return parser.parse_args()


if __name__ == "__main__":
    main()
