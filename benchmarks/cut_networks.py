"""Compare networks for cuts on validation instances, by which it is chosen how they are trained and run.

    python benchmarks/cut_networks.py runs/cut runs/other      # minutes of one core each; needs ANNEALCO_DATA
    python benchmarks/cut_networks.py --budgets                # the package's network with more restarts and steps
    python benchmarks/cut_networks.py                          # print from the rows so far, run nothing

A folder is one that `annealco train cut` wrote. Instances are drawn as the cut protocol draws those of the test split,
one seed node a graph, on graphs that the test split has not; what counts is cut / volume of the best set that a network
proposes, without search.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from json_lines import Row, append, read_lines
from model_quality import STEPS

import annealco
from annealco.baselines.learned import RESTARTS
from annealco.datasets import CutInstances, cut_instances, load_dataset
from annealco.evaluation.bench.entries import digest
from annealco.graph.graph import Graph
from annealco.models.pretrained import shipped_folder
from annealco.training.data import fingerprint
from annealco.training.trained import TrainedModel

Budget = tuple[int, int]
"""Restarts and steps of a network."""

RESULTS = Path(__file__).parent / "results" / "cut_networks.jsonl"
SETS = {"twitter": 200, "sf295-subset": 200, "facebook": 10}
"""Sets, with about how many instances of each."""

SHIPPED = (RESTARTS, STEPS)
BUDGETS = (SHIPPED, (32, 64), (8, 256), (32, 256), (8, 1024))
"""Restarts and steps, no more than 8,192 steps in all: the protocol has thousands of instances."""

BUDGET_SETS = ("twitter", "sf295-subset")
"""Not Facebook, where a graph takes many seconds as it is."""


def main() -> None:
    """Measure what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="of networks")
    parser.add_argument("--budgets", action="store_true", help="measure the package's network with all budgets")
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON lines")
    given = parser.parse_args()
    if missing := [str(folder) for folder in given.folders if not (folder / "model.json").is_file()]:
        parser.error(f"no trained network in {', '.join(missing)}")
    torch.set_num_threads(1)
    for folder in given.folders:
        add_missing(given.out, folder, tuple(SETS), SHIPPED)
    for budget in BUDGETS if given.budgets else ():
        add_missing(given.out, shipped_folder("cut"), BUDGET_SETS, budget)
    print(table(read_lines(given.out)), budget_table(read_lines(given.out)), sep="\n\n")


def add_missing(out: Path, folder: Path, sets: Sequence[str], budget: Budget) -> None:
    """Measure a network with a budget on the sets of which there is no row."""
    name = digest(str(folder))
    for data in sets:
        if not any(is_of(row, name, data, budget) for row in read_lines(out)):
            append(out, {"network": name, **measure(annealco.load(folder), data, budget)})


def validation(data: str) -> tuple[list[Graph], CutInstances]:
    """Return validation graphs of a set, and instances on those that are no test graphs too, as some are."""
    graphs, instances = list(load_dataset(data, "validation")), cut_instances(data, "validation", seeds_per_graph=1)
    tested = {fingerprint(graph) for graph in load_dataset(data, "test")}
    instances = instances[np.flatnonzero([fingerprint(graphs[number]) not in tested for number in instances.graph])]
    return graphs, instances[:: max(1, len(instances) // SETS[data])]


def measure(network: TrainedModel, data: str, budget: Budget) -> Row:
    """Return the mean of cut / volume over instances of a set, with how the network was trained."""
    graphs, instances = validation(data)
    restarts, steps = budget
    model = network.with_settings(num_steps=steps)
    begun, found = time.process_time(), []
    for number, node, volume in zip(instances.graph, instances.seed_node, instances.volume, strict=True):
        options = {"model": model, "restarts": restarts, "polish": False, "bound": False, "num_threads": 1}
        answer = annealco.solve(graphs[number], "conductance", seed_node=int(node), volume=tuple(volume), **options)
        found.append(answer.value)
    recipe = network.record["recipe"]
    return {
        "epochs": recipe["epochs"],
        "penalty_scale": recipe["penalty_scale"],
        "restarts": restarts,
        "steps": steps,
        "set": data,
        "instances": len(found),
        "conductance": round(float(np.mean(found)), 5),
        "cpu": round((time.process_time() - begun) / len(found), 3),
    }


def is_of(row: Row, network: str, data: str, budget: Budget) -> bool:
    """Tell whether a row is that of a network on a set with a budget."""
    return (row["network"], row["set"], (row["restarts"], row["steps"])) == (network, data, budget)


def table(rows: list[Row]) -> str:
    """Return Markdown: a line for each network as networks are shipped, a column for each set."""
    rows = [row for row in rows if (row["restarts"], row["steps"]) == SHIPPED]
    counts = {data: next((row["instances"] for row in rows if row["set"] == data), 0) for data in SETS}
    titles = ["epochs", "penalty / critical", *(f"{data} ({count})" for data, count in counts.items())]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for network in dict.fromkeys(row["network"] for row in rows):
        own = {row["set"]: row for row in rows if row["network"] == network}
        first = next(iter(own.values()))
        cells = [str(first["epochs"]), f"{first['penalty_scale']:g}"]
        cells += [f"{own[data]['conductance']:.4f}" if data in own else "-" for data in SETS]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def budget_table(rows: list[Row]) -> str:
    """Return Markdown: a line for each budget of the package's network, a column for each set."""
    name = digest(str(shipped_folder("cut")))
    titles = ["restarts", "steps", *BUDGET_SETS]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for budget in BUDGETS:
        found = [next((row for row in rows if is_of(row, name, data, budget)), None) for data in BUDGET_SETS]
        cells = ["-" if row is None else f"{row['conductance']:.4f} ({row['cpu']:.3g} s)" for row in found]
        lines.append(f"| {budget[0]} | {budget[1]} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
