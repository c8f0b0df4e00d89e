"""Compare networks for cuts on validation instances, by which it is chosen how they are trained.

    python benchmarks/cut_networks.py runs/cut runs/other      # minutes of one core each; needs ANNEALCO_DATA
    python benchmarks/cut_networks.py                          # print from the rows so far, run nothing

A folder is one that `annealco train cut` wrote. Instances are drawn as the cut protocol draws those of the test split,
one seed node a graph; what counts is cut / volume of the best set that a network proposes, without search.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from json_lines import Row, append, read_lines
from model_quality import STEPS

import annealco
from annealco.baselines.learned import RESTARTS
from annealco.evaluation.bench_entry import digest
from annealco.graph.datasets import cut_instances, load_dataset
from annealco.training.trained import TrainedModel

RESULTS = Path(__file__).parent / "results" / "cut_networks.jsonl"
SETS = {"twitter": 200, "sf295-subset": 200, "facebook": 10}
"""Sets, with about how many instances of each."""


def main() -> None:
    """Measure what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="of networks")
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON lines")
    given = parser.parse_args()
    torch.set_num_threads(1)
    for folder in given.folders:
        network, name = annealco.load(folder), digest(str(folder))
        for data in SETS:
            if not any((row["network"], row["set"]) == (name, data) for row in read_lines(given.out)):
                append(given.out, {"network": name, **measure(network, data)})
    print(table(read_lines(given.out)))


def measure(network: TrainedModel, data: str) -> Row:
    """Return the mean of cut / volume over instances of a set, with how the network was trained."""
    graphs, instances = list(load_dataset(data, "validation")), cut_instances(data, "validation", seeds_per_graph=1)
    instances = instances[:: max(1, len(instances) // SETS[data])]
    model = network.with_settings(num_steps=STEPS)
    begun, found = time.process_time(), []
    for number, node, volume in zip(instances.graph, instances.seed_node, instances.volume, strict=True):
        options = {"model": model, "restarts": RESTARTS, "polish": False, "bound": False, "num_threads": 1}
        answer = annealco.solve(graphs[number], "conductance", seed_node=int(node), volume=tuple(volume), **options)
        found.append(answer.value)
    recipe = network.record["recipe"]
    return {
        "epochs": recipe["epochs"],
        "penalty_scale": recipe["penalty_scale"],
        "set": data,
        "instances": len(found),
        "conductance": round(float(np.mean(found)), 5),
        "cpu": round((time.process_time() - begun) / len(found), 3),
    }


def table(rows: list[Row]) -> str:
    """Return Markdown: a line for each network, a column for each set."""
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


if __name__ == "__main__":
    main()
