"""Measure on validation graphs which ways to run a trained network pay: restarts, steps, rounds, order, refinement.

    python benchmarks/model_ablation.py                        # all ways on all sets, ten minutes of one core
    python benchmarks/model_ablation.py --sets "mis rb-small"  # some, separated by commas
    python benchmarks/model_ablation.py --table                # print from the rows so far, run nothing

Networks are those of the package, alone: decoded, not searched. Nothing here sees a test graph, so that how networks
are run may be chosen by it. Rows of networks that the package had before do not count.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from json_lines import Row, append, read_lines
from numpy.typing import NDArray

import annealco
from annealco.energy import Instance
from annealco.energy.expectation import ProductDistribution
from annealco.energy.schedules import cooling
from annealco.graph.graph import Graph
from annealco.models.compiled_field import DEFAULTS
from annealco.models.pretrained import read_description, shipped_folder
from annealco.problems import PROBLEMS
from annealco.search.decode import Order, decode
from annealco.training import load_graphs
from annealco.training.trained import TrainedModel

RESULTS = Path(__file__).parent / "results" / "model_ablation.jsonl"
SETS = {
    "mis rb-small": 20,
    "mis rb-small-weighted": 20,
    "mis rb-large": 12,
    "clique rb-small-unforced": 20,
    "clique collab": 30,
    "mds ba-small": 20,
    "mds ba-small-weighted": 20,
    "mds ba-large": 8,
    "max_cut ba-small": 20,
    "max_cut ba-large": 8,
}
"""Problem and set, with the number of validation graphs."""

REFINED, REFINED_RATE, REFINED_FROM = 64, 0.1, 0.1
"""Steps, learning rate and first temperature of the refinement."""

SEARCHED = 200_000
"""Moves of the search for the values to compare with, where none is planted."""


class Way(NamedTuple):
    """How a network is run.

    Attributes:
        title: in the table.
        restarts: runs from other features.
        steps: of each.
        round_steps: after so many it proposes.
        fresh: share of nodes that start anew after a round.
        order: of decoding.
        refined: whether gradient steps at a falling temperature follow, on the logits of the instance.
    """

    title: str
    restarts: int = 8
    steps: int = 64
    round_steps: int = DEFAULTS.round_steps
    fresh: float = DEFAULTS.fresh
    order: Order = "probability"
    refined: bool = False


def _rounds(steps: int, lengths: tuple[int, ...], shares: tuple[float, ...], restarts: int = 8) -> Iterator[Way]:
    """Yield restarts of so many steps in rounds of each length, and with each share of nodes that start anew."""
    told = f"{restarts} restarts" if restarts > 1 else "1 restart"
    for length in lengths:
        for fresh in shares:
            title = f"{told}, {steps} steps, rounds of {length}, {100 * fresh:.0f} % anew"
            yield Way(title, restarts, steps, length, fresh)


WAYS = (
    Way("1 restart, 64 steps", restarts=1),
    Way("8 restarts, 64 steps"),
    *_rounds(64, (16, 32), (0.3,)),
    Way("8 restarts, 128 steps at a stretch", steps=128, round_steps=128),
    *_rounds(128, (16, 32, 64), (0.3,)),
    Way("8 restarts, 512 steps at a stretch", steps=512, round_steps=512),
    *_rounds(512, (8,), (0.3,)),
    *_rounds(512, (16, 32), (0.15, 0.3, 0.5)),
    *_rounds(512, (64,), (0.3, 1.0)),
    *_rounds(2048, (16,), (0.15, 0.3), restarts=2),
    *_rounds(4096, (16,), (0.15, 0.3), restarts=1),
    Way("32 restarts, 512 steps, rounds of 32, 30 % anew", restarts=32, steps=512, round_steps=32),
    *_rounds(2048, (16,), (0.15,)),
    *_rounds(2048, (32,), (0.3,)),
)
"""Budgets from the least to the most; how rounds go is settled where 8 restarts make 128 and 512 steps."""


def main() -> None:
    """Run the rows that are missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(SETS), help="separated by commas")
    parser.add_argument("--table", action="store_true", help="print, run nothing")
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON lines")
    given = parser.parse_args()
    if unknown := set(given.sets.split(",")) - set(SETS):
        parser.error(f"unknown sets: {', '.join(sorted(unknown))}")
    torch.set_num_threads(1)
    for name in given.sets.split(",") if not given.table else ():
        ways = [way for way in WAYS if not any(is_of(row, name, way) for row in read_lines(given.out))]
        for row in measure(name, ways) if ways else ():
            append(given.out, row)
            print(row, flush=True)
    print(table(read_lines(given.out)))


