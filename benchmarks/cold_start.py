"""Measure how long ``annealco solve mis FILE`` takes in a new process, against importing what it imports.

python benchmarks/cold_start.py                  # a minute; then a table
python benchmarks/cold_start.py --repeats 20
python benchmarks/cold_start.py --proofs         # only what the README's commands answer and prove
python benchmarks/cold_start.py --proofs --burners 2    # the same beside two processes that never rest

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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

QUEENS = Path(__file__).parents[1] / "examples/graphs/queens.col"
README = (
    "annealco solve mis examples/graphs/queens.col",
    "annealco solve mis examples/graphs/queens.col --time-limit 2",
    "annealco solve cut examples/graphs/regions.edges --volume 80:140 --seed-node 205 --json",
    "annealco.solve(networkx.karate_club_graph(), 'mis')",
)
"""The commands and calls of the README that solve without a network."""

YARDSTICK = "import numpy, scipy.sparse, typer, rich"


class Run(NamedTuple):
    """Seconds of wall-clock and of CPU time, and what was printed."""

    wall: float
    cpu: float
    printed: str


def main() -> None:
    """Measure and print a table."""
    options = _parse()
    if options.proofs:
        with burning(options.burners):
            for command in README:
                found = answers(command, options.repeats)
                proven = sum(optimal for _, _, optimal in found)
                print(f"proven in {proven} of {len(found)}, answers and bounds {set(found)}: {command}", flush=True)
        return
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


def answers(command: str, repeats: int) -> list[tuple[float, float, bool]]:
    """Return value, bound and whether it is proven to be an optimum, of a command in so many new processes."""
    name, *given = command.split()
    arguments = ["-m", name, *given, *(["--json"] if "--json" not in given else [])]
    if name != "annealco":
        arguments = ["-c", f"import annealco, json, networkx; print(json.dumps({command}.as_json()))"]
    found = [json.loads(run(arguments, dict(os.environ)).printed) for _ in range(repeats)]
    return [(each["value"], each["bound"], each["optimal"]) for each in found]


@contextmanager
def burning(count: int) -> Iterator[None]:
    """Keep so many processes busy meanwhile."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for each in burners:
            each.kill()
            each.wait()


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
    parser.add_argument("--proofs", action="store_true", help="count proofs of the README's commands, time nothing")
    parser.add_argument("--burners", type=int, default=0, help="busy processes beside them")
    return parser.parse_args()


if __name__ == "__main__":
    main()
