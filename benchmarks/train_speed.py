"""Time a training step: the network of Karalias and Loukas written plainly in PyG, our `erdos`, and `field`.

    python benchmarks/train_speed.py [--repeats 5] [--batch 32] [--methods plain,erdos,field]

A step is forward, backward and Adam on a batch of forced RB-small graphs (independent set) or of their complements
(clique), one sample a graph. Each cell runs in a process of its own on one thread. Times are of the processor, best of
the repeats; memory is the peak of the process less what it had before the first step. The pipeline is what a step
spends before the network starts: taking the graphs out of the set, declaring the instance, building the matrices.

    python benchmarks/train_speed.py --against e52cde5 [--repeats 5]

compares whole runs of `annealco.train` with those of another commit, which is built once into an environment of its own
under build/train_speed. Both take turns, one process and one thread each; the ratio is that of the medians of steps per
CPU second. ``field`` is a network as it is trained by default, ``loop`` one so small that the loop is what is timed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
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

    from annealco.models import ModelInput, build_model
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


RUNS = {
    "field": {"data": "rb-small", "count": 80, "batch_size": 8, "settings": {}},
    "loop": {"data": "regular-small", "count": 200, "batch_size": 1, "settings": {"width": 2, "num_steps": 1}},
}
"""Runs that are compared with those of another commit."""

EPOCHS = 3

PROGRAM = """
import json, sys, tempfile
import torch, annealco

torch.set_num_threads(1)
run, epochs = json.loads(sys.argv[1]), int(sys.argv[2])
graphs = annealco.generate(run["data"], count=run["count"], seed=0)
if run["data"] == "regular-small":
    # Small graphs: what is timed is the loop.
    graphs = [[[0, 1, 2, 3], [1, 2, 3, 0]]] * run["count"]
with tempfile.TemporaryDirectory() as out:
    annealco.train("mis", graphs, model="field", settings=run["settings"], epochs=epochs, batch_size=run["batch_size"],
                   validate_every=epochs, validation_restarts=1, num_validation=1, out=out, progress=False,
                   picture=False, accelerator="cpu")
    history = json.load(open(f"{out}/state.json"))["history"]
    train = json.load(open(f"{out}/state.json"))["recipe"]["data"]["train"]
# The first epoch warms up.
seconds = history[-1]["cpu_seconds"] - history[0]["cpu_seconds"]
print(json.dumps((epochs - 1) * -(-train // run["batch_size"]) / seconds))
"""


def steps_per_second(python: str, name: str) -> float:
    """Return the steps per CPU second of a run, by the package of an interpreter, in a process on one thread."""
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    command = [python, "-c", PROGRAM, json.dumps(RUNS[name]), str(EPOCHS)]
    done = subprocess.run(command, env={**os.environ, **threads}, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout.splitlines()[-1]))


def built(commit: str) -> str:
    """Return the interpreter of an environment with the package of a commit, made where it is not there yet."""
    root = Path(__file__).resolve().parents[1]
    folder = root / "build" / "train_speed" / commit
    python, source = folder / "venv" / "bin" / "python", folder / "source"
    if not (folder / "ready").exists():
        source.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(["git", "archive", commit], cwd=root, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", source], input=packed, check=True)
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--constraint", source / "constraints.txt"]
        subprocess.run([*install, "nanobind", "scikit-build-core", "cmake", "ninja"], check=True)
        subprocess.run([*install, "--no-build-isolation", f"{source}[learn]"], check=True)
        (folder / "ready").touch()
    return str(python)


def compare(commit: str, repeats: int) -> str:
    """Return a table of steps per CPU second, here and at another commit, taken in turns."""
    other = built(commit)
    lines = [f"| run | here | {commit} | ratio |", "|---|---|---|---|"]
    for name in RUNS:
        pairs = [(steps_per_second(sys.executable, name), steps_per_second(other, name)) for _ in range(repeats)]
        ours, theirs = (statistics.median(each) for each in zip(*pairs, strict=True))
        lines.append(f"| {name} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.3f} |")
    return "\n".join(lines)


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
    parser.add_argument("--against", metavar="COMMIT", help="compare whole runs with those of a commit")
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.against:
        print(compare(given.against, given.repeats))
        return
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
