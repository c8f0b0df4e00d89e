"""Choose the settings of local clustering methods on validation graphs, as Karalias and Loukas (2020) did.

python benchmarks/tune_local_clustering.py --data twitter --instances 50

Prints the mean conductance of every setting on instances spread evenly over the validation split, one seed node a
graph, and the share of sets that are in the volume box with their seed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from annealco.baselines.clustering import Box, complaint
from annealco.baselines.clustering.diffusion import diffuse_and_sweep, nibble
from annealco.baselines.clustering.flow import improve_ball, improve_near
from annealco.datasets import load_dataset
from annealco.datasets.cut_instances import draw_instances
from annealco.graph.graph import Graph
from annealco.problems.conductance import conductance

Case = tuple[Graph, int, Box]

GRIDS: dict[str, tuple[Callable[..., Any], dict[str, tuple[float, ...]]]] = {
    "pagerank_nibble": (nibble, {"alpha": (0.01, 0.05, 0.2), "precision": (0.001, 0.01, 0.1)}),
    "crd": (diffuse_and_sweep, {"capacity": (1, 3, 10, 20), "height": (3, 10, 20)}),
    "mqi": (improve_ball, {"radius": (1, 2, 3)}),
    "simple_local": (improve_near, {"radius": (1, 2), "delta": (0.0, 0.01, 0.1, 0.5)}),
}
"""Methods and the settings that are tried; δ = 0 of Simple-Local is a flow over the whole graph."""


class Score(NamedTuple):
    """A method with some settings: mean conductance, share of feasible sets, CPU seconds an instance."""

    method: str
    settings: dict[str, float]
    conductance: float
    feasible: float
    cpu: float


def main() -> None:
    """Read the command line, and print a line for each setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="twitter", help="a set with graphs for cuts")
    parser.add_argument("--instances", type=int, default=50, help="how many")
    parser.add_argument("--methods", default=",".join(GRIDS), help="separated by commas")
    options = parser.parse_args()
    cases = validation_cases(options.data, options.instances)
    print("| method | settings | cut / volume | feasible | CPU s |\n|---|---|---|---|---|")
    for method in options.methods.split(","):
        for score in scores(method, cases):
            settings = ", ".join(f"{name} {value:g}" for name, value in score.settings.items())
            figures = f"{score.conductance:.4f} | {score.feasible:.3f} | {score.cpu:.4f}"
            print(f"| {method} | {settings} | {figures} |", flush=True)


def validation_cases(data: str, count: int) -> list[Case]:
    """Return instances of the cut protocol, spread evenly over the validation split."""
    graphs = load_dataset(data, "validation")
    drawn = draw_instances(graphs, 1, name=data, seed=0)
    picked = np.linspace(0, len(drawn) - 1, min(count, len(drawn))).astype(int)
    return [
        (graphs[int(drawn.graph[each])], int(drawn.seed_node[each]), Box(*drawn.volume[each].tolist()))
        for each in picked
    ]


def scores(method: str, cases: list[Case]) -> Iterator[Score]:
    """Yield the score of every setting."""
    cluster, grid = GRIDS[method]
    cluster(*cases[0])
    for values in product(*grid.values()):
        settings = dict(zip(grid, values, strict=True))
        begun = time.process_time()
        found = [cluster(*case, **settings) for case in cases]
        cpu = (time.process_time() - begun) / len(cases)
        figures = [
            conductance(graph, np.flatnonzero(each).tolist()) for (graph, _, _), each in zip(cases, found, strict=True)
        ]
        met = [complaint(graph, each, box, [seed]) == "" for (graph, seed, box), each in zip(cases, found, strict=True)]
        yield Score(method, settings, float(np.mean(figures)), float(np.mean(met)), cpu)


if __name__ == "__main__":
    main()
