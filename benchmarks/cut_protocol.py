"""Measure the search on a sample of the cut protocol's instances, against greedy growth from the seed node.

python benchmarks/cut_protocol.py twitter --count 200 --seconds 0.1 1    # about 5 minutes of one processor

Needs the data folder. One thread, CPU seconds; instances and searches are drawn from seed 0, but results of a time
limit depend on the machine.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence

import numpy as np

from annealco import PROBLEMS
from annealco.clock import Budget, Trace
from annealco.datasets.registry import find_dataset
from annealco.energy import Instance
from annealco.evaluation.references.cases import load_cases
from annealco.search.decode import decode
from annealco.search.greedy import updated
from annealco.search.searches import choose_search

SEED = 0
CLOCK_SECONDS = 0.002
"""A search knows the wall clock only: it is continued until no more than this is left of its CPU time."""


def search_for(instance: Instance, seconds: Sequence[float]) -> list[float]:
    """Return the value found after each of these rising CPU seconds, decoding included; NaN where none is feasible."""
    started, found = time.process_time(), []
    start = decode(instance, np.full(instance.num_nodes, 0.5), num_threads=1)
    search, trace = choose_search(instance, start, SEED), Trace()
    for limit in seconds:
        while (left := limit - (time.process_time() - started)) > CLOCK_SECONDS:
            search.run(Budget(seconds=left), -math.inf, trace)
        _, best, _ = search.run(Budget(moves=0), -math.inf, trace)
        found.append(float(instance.value(best)[0]) if instance.violations(best)[0] == 0 else math.nan)
    return found


def measure(name: str, count: int, seconds: Sequence[float]) -> list[list[float]]:
    """Return a row for each of some instances: the value of greedy growth, and of the search after these seconds."""
    cases = load_cases(find_dataset(name), PROBLEMS["cut"])
    rows = []
    for number in np.random.default_rng(SEED).permutation(len(cases))[:count].tolist():
        case = cases[number]
        instance = case.problem.declare(case.graph)
        if not rows:
            search_for(instance, [1.0])  # The first call compiles.
        rows.append([float(instance.value(updated(instance))[0]), *search_for(instance, seconds)])
    return rows


def main() -> None:
    """Read the command line and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", choices=["twitter", "facebook", "sf295-subset", "nci60"])
    parser.add_argument("--count", type=int, default=200, help="instances")
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.1, 1.0], help="CPU seconds, rising")
    options = parser.parse_args()
    table = np.array(measure(options.data, options.count, options.seconds))
    print("| method | mean cut | above greedy | below greedy |\n|---|---|---|---|")
    for place, label in enumerate(["greedy", *(f"search, {each:g} s" for each in options.seconds)]):
        above, below = (table[:, place] > table[:, 0]).sum(), (table[:, place] < table[:, 0]).sum()
        print(f"| {label} | {table[:, place].mean():.2f} | {above} | {below} |")


if __name__ == "__main__":
    main()
