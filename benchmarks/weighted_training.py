"""Does it pay to train networks on graphs with weights on their nodes? Trials beside the networks of the package.

    python benchmarks/weighted_training.py                        # train and judge what is missing: hours of one core
    python benchmarks/weighted_training.py --trials "mis, 30 %"   # some, separated by semicolons
    python benchmarks/weighted_training.py --table                # print from the rows so far, run nothing

A trial is a plan of training in which a share of the graphs has weights on the nodes, whole numbers from 1 to 100. Its
network and that of the package are run on validation graphs of the same families, of which half have weights: 8
restarts of 512 steps (of 1,024 at width 16, which takes as long), without search. Ratios are to the value that a
search of 200,000 moves finds. A row for each network goes to --out; interrupted trainings go on from --runs.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import torch
from json_lines import Row, append, read_lines
from model_ablation import best_value, known_value
from train_models import ROUNDS

import annealco
from annealco.datasets.registry import MAX_WEIGHT
from annealco.evaluation.bench.entries import digest
from annealco.graph.graph import Graph
from annealco.models.compiled_field import DEFAULTS
from annealco.models.pretrained import shipped_folder
from annealco.problems import PROBLEMS
from annealco.training.data import SPLITS, load_graphs
from annealco.training.trained import TrainedModel

RESULTS = Path(__file__).parent / "results" / "weighted_training.jsonl"
RUNS = Path("runs/weighted")

FAMILIES = {
    "mis": "rb-small:24+rb-large:2+ba-small:3+er-small:4+er-large:1+twitter:3+collab:3",
    "mds": "ba-small:20+ba-large:4+er-small:3+rb-small:3+twitter:6+collab:4",
}
"""Families that networks learn from and are judged on, with their shares."""

GRAPHS = 4000
"""Of training."""

JUDGED, JUDGED_STEPS, JUDGED_SHARE = 60, 512, 0.5
"""Validation graphs, steps of a network of width 32, and the share of the graphs that has weights."""

LARGE = 600
"""Graphs of more nodes are large."""

KINDS = ("small", "small, weighted", "large", "large, weighted")
SHIPPED = "the package's"


class Trial(NamedTuple):
    """How a network learns.

    Attributes:
        problem: what is learned.
        share: of the graphs that has weights.
        epochs: over the graphs.
        width: of the states.
        is_continued: whether training goes on from the network of the package.
        options: of `train`, in place of its defaults.
    """

    problem: str
    share: float
    epochs: int
    width: int = DEFAULTS.width
    is_continued: bool = False
    options: Mapping[str, Any] = MappingProxyType({})


TRIALS = {
    "mis, half": Trial("mis", 0.5, 80),
    "mis, half, width 16": Trial("mis", 0.5, 160, width=16),
    "mis, 30 %, τ to 0.06": Trial("mis", 0.3, 100, options={"tau_last": 0.06}),
    "mis, half, from the package's": Trial(
        "mis", 0.5, 20, is_continued=True, options={"tau0": 0.1, "tau_last": 0.02, "learning_rate": 0.001}
    ),
    "mds, half": Trial("mds", 0.5, 60),
    "mds, 30 %, τ to 0.06": Trial("mds", 0.3, 80, options={"tau_last": 0.06}),
}
"""By name."""


def main() -> None:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", default=";".join(TRIALS), help="separated by semicolons")
    parser.add_argument("--table", action="store_true", help="print, run nothing")
    parser.add_argument("--runs", type=Path, default=RUNS, help="folders of trainings")
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON lines")
    given = parser.parse_args()
    names = given.trials.split(";")
    if unknown := set(names) - set(TRIALS):
        parser.error(f"unknown trials: {'; '.join(sorted(unknown))}; choose from {'; '.join(TRIALS)}")
    torch.set_num_threads(1)
    for name in names if not given.table else ():
        problem = TRIALS[name].problem
        if not any(row["trial"] == name for row in read_lines(given.out)):
            folder = given.runs / str(list(TRIALS).index(name))
            train(TRIALS[name], folder)
            append(given.out, row_of(name, problem, folder, cpu_seconds(folder)))
        own = {"trial": SHIPPED, "problem": problem, "network": digest(str(shipped_folder(problem)))}
        if not any(row.items() >= own.items() for row in read_lines(given.out)):
            append(given.out, row_of(SHIPPED, problem, shipped_folder(problem), None))
    print(table(read_lines(given.out)))


def train(trial: Trial, folder: Path) -> None:
    """Train a network, or go on with it."""
    shipped = annealco.load(shipped_folder(trial.problem)).with_settings(num_steps=DEFAULTS.num_steps)
    annealco.train(
        trial.problem,
        with_weights(FAMILIES[trial.problem], "train", round(GRAPHS / SPLITS["train"]), trial.share),
        model=shipped.model if trial.is_continued else "field",
        settings=None if trial.is_continued else {"width": trial.width},
        epochs=trial.epochs,
        num_graphs=GRAPHS,
        # The last network counts: with so few steps the best is not the one that goes on improving.
        validate_every=trial.epochs,
        num_validation=10,
        seed=0,
        out=folder,
        resume=True,
        accelerator="cpu",
        **trial.options,
    )


def with_weights(data: str, split: str, count: int, share: float) -> Graph:
    """Return graphs of which about a share has weights; what was planted in them is left out, it is no optimum then."""
    graphs = load_graphs(data, split, count)
    draws = np.random.default_rng(0)
    chosen = draws.random(graphs.num_graphs) < share
    drawn = draws.integers(1, MAX_WEIGHT, graphs.num_nodes, endpoint=True).astype(np.float64)
    weight = np.where(chosen[graphs.graph_of_node], drawn, 1.0)
    return replace(graphs, node_weight=weight, node_data={}, graph_data={})


def row_of(name: str, problem: str, folder: Path, cpu: float | None) -> Row:
    """Return the row of a network, judged."""
    row = {"trial": name, "problem": problem, "network": digest(str(folder)), "cpu": cpu}
    row |= judged(problem, annealco.load(folder))
    print(row, flush=True)
    return row


def judged(problem: str, trained: TrainedModel) -> Row:
    """Return for each kind of graphs their number and the mean ratio to what search finds."""
    steps = JUDGED_STEPS * DEFAULTS.width // trained.settings["width"]
    model = trained.with_settings(num_steps=steps, **ROUNDS[problem])
    found: dict[str, list[float]] = defaultdict(list)
    for number, graph in enumerate(with_weights(FAMILIES[problem], "validation", JUDGED, JUDGED_SHARE)):
        known, own = known_value(graph, problem), best_value(model.with_settings(seed=number), graph, problem)
        kind = KINDS[2 * (graph.num_nodes > LARGE) + bool((graph.node_weight != 1).any())]
        found[kind].append(own / known if PROBLEMS[problem].sense == "max" else known / own)
    return {kind: [len(found[kind]), round(fmean(found[kind]), 5)] for kind in KINDS if found[kind]}


def cpu_seconds(folder: Path) -> float:
    """Return what a training took."""
    with (folder / "log.csv").open(encoding="utf-8") as file:
        return round(float(list(csv.DictReader(file))[-1]["cpu_seconds"]), 1)


def table(rows: list[Row]) -> str:
    """Return Markdown: a line for each network, a column for each kind of graphs."""
    counts = {kind: max((row[kind][0] for row in rows if kind in row), default=0) for kind in KINDS}
    titles = ["problem", "share with weights", "training, CPU s", *(f"{kind} ({counts[kind]})" for kind in KINDS)]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for row in sorted(rows, key=lambda row: (list(FAMILIES).index(row["problem"]), row["trial"] != SHIPPED)):
        told = "none, " + SHIPPED if row["trial"] == SHIPPED else row["trial"].partition(", ")[2]
        cpu = "-" if row["cpu"] is None else f"{row['cpu']:,.0f}"
        figures = [f"{row[kind][1]:.4f}" if kind in row else "-" for kind in KINDS]
        lines.append(f"| {row['problem']} | {told} | {cpu} | {' | '.join(figures)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
