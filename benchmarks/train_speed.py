"""Time a training step: the network of Karalias and Loukas written plainly in PyG, our `erdos`, and `field`.

    python benchmarks/train_speed.py [--repeats 5] [--batch 32] [--methods plain,erdos,field]

A step is forward, backward and Adam on a batch of forced RB-small graphs (independent set) or of their complements
(clique), one sample a graph. Each cell runs in a process of its own on one thread. Times are of the processor, best of
the repeats; memory is the peak of the process less what it had before the first step. The pipeline is what a step
spends before the network starts: taking the graphs out of the set, declaring the instance, building the matrices.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

DATA = {"rb-small": "mis", "rb-small-complement": "clique"}
METHODS = ("plain", "erdos", "field")


class Cell(NamedTuple):
    """What one process measured: CPU seconds a step and before the network, peak megabytes, nodes a batch."""

    seconds: float
    pipeline: float
    megabytes: float
    nodes: int


def measure(method: str, data: str, *, batch: int, repeats: int) -> Cell:
    """Time the steps of one method on one kind of graphs, in this process."""
    import torch

    from annealco.graph.generators import generate

    torch.set_num_threads(1)
    torch.manual_seed(0)
    graphs = generate(data, count=2 * batch, seed=0)
    load, step = _plain(data, graphs) if method == "plain" else _ours(method, data, graphs)
    order, before = np.random.default_rng(0), _peak()
    seconds, pipeline, nodes = float("inf"), float("inf"), 0
    for _ in range(repeats + 1):
        picked = order.permutation(graphs.num_graphs)[:batch]
        start = time.process_time()
        loaded = load(picked)
        ready = time.process_time()
        step(loaded)
        seconds = min(seconds, time.process_time() - start)
        pipeline, nodes = min(pipeline, ready - start), int(np.diff(graphs.node_ptr)[picked].sum())
    return Cell(seconds, pipeline, _peak() - before, nodes)


def _ours(method: str, data: str, graphs: Any) -> tuple[Callable[[Any], Any], Callable[[Any], None]]:
    import torch

    from annealco.models import build_model
    from annealco.problems import PROBLEMS

    # The number of steps that `field` draws in training is on average what it runs otherwise.
    model = build_model(method).train(method != "field")
    optimiser = torch.optim.Adam(model.parameters(), 1e-3)

    def load(picked: Any) -> Any:
        graph = graphs[picked]
        instance = PROBLEMS[DATA[data]].declare(graph)
        model.prepare(graph, instance)
        return graph, instance

    def step(loaded: Any) -> None:
        graph, instance = loaded
        weights, logits = zip(*model.outputs(ModelInput(graph, instance, model.draw_features(graph, 1))), strict=True)
        energies = instance.energy().expectation(torch.cat(logits, dim=1)).mean(0)
        optimiser.zero_grad()
        (energies @ torch.tensor(weights)).backward()
        optimiser.step()

    return load, step


def _plain(data: str, graphs: Any) -> tuple[Callable[[Any], Any], Callable[[Any], None]]:
    import torch
    from plain_erdos import PlainErdos, collate, energy, to_data

    everything = [to_data(graph) for graph in graphs]
    model = PlainErdos()
    optimiser = torch.optim.Adam(model.parameters(), 1e-3)

    def step(batch: Any) -> None:
        loss = energy(batch, model(batch), dense=DATA[data] == "clique")
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    return lambda picked: collate(everything, picked.tolist()), step


def _peak() -> float:
    """Return the most memory that this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_own_process(method: str, data: str, *, batch: int, repeats: int) -> Cell:
    """Measure in a new process on one thread."""
    numbers = ["--batch", str(batch), "--repeats", str(repeats)]
    command = [sys.executable, __file__, "--cell", f"{method},{data}", *numbers]
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    done = subprocess.run(command, env={**os.environ, **threads}, check=True, capture_output=True, text=True)
    return Cell(*json.loads(done.stdout.splitlines()[-1]))


def table(cells: dict[tuple[str, str], Cell]) -> str:
    """Return the measurements as Markdown, with speed-ups over the plain network where it was run."""
    lines = [
        "| graphs | network | CPU s a step | faster than plain | pipeline | memory, MB |",
        "|---|---|---|---|---|---|",
    ]
    for (method, data), cell in cells.items():
        plain = cells.get(("plain", data))
        ratio = f"{plain.seconds / cell.seconds:.1f}" if plain else "–"
        share = f"{cell.pipeline * 1000:.0f} ms, {cell.pipeline / cell.seconds:.1%}"
        lines.append(f"| {data} | {method} | {cell.seconds:.3f} | {ratio} | {share} | {cell.megabytes:.0f} |")
    return "\n".join(lines)


def main() -> None:
    """Measure every cell and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.cell:
        method, data = given.cell.split(",")
        print(json.dumps(measure(method, data, batch=given.batch, repeats=given.repeats)))
        return
    cells = {}
    for data in DATA:
        for method in given.methods.split(","):
            # The plain network on complements takes gigabytes and a quarter of a minute a step.
            repeats = min(given.repeats, 2) if method == "plain" else given.repeats
            cells[method, data] = in_own_process(method, data, batch=given.batch, repeats=repeats)
    print(table(cells))


if __name__ == "__main__":
    main()
