"""Measure how long ``annealco solve mis FILE`` takes in a new process, against importing what it imports.

python benchmarks/cold_start.py                  # a minute; then a table
python benchmarks/cold_start.py --repeats 20

The first run of all has no bytecode yet of the given file's readers or of anything else: a fresh folder holds the
bytecode of these runs. The yardstick is a process that imports NumPy, scipy.sparse, typer and rich and ends.
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

QUEENS = Path(__file__).parents[1] / "examples/graphs/queens.col"
YARDSTICK = "import numpy, scipy.sparse, typer, rich"


class Run(NamedTuple):
    """Seconds of wall-clock and of CPU time, and what was printed."""

    wall: float
    cpu: float
    printed: str


def main() -> None:
    """Measure and print a table."""
    options = _parse()
    solve = ["-m", "annealco", "solve", "mis", str(QUEENS)]
    with tempfile.TemporaryDirectory(prefix="annealco-cold-") as folder:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        run(["-c", YARDSTICK], kept)
        environment = kept | {"PYTHONPYCACHEPREFIX": folder}
        bare = run(solve, environment)
        rounds = [(run(["-c", YARDSTICK], environment), run(solve, environment)) for _ in range(options.repeats)]
        proven = [json.loads(run([*solve, "--json"], environment).printed)["optimal"] for _ in range(options.repeats)]
    imports, solves = zip(*rounds, strict=True)
    print(f"{'':34}  wall: best  median  CPU: median")
    for name, runs in (("imports", imports), ("solve", solves)):
        wall, cpu = [each.wall for each in runs], [each.cpu for each in runs]
        print(f"{name:34} {min(wall):8.3f} s {statistics.median(wall):6.3f} s {statistics.median(cpu):8.3f} s")
    ratio = min(each.cpu for each in solves) / min(each.cpu for each in imports)
    print(f"first run ever, no bytecode anywhere {bare.wall:6.3f} s, CPU {bare.cpu:.3f} s")
    print(f"solve / imports, CPU, best of each: {ratio:.2f}; proven in {sum(proven)} of {len(proven)} runs")


def run(arguments: list[str], environment: dict[str, str]) -> Run:
    """Run Python once, in a process of its own."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(wall, cpu, done.stdout)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10, help="runs of each command")
    return parser.parse_args()


if __name__ == "__main__":
    main()
