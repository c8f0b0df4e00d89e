"""Decode networks in several orders, on graphs of the size they learned from and on large ones.

    python benchmarks/generator_order.py mis --change mask=False --epochs 50 --checkpoints FOLDER
    python benchmarks/generator_order.py mds --epochs 15
    python benchmarks/generator_order.py table           # print from the rows, and write them into the page

A forced RB graph hides one node per group. This package shuffles nodes. A generator that does not, and that hides the
first node of each group, puts the solution into the order of indices, which conditional decoding by index then follows.
The steepest order, which depends on what was decided, tells no more than the graph does. The network is that of the
same trial of reading_search.py: from its checkpoint, or trained. Networks of small graphs, which see no index;
validation graphs; one row per set and order in ``--out``.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from json_lines import Row, append, read_lines
from model_ablation import known_value
from numpy.typing import NDArray
from reading_search import (
    CHECKPOINTS,
    DATA,
    NUM_GRAPHS,
    PAGE,
    Network,
    Reading,
    Sample,
    Trial,
    conflicts_of,
    cover_orders,
    dense_samples,
    fill,
    pair_orders,
    parse_changes,
    predict,
    train,
    visit,
)
from torch import Tensor

import annealco
from annealco.datasets import load_dataset
from annealco.graph.graph import Graph
from annealco.search.decode import decode
from annealco.search.repair import finish

RESULTS = Path(__file__).parent / "results" / "generator_order.jsonl"
SETS = {
    "mis": {"rb-small": 64, "rb-large": 16},
    "clique": {"rb-small-complement": 64, "rb-large-complement": 16},
    "mds": {"ba-small": 64, "ba-large": 16},
}
"""Validation graphs per set."""

PAPER = {
    "rb-small": (0.898, 0.030),
    "rb-large": (0.848, 0.529),
    "rb-small-complement": (0.901, 0.055),
    "rb-large-complement": (0.831, 0.078),
    "ba-small": (0.954, 0.006),
    "ba-large": (0.931, 0.015),
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


STEEPEST = ("steepest", "steepest, best of 32", "steepest, no network", "steepest, no network, best of 32")
"""Orders that depend on what was decided, also from even probabilities with noise."""

SAMPLES = 32


def keys_of(graph: Graph, seed: int) -> Keys:
    """Return what orders are made of, [n] each."""
    noise = np.random.default_rng([11, seed]).random(graph.num_nodes)
    return graph.node_data["planted"].astype(bool), graph.node_data["group"].astype(np.int64), noise


def best_ratios(network: Network, problem: str, name: str, count: int) -> dict[str, NDArray[np.float64]]:
    """Return the ratio of the best of 8 seeds by order, [count] each; of 32 where the order says so."""
    graphs = load_dataset(name, "validation", count=count)
    best = [known_value(graphs[number], problem) for number in range(count)]
    samples = dense_samples(graphs, problem, best)
    network.eval()
    found: dict[str, list[float]] = {}
    for number, (each, values) in enumerate(zip(samples, predict(network, samples, SAMPLES), strict=True)):
        instance = annealco.PROBLEMS[problem].declare(graphs[number])
        for order, decided in decided_in(problem, graphs[number], each, values, number).items():
            sizes = finish(instance, decided.T.numpy() > 0.5, num_threads=1).sum(1)
            ratio = each.best / sizes.min() if problem == "mds" else sizes.max() / each.best
            found.setdefault(order, []).append(float(ratio))
    return {order: np.array(each) for order, each in found.items()}


def decided_in(problem: str, graph: Graph, sample: Sample, values: Tensor, seed: int) -> dict[str, Tensor]:
    """Return what is decided in each order, [n, 8] each; [n, 32] where the order says so."""
    few = values[:, :8]
    if problem == "mds":
        decoded = decode(annealco.PROBLEMS[problem].declare(graph), few.T.double().clamp(0, 1).numpy(), num_threads=1)
        found, orders = {"by probability": torch.tensor(decoded.T).float()}, cover_orders(sample, values)
    else:
        conflicts = conflicts_of(sample, problem)
        places: dict[str, Tensor] = {"by probability": few.argsort(0, descending=True)}
        for order, sort in ORDERS.items():
            places[order] = torch.tensor(sort(keys_of(graph, seed))).unsqueeze(1).expand_as(few)
        found = {order: visit(conflicts, few, each) for order, each in places.items()}
        orders = pair_orders(sample, values, problem, graph)
    both = [orders["steepest"][:, :8], orders["steepest"], orders["no network"][:, :8], orders["no network"]]
    return found | dict(zip(STEEPEST, both, strict=True))


def measure(problem: str, trial: Trial, folder: Path, out: Path) -> None:
    """Append a row per set and order."""
    reading, epochs, seed = trial.reading, trial.epochs, trial.seed
    training = dense_samples(load_dataset(DATA[problem], "train", count=NUM_GRAPHS), problem, [math.nan] * NUM_GRAPHS)
    path = folder / trial.file_name(problem)
    network = train(reading, problem, training, seed=seed, epochs=epochs, path=path)
    for name, count in SETS[problem].items():
        for order, ratios in best_ratios(network, problem, name, count).items():
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
            for order in ("by probability", *ORDERS, *STEEPEST):
                cells = [_cell(rows, name, order, network) for network in networks]
                if any(each != "–" for each in cells):
                    paper = "{:.3f} ± {:.3f}".format(*PAPER[name])
                    lines.append(f"| {' | '.join([name, order, *cells, paper])} |")
    return "\n".join(lines)


def without_network(rows: list[Row]) -> str:
    """Return Markdown: the paper's figures of its annealed network beside the steepest order without a network."""
    plain, most = (
        {row["set"]: row["ratio"] for row in rows if row["order"] == order}
        for order in ("steepest, no network", "steepest, no network, best of 32")
    )
    sets = [name for name in PAPER if name in plain]
    lines = [
        ["", *sets],
        ["---"] * (len(sets) + 1),
        ["the paper, annealed", *(f"{PAPER[name][0]:.3f}" for name in sets)],
    ]
    for title, found in (("steepest order, no network", plain), ("the same, best of 32", most)):
        lines.append([title, *(f"{found[name]:.3f}" for name in sets)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


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
    rows = read_lines(given.out)
    found = {"generator order": table(rows), "without a network": without_network(rows)}
    print(*found.values(), sep="\n\n")
    if given.problem == "table":
        PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")


if __name__ == "__main__":
    main()
