"""Train the same network annealed and not annealed, and compare both with the network that comes with the package.

python examples/learning.py --out demo

Nothing here searches: sets are the best of eight proposals of a network, decoded. The planted optimum of each test
graph is known.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

import annealco

PROBLEM, DATA = "mis", "rb-small"
RESTARTS, STEPS = 8, 64
WAYS: dict[str, dict[str, Any]] = {"annealed": {}, "not annealed": {"tau0": 0.0}}


def ratios(graphs: annealco.Graph, model: Any) -> list[float]:
    """Return what a network's sets have of the planted optima."""
    found = annealco.solve(
        list(graphs), PROBLEM, model=model, restarts=RESTARTS, polish=False, bound=False, time_limit=60
    )
    return [each.value / best for each, best in zip(found, graphs.graph_data["planted_size"], strict=True)]


def main() -> None:
    """Train twice, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("demo"), help="folder for the networks and pictures")
    parser.add_argument("--graphs", type=int, default=200, help="to train on")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--test-graphs", type=int, default=20)
    given = parser.parse_args()
    tests = annealco.load_dataset(DATA, "test", count=given.test_graphs)
    rows = [("no network", 0.0, ratios(tests, "none"))]
    for name, options in WAYS.items():
        out = given.out / f"network {name}"
        print(f"training a network, {name}: {given.epochs} epochs of {given.graphs} graphs", flush=True)
        started = time.process_time()
        trained = annealco.train(
            PROBLEM,
            DATA,
            epochs=given.epochs,
            num_graphs=given.graphs,
            num_validation=10,
            # The last network counts, as in the package's own.
            validate_every=given.epochs,
            out=out,
            force=True,
            **options,
        )
        seconds = time.process_time() - started
        rows.append((name, seconds, ratios(tests, trained.with_settings(num_steps=STEPS))))
    rows.append(("of the package", 0.0, ratios(tests, "auto")))
    print(f"\n{PROBLEM} on {tests.num_graphs} test graphs of {DATA}, best of {RESTARTS} proposals, no search")
    print("network         mean ratio  least  training CPU s")
    for name, seconds, found in rows:
        print(f"{name:15} {np.mean(found):10.3f} {min(found):6.3f}  {seconds:14.0f}")
    print(f"Pictures of the trainings: {given.out}/network */run.png")


if __name__ == "__main__":
    main()