def measure(name: str, ways: list[Way]) -> Iterator[Row]:
    """Measure ways on a set, one after the other."""
    problem, data = name.split()
    graphs = list(load_graphs(data, "validation", SETS[name]))[: SETS[name]]
    known = np.array([known_value(graph, problem) for graph in graphs])
    for way in ways:
        begun = time.process_time()
        found = np.array([run(way, graph, problem, seed) for seed, graph in enumerate(graphs)])
        seconds = (time.process_time() - begun) / len(graphs)
        ratio = found / known if PROBLEMS[problem].sense == "max" else known / found
        network = weights_of(problem)
        told = {"ratio": round(float(ratio.mean()), 5), "cpu": round(seconds, 3), "graphs": len(graphs)}
        yield {"set": name, "network": network, **way._asdict(), **told}


def known_value(graph: Graph, problem: str) -> float:
    """Return the planted value, or what search finds."""
    if "planted_size" in graph.graph_data:
        return float(graph.graph_data["planted_size"][0])
    found = annealco.solve(graph, problem, moves=SEARCHED, time_limit=600, bound=False, num_threads=1)
    return found.value


def run(way: Way, graph: Graph, problem: str, seed: int) -> float:
    """Return the value of the best set that a network of the package proposes for a graph."""
    rounds = {"round_steps": way.round_steps, "fresh": way.fresh}
    model = annealco.load(shipped_folder(problem)).with_settings(num_steps=way.steps, **rounds)
    model = model.with_settings(num_restarts=way.restarts, seed=seed)
    return best_value(model, graph, problem, order=way.order, refined=way.refined)


def best_value(
    model: TrainedModel, graph: Graph, problem: str, *, order: Order = "probability", refined: bool = False
) -> float:
    """Return the value of the best set that a network, with its own settings, proposes for a graph."""
    instance = PROBLEMS[problem].declare(graph)
    logits = model(graph, instance)
    if refined:
        logits = refine(instance, logits)
    probability = 1 / (1 + np.exp(-logits.astype(np.float64)))
    values = instance.value(decode(instance, probability, order=order, num_threads=1))[:, 0]
    return float(values.max() if instance.sense == "max" else values.min())


def refine(instance: Instance, logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Follow the gradient of E_Q[f] − τ H(Q) in the logits themselves, while τ falls."""
    free = torch.from_numpy(logits.T.copy()).requires_grad_()
    energy, steps = instance.energy(), torch.optim.Adam([free], lr=REFINED_RATE)
    falling = cooling("geometric", REFINED_FROM)
    for step in range(REFINED):
        loss = energy.expectation(free).sum() - falling(step / REFINED) * ProductDistribution(free).entropy.sum()
        steps.zero_grad()
        loss.backward()
        steps.step()
    return np.ascontiguousarray(free.detach().T.numpy())


def weights_of(problem: str) -> str:
    """Return a few letters that change with the weights of a network of the package, not with how it is run."""
    return str(read_description(shipped_folder(problem))["sha256"])[:8]


def is_of(row: Row, name: str, way: Way) -> bool:
    """Tell whether a row is what a way gives on a set with the package's present network."""
    same = all(row[key] == value for key, value in way._asdict().items())
    network = weights_of(name.split(maxsplit=1)[0])
    return same and (row["set"], row["network"], row["graphs"]) == (name, network, SETS[name])


def table(rows: list[Row]) -> str:
    """Return Markdown: for each way its ratio and CPU seconds a graph on every set that has rows."""
    names = [name for name in SETS if any(is_of(row, name, way) for row in rows for way in WAYS)]
    lines = [f"| network alone | {' | '.join(names)} |", "|---" * (1 + len(names)) + "|"]
    for way in WAYS:
        found = [next((row for row in rows if is_of(row, name, way)), None) for name in names]
        if any(found):
            cells = ["-" if row is None else f"{row['ratio']:.4f} ({row['cpu']:.3g} s)" for row in found]
            lines.append(f"| {way.title} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
