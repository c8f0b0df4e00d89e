"""Compare what networks are worth after the same processor time of training, on forced RB-small independent sets.

    python benchmarks/train_quality.py                     # train, evaluate and print the table
    python benchmarks/train_quality.py --explore           # short trials of `field`, one seed each
    python benchmarks/train_quality.py --table             # print from the rows so far, run nothing
    python benchmarks/train_quality.py --frozen            # whether trained networks still move after their steps

A row of the table is a way to train (`quality_rows.py`), a cell a row and a seed. The number of epochs is the one that
a measured epoch says will use up --budget; schedules end with the last epoch. A finished cell is a line in --out and is
not run again, and a run that was stopped goes on from its folder in --runs. Training sees 2,000 graphs and no other;
the last network counts. It is evaluated on validation graphs: independent restarts, conditional decoding, no search,
plain scores divided by the planted optimum. "Best of 1" is the mean over the eight restarts. One thread; times are of
the processor, of training with its pipeline, and of proposing and decoding eight restarts.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import time
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import torch
from field_variants import register
from json_lines import Row, append, read_lines
from quality_rows import ROWS, TRIALS, Way

PROBLEM, DATA = "mis", "rb-small"
NUM_GRAPHS, NUM_RESTARTS = 2000, 8
CALIBRATION_GRAPHS, CALIBRATION_EPOCHS, CHUNK = 128, 10, 25


def main() -> None:
    """Run the cells that are missing, and print the table."""
    given = _parse()
    register()
    if given.frozen:
        print(frozen_table(given))
        return
    ways = TRIALS if given.explore else ROWS
    if not given.table:
        names = given.rows.split(";") if given.rows else list(ways)
        for seed in range(1 if given.explore else given.seeds):
            for name in names:
                if not _find(read_lines(given.out), name, seed):
                    run_cell(given, ways[name], name, seed)
    print(table(read_lines(given.out), list(ways)))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--explore", action="store_true", help="short trials instead of the table")
    parser.add_argument("--table", action="store_true", help="print, run nothing")
    parser.add_argument("--frozen", action="store_true", help="look at the networks in --runs")
    parser.add_argument("--rows", help="some only, separated by semicolons")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--budget", type=float, help="processor seconds of training a cell")
    parser.add_argument("--epochs", type=int, help="instead of those of the budget, where measuring is noisy")
    parser.add_argument("--graphs", type=int, help="validation graphs")
    parser.add_argument("--out", type=Path, help="JSON lines")
    parser.add_argument("--runs", type=Path, default=Path("runs/train_quality"), help="folders of the runs")
    given = parser.parse_args()
    results = Path(__file__).parent / "results"
    given.out = given.out or results / ("field_trials.jsonl" if given.explore else "train_quality.jsonl")
    given.budget = given.budget or (180.0 if given.explore else 320.0)
    given.graphs = given.graphs or (100 if given.explore else 500)
    return given


def run_cell(given: argparse.Namespace, way: Way, name: str, seed: int) -> None:
    """Train, evaluate and write a line."""
    epochs = given.epochs or max(1, round(given.budget / _epoch_seconds(given, way, name)))
    print(f"{name}, seed {seed}: {epochs} epochs", flush=True)
    out = _folder(given, name, seed)
    trained = train_way(way, out, epochs=epochs, seed=seed)
    with (out / "log.csv").open() as file:
        cpu = float(list(csv.DictReader(file))[-1]["cpu_seconds"])
    line = {"row": name, "seed": seed, "budget": given.budget, "epochs": epochs, "train_cpu": round(cpu, 1)}
    line["graphs"] = given.graphs
    for steps in way.steps:
        line[f"steps {steps}"] = evaluate(trained, steps, given.graphs, seed)
        print(f"  {steps} steps: {line[f'steps {steps}']}", flush=True)
    append(given.out, line)


def _epoch_seconds(given: argparse.Namespace, way: Way, name: str) -> float:
    """Return the processor seconds of an epoch, the same for all seeds of a row."""
    for line in read_lines(given.out):
        if line["row"] == name and "epoch_cpu" in line:
            return float(line["epoch_cpu"])
    with tempfile.TemporaryDirectory() as folder:
        train_way(way, Path(folder), epochs=CALIBRATION_EPOCHS, seed=0, num_graphs=CALIBRATION_GRAPHS)
        with (Path(folder) / "log.csv").open() as file:
            clock = [float(row["cpu_seconds"]) for row in csv.DictReader(file)]
    # The first has what happens once in it; the others are not alike, since the steps of `field` rise.
    seconds = float(np.mean(np.diff(clock))) * NUM_GRAPHS / CALIBRATION_GRAPHS
    append(given.out, {"row": name, "epoch_cpu": round(seconds, 2)})
    return seconds


def train_way(way: Way, out: Path, *, epochs: int, seed: int, num_graphs: int = NUM_GRAPHS) -> Any:
    """Train in one way, or go on with it."""
    import annealco

    torch.set_num_threads(1)
    return annealco.train(
        PROBLEM,
        DATA,
        model=way.model,
        settings=way.settings,
        **way.options,
        epochs=epochs,
        seed=seed,
        num_graphs=num_graphs,
        # The last network counts: it is looked at once.
        num_validation=1,
        validate_every=epochs,
        validation_restarts=1,
        out=out,
        resume=True,
        picture=False,
        progress=False,
        accelerator="cpu",
    )


def evaluate(trained: Any, steps: int, count: int, seed: int) -> Row:
    """Return the mean ratios of one restart and of the best of all, and the processor seconds a graph."""
    from annealco.problems import PROBLEMS
    from annealco.search.decode import decode
    from annealco.training import load_graphs

    graphs = load_graphs(DATA, "validation", count)
    model = trained.with_settings(num_restarts=NUM_RESTARTS, seed=seed, num_steps=steps or None)
    found, seconds = [], 0.0
    for start in range(0, count, CHUNK):
        part = graphs[start : start + CHUNK]
        begun = time.process_time()
        instance = PROBLEMS[PROBLEM].declare(part)
        logits = torch.from_numpy(model(part, instance)).double()
        sets = decode(instance, torch.sigmoid(logits).numpy(), num_threads=1)
        seconds += time.process_time() - begun
        found += [_ratios(graph, sets[:, own]) for graph, own in zip(part, _slices(part), strict=True)]
    each = np.array(found)
    return {
        "one": round(float(each.mean()), 5),
        "best": round(float(each.max(axis=1).mean()), 5),
        "cpu": round(seconds / count, 4),
    }


def _slices(graphs: Any) -> list[slice]:
    return [slice(int(a), int(b)) for a, b in zip(graphs.node_ptr[:-1], graphs.node_ptr[1:], strict=True)]


def _ratios(graph: Any, sets: Any) -> list[float]:
    """Return the plain score of each set by the planted optimum, 0 where it is infeasible."""
    from annealco.problems import PROBLEMS

    planted = float(graph.node_data["planted"].sum())
    return [(PROBLEMS[PROBLEM].score(graph, np.flatnonzero(each).tolist()) or 0.0) / planted for each in sets]


def frozen_table(given: argparse.Namespace) -> str:
    """Return Markdown: what happens between 16 and 64 steps of every recurrent network that has been trained."""
    from annealco.training import load

    rows = [
        "| row | seed | nodes that change side | pairs in conflict at 64 | logit at 64, mean size |",
        "|---" * 5 + "|",
    ]
    for name, way in ROWS.items():
        for seed in range(given.seeds if len(way.steps) > 1 else 0):
            folder = _folder(given, name, seed)
            if (folder / "model.json").exists():
                moved, conflicts, size = freezing(load(folder), 10)
                rows.append(f"| {name} | {seed} | {moved:.2%} | {conflicts:.1f} | {size:.1f} |")
    return "\n".join(rows)


def freezing(trained: Any, count: int) -> tuple[float, float, float]:
    """Return the share of nodes that change side from 16 to 64 steps, the conflicts at 64, and the size of logits."""
    from annealco.problems import PROBLEMS
    from annealco.training import load_graphs

    graphs = load_graphs(DATA, "validation", count)
    instance = PROBLEMS[PROBLEM].declare(graphs)
    early, late = (trained.with_settings(num_steps=steps)(graphs, instance) for steps in (16, 64))
    moved = np.mean((early > 0) != (late > 0))
    return float(moved), float(instance.violations(late > 0).mean()), float(np.abs(late).mean())


def _folder(given: argparse.Namespace, name: str, seed: int) -> Path:
    return Path(given.runs) / f"{given.budget:g}" / name.replace(" ", "_") / str(seed)


def _find(lines: list[Row], name: str, seed: int | None = None) -> list[Row]:
    return [line for line in lines if line["row"] == name and "seed" in line and seed in {None, line["seed"]}]


def table(lines: list[Row], names: list[str]) -> str:
    """Return Markdown: means over seeds, with the least and the most of the best of eight."""
    head = "| row | seeds | epochs | training CPU s | steps | best of 1 | best of 8 | least–most | CPU s per graph |"
    rows = [head, "|---" * 9 + "|"]
    for name in names:
        cells = _find(lines, name)
        for key in dict.fromkeys(key for cell in cells for key in cell if key.startswith("steps")):
            some = [cell for cell in cells if key in cell]
            one, best, cpu = ([cell[key][what] for cell in some] for what in ("one", "best", "cpu"))
            epochs = "–".join(dict.fromkeys(str(cell["epochs"]) for cell in some))
            numbers = [len(some), epochs, f"{mean(cell['train_cpu'] for cell in some):.0f}", key.split()[1]]
            numbers += [f"{mean(one):.4f}", f"{mean(best):.4f}", f"{min(best):.4f}–{max(best):.4f}", f"{mean(cpu):.3f}"]
            rows.append(f"| {name} | {' | '.join(map(str, numbers))} |")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
