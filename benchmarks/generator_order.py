"""Decode RB graphs by index, with nodes numbered as a generator would: does the order tell the hidden set?

    python benchmarks/generator_order.py mis --change mask=False --epochs 50 --checkpoints FOLDER
    python benchmarks/generator_order.py table           # print from the rows, and write them into the page

A forced RB graph hides one node per group. This package shuffles nodes. A generator that does not, and that hides the
first node of each group, puts the solution into the order of indices, which conditional decoding by index then follows.
The network is that of the same trial of reading_search.py: from its checkpoint, or trained. Networks of RB-small, which
see no index; validation graphs; one row per set and order in ``--out``.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from json_lines import Row, append, read_lines
from numpy.typing import NDArray
from reading_search import (
    CHECKPOINTS,
    DATA,
    NUM_GRAPHS,
    PAGE,
    Network,
    Reading,
    Trial,
    dense_samples,
    fill,
    parse_changes,
    predict,
    train,
    visit,
)
from torch import Tensor

import annealco
from annealco.datasets import load_dataset
from annealco.graph.graph import Graph
from annealco.search.repair import finish

RESULTS = Path(__file__).parent / "results" / "generator_order.jsonl"
SETS = {
    "mis": {"rb-small": 64, "rb-large": 16},
    "clique": {"rb-small-complement": 64, "rb-large-complement": 16},
}
"""Validation graphs per set."""

PAPER = {
    "rb-small": (0.898, 0.030),
    "rb-large": (0.848, 0.529),
    "rb-small-complement": (0.901, 0.055),
    "rb-large-complement": (0.831, 0.078),
}
"""Its annealed network; a deviation of 0.529 is not possible."""

Keys = tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.float64]]

ORDERS: dict[str, Callable[[Keys], NDArray[np.int64]]] = {
    "shuffled": lambda keys: np.argsort(keys[2]),
    "groups in turn": lambda keys: np.lexsort((keys[2], keys[1])),
    "groups in turn, hidden node first": lambda keys: np.lexsort((~keys[0], keys[1])),
    "groups in turn, hidden node last": lambda keys: np.lexsort((keys[0], keys[1])),
}
"""Orders of indices, from whether a node is hidden, its group, and a random number."""


def keys_of(graph: Graph, seed: int) -> Keys:
    """Return what orders are made of, [n] each."""
    noise = np.random.default_rng([11, seed]).random(graph.num_nodes)
    return graph.node_data["planted"].astype(bool), graph.node_data["group"].astype(np.int64), noise


def best_of_8(network: Network, problem: str, name: str, count: int) -> dict[str, NDArray[np.float64]]:
    """Return the ratio of the best of 8 seeds by order, [count] each."""
    graphs = load_dataset(name, "validation", count=count)
    planted = np.add.reduceat(graphs.node_data["planted"].astype(np.int64), graphs.node_ptr[:-1])
    samples = dense_samples(graphs, problem, planted.astype(float).tolist())
    network.eval()
    found: dict[str, list[float]] = {}
    for number, (each, values) in enumerate(zip(samples, predict(network, samples, 8), strict=True)):
        conflicts = each.adjacency.float() if problem == "mis" else 1.0 - each.adjacency.float()
        conflicts.fill_diagonal_(0.0)
        instance = annealco.PROBLEMS[problem].declare(graphs[number])
        orders: dict[str, Tensor] = {"by probability": values.argsort(0, descending=True)}
        for order, sort in ORDERS.items():
            orders[order] = torch.tensor(sort(keys_of(graphs[number], number))).unsqueeze(1).expand_as(values)
        for order, places in orders.items():
            sets = finish(instance, visit(conflicts, values, places).T.numpy() > 0.5, num_threads=1)
            found.setdefault(order, []).append(float(sets.sum(1).max()) / each.best)
    return {order: np.array(each) for order, each in found.items()}


def measure(problem: str, trial: Trial, folder: Path, out: Path) -> None:
    """Append a row per set and order."""
    reading, epochs, seed = trial.reading, trial.epochs, trial.seed
    training = dense_samples(load_dataset(DATA[problem], "train", count=NUM_GRAPHS), problem, [math.nan] * NUM_GRAPHS)
    path = folder / trial.file_name(problem)
    network = train(reading, problem, training, seed=seed, epochs=epochs, path=path)
    for name, count in SETS[problem].items():
        for order, ratios in best_of_8(network, problem, name, count).items():
            row: Row = {"problem": problem, "set": name, "order": order, "changes": reading.changes(), "epochs": epochs}
            row |= {"seed": seed, "graphs": count, "ratio": round(float(ratios.mean()), 4)}
            append(out, row | {"std": round(float(ratios.std()), 4)})


def table(rows: list[Row]) -> str:
    """Return Markdown: best of 8 by set and order, one column per network."""
    networks = list(dict.fromkeys((_told(row), row["epochs"], row["seed"]) for row in rows))
    titles = [f"{told}, {epochs:g} epochs" for told, epochs, _ in networks]
    lines = [f"| set | order of decoding | {' | '.join(titles)} | paper |", "|---" * (len(titles) + 3) + "|"]
    for sets in SETS.values():
        for name in sets:
            for order in ("by probability", *ORDERS):
                cells = [_cell(rows, name, order, network) for network in networks]
                if any(each != "–" for each in cells):
                    paper = "{:.3f} ± {:.3f}".format(*PAPER[name])
                    lines.append(f"| {' | '.join([name, order, *cells, paper])} |")
    return "\n".join(lines)


def _told(row: Row) -> str:
    return ", ".join(f"{name} {value}" for name, value in row["changes"].items()) or "the paper's reading"


def _cell(rows: list[Row], name: str, order: str, network: tuple[str, float, int]) -> str:
    for row in rows:
        if (row["set"], row["order"]) == (name, order) and (_told(row), row["epochs"], row["seed"]) == network:
            return f"{row['ratio']:.3f} ± {row['std']:.3f}"
    return "–"


def main() -> None:
    """Measure, or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problem", choices=[*SETS, "table"])
    parser.add_argument("--change", default="", help="name=value,...: of the paper's reading")
    parser.add_argument("--epochs", type=float, default=50.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="folder")
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON lines")
    given = parser.parse_args()
    if given.problem != "table":
        torch.set_num_threads(1)
        torch.set_flush_denormal(True)
        trial = Trial(Reading(**parse_changes(given.change)), given.epochs, given.seed)
        measure(given.problem, trial, given.checkpoints, given.out)
    found = table(read_lines(given.out))
    print(found)
    if given.problem == "table":
        PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), {"generator order": found}), encoding="utf-8")


if __name__ == "__main__":
    main()
