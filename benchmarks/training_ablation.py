"""Compare ways to train `field` at equal CPU time: width, inputs, last temperature, loss of samples, averages, runs.

    python benchmarks/training_ablation.py                        # all trials of `mis`, three seeds: an hour
    python benchmarks/training_ablation.py --problem mds          # of another problem
    python benchmarks/training_ablation.py --trials "width 16"    # some, separated by commas
    python benchmarks/training_ablation.py --table                # print from the rows so far, run nothing

Networks learn from small graphs for as many steps as took 60 CPU seconds on an idle machine (`STEPS`): quicker networks
see more graphs, and a busy machine changes nothing. What a trial leaves out is 0 and stays so, which costs the same.
Each network is then run on validation graphs, alone: 8 restarts of 64 steps, and 8 of 512 steps in rounds of 16, on
small graphs and on large ones, which it has not seen; ratios are to the planted optimum or to what search finds. A row
for each trial and seed goes to --out.
"""

from __future__ import annotations

import argparse
import copy
import math
import time
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import torch
from json_lines import Row, append, read_lines
from model_ablation import best_value, known_value
from torch import Tensor

from annealco.energy.schedules import cooling
from annealco.graph.graph import Graph
from annealco.models.compiled_field import NUM_FEATURES, NUM_SIGNALS
from annealco.models.field import Field
from annealco.models.model import ModelInput
from annealco.problems import PROBLEMS
from annealco.training import load_graphs
from annealco.training.loss import free_energy
from annealco.training.recipe import FIRST_UNITS, LAST_UNITS
from annealco.training.settings import cosine
from annealco.training.trained import TrainedModel

RESULTS = Path(__file__).parent / "results" / "training_ablation.jsonl"
FAMILIES = {"mis": "rb", "mds": "ba", "max_cut": "ba"}
"""Small graphs of a family are learned from."""

STEPS: Mapping[tuple[int, int], int] = {(16, 1): 3200, (32, 1): 1600, (48, 1): 950, (32, 4): 500}
"""By the width and the samples of a graph: steps in 60 s, as the first rows had them that were stopped by the clock."""

LATE, LONGER, FEWER_BY_LONGER = 0.7, 2.0, 0.68
"""Progress from which late runs are so many times as long, and the share of the steps that then fit into the time."""

LATEST, LARGE_BATCH, FEWER_BY_LARGE = 0.8, 2, 0.85
"""Progress from which graphs are large, how many make a batch, and the share of the steps that fit into the time."""

GRAPHS = 1000
BATCH, RATE, CLIP = 8, 0.004, 1.0
SEEDS = 3


class Run(NamedTuple):
    """How networks are run on validation graphs: their size and number, steps, those of a round, share that is anew."""

    size: str
    graphs: int
    steps: int
    round_steps: int
    fresh: float


RUNS = {
    "64 steps": Run("small", 40, 64, 64, 0.0),
    "512 steps, rounds of 16": Run("small", 40, 512, 16, 0.3),
    "512 steps, large": Run("large", 6, 512, 16, 0.15),
}


class Trial(NamedTuple):
    """A way to train.

    Attributes:
        width: of the states.
        left_out: columns of weights that stay 0, by the name of the tensor, in terms of the width.
        samples: runs of each graph in a batch.
        soft: share of the spread of the samples' losses in the softness of their minimum; 0 for their mean.
        average: of how many last steps the weights are averaged, exponentially; 0 for the last weights.
        last: temperature at the end, in units.
        is_longer: whether late runs are `LONGER`.
        is_enlarged: whether the latest graphs are large ones.
    """

    width: int = 32
    left_out: Mapping[str, tuple[float, float]] = MappingProxyType({})
    samples: int = 1
    soft: float = 0.0
    average: int = 0
    last: float = LAST_UNITS
    is_longer: bool = False
    is_enlarged: bool = False

    @property
    def steps(self) -> int:
        """Of training, in the time that all have."""
        fewer = (FEWER_BY_LONGER if self.is_longer else 1) * (FEWER_BY_LARGE if self.is_enlarged else 1)
        return round(STEPS[self.width, self.samples] * fewer)


ONE_NUMBER: Mapping[str, tuple[float, float]] = {"start.weight": (1, NUM_FEATURES)}
NO_FIELD: Mapping[str, tuple[float, float]] = {"signals.weight": (1, NUM_SIGNALS)}
NO_MEAN: Mapping[str, tuple[float, float]] = {"messages.weight": (0, math.inf)}
LEAN = {**ONE_NUMBER, **NO_FIELD, **NO_MEAN}
"""What may be left out; of `messages.weight` the first half, which is heard as the mean."""

TRIALS = {
    "defaults": Trial(),
    "width 16": Trial(width=16),
    "width 48": Trial(width=48),
    "one random number a node": Trial(left_out=ONE_NUMBER),
    "φ alone without the field": Trial(left_out=NO_FIELD),
    "messages: the sum by φ alone": Trial(left_out=NO_MEAN),
    "the sum by φ and one random number": Trial(left_out={**ONE_NUMBER, **NO_MEAN}),
    "the same at width 16": Trial(width=16, left_out={**ONE_NUMBER, **NO_MEAN}),
    "all three left out": Trial(left_out=LEAN),
    "all three left out at width 16": Trial(width=16, left_out=LEAN),
    "τ to 0.005": Trial(last=0.005),
    "τ to 0.06": Trial(last=0.06),
    "τ to 0.12": Trial(last=0.12),
    "weights averaged over 500 steps": Trial(average=500),
    "mean of 4 samples": Trial(samples=4),
    "soft minimum of 4 samples": Trial(samples=4, soft=0.5),
    "late runs twice as long": Trial(is_longer=True),
    "large graphs at the end": Trial(is_enlarged=True),
    "averaged with τ to 0.06": Trial(last=0.06, average=500),
    "averaged with τ to 0.06 and all three left out": Trial(last=0.06, average=500, left_out=LEAN),
}
"""By name."""


def main() -> None:
    """Run the rows that are missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", default=",".join(TRIALS), help="separated by commas")
    parser.add_argument("--problem", choices=FAMILIES, default="mis", help="that is learned")
    parser.add_argument("--table", action="store_true", help="print, run nothing")
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON lines")
    given = parser.parse_args()
    wanted = given.trials.split(",")
    if unknown := set(wanted) - set(TRIALS):
        parser.error(f"unknown trials: {', '.join(sorted(unknown))}; choose from {', '.join(TRIALS)}")
    torch.set_num_threads(1)
    for seed in range(SEEDS) if not given.table else ():
        for name in wanted:
            key = {"problem": given.problem, "trial": name, "seed": seed}
            if any(row.items() >= key.items() for row in read_lines(given.out)):
                continue
            begun = time.process_time()
            network, steps = train(given.problem, TRIALS[name], seed)
            key["seconds"] = round(time.process_time() - begun, 1)
            append(given.out, {**key, "steps": steps, **measured(given.problem, network)})
            print(read_lines(given.out)[-1], flush=True)
    for problem in FAMILIES if given.table else [given.problem]:
        print(table([row for row in read_lines(given.out) if row["problem"] == problem]))


def train(problem: str, trial: Trial, seed: int) -> tuple[Field, int]:
    """Train a network; return it and the number of steps."""
    graphs = load_graphs(f"{FAMILIES[problem]}-small", "train", GRAPHS)
    large = load_graphs(f"{FAMILIES[problem]}-large", "train", GRAPHS // 10) if trial.is_enlarged else None
    torch.manual_seed(seed)
    network = Field(width=trial.width).train()
    leave_out(network, trial)
    averaged = copy.deepcopy(network)
    optimizer, order = torch.optim.Adam(network.parameters(), RATE), np.random.default_rng(seed)
    falling, steps = cooling("geometric", FIRST_UNITS, trial.last), trial.steps
    for step in range(steps):
        progress = step / steps
        shown, batch = (graphs, BATCH) if large is None or progress < LATEST else (large, LARGE_BATCH)
        graph = shown[order.permutation(shown.num_graphs)[:batch]]
        network.progress = progress
        for group in optimizer.param_groups:
            group["lr"] = RATE * cosine(step, steps, 1)
        loss = loss_of(network, trial, problem, graph, float(falling(progress)))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), CLIP)
        optimizer.step()
        if trial.average:
            keep = min(1 - 1 / trial.average, (step + 1) / (step + 11))
            with torch.no_grad():
                for mean, now in zip(averaged.parameters(), network.parameters(), strict=True):
                    mean.lerp_(now, 1 - keep)
    return (averaged if trial.average else network).eval(), steps


def leave_out(network: Field, trial: Trial) -> None:
    """Make columns of weights 0, and let no gradient change them."""
    for name, (first, last) in trial.left_out.items():
        weight = network.get_parameter(name)
        end = trial.width if math.isinf(last) else int(last)
        kept = torch.ones_like(weight)
        kept[:, int(first) : end] = 0.0
        with torch.no_grad():
            weight.mul_(kept)
        weight.register_hook(lambda gradient, kept=kept: gradient * kept)


def loss_of(network: Field, trial: Trial, problem: str, graph: Graph, temperature: float) -> Tensor:
    """Return the loss of a batch: of each graph the mean over its samples, or a soft minimum."""
    instance = PROBLEMS[problem].declare(graph)
    features = network.draw_features(graph, trial.samples)
    longer = LONGER if trial.is_longer and network.progress >= LATE else 1.0
    outputs = network.later_outputs(ModelInput(graph, instance, features), round(longer * network.draw_steps()))
    weights, logits = zip(*outputs, strict=True)
    losses = free_energy(instance.energy(), torch.stack(logits, dim=2), temperature) @ torch.tensor(weights)
    if not trial.soft:
        return losses.mean()
    softness = (trial.soft * losses.detach().std(dim=1, keepdim=True)).clamp(min=1e-3)
    return -(softness[:, 0] * torch.logsumexp(-losses / softness, dim=1)).mean()


def measured(problem: str, network: Field) -> Row:
    """Return the mean ratio of the best set to the best known value, for each way to run a network."""
    return {name: round(fmean(ratios(problem, TrainedModel(network, problem), run)), 5) for name, run in RUNS.items()}


def ratios(problem: str, trained: TrainedModel, run: Run) -> Iterator[float]:
    """Yield the ratio of the best set of a network to the best known value, for each validation graph."""
    graphs = validation_graphs(problem, run.size, run.graphs)
    for number, (graph, known) in enumerate(graphs):
        how = {"num_steps": run.steps, "round_steps": run.round_steps, "fresh": run.fresh}
        value = best_value(trained.with_settings(**how, seed=number), graph, problem)
        yield value / known if PROBLEMS[problem].sense == "max" else known / value


@cache
def validation_graphs(problem: str, size: str, count: int) -> list[tuple[Graph, float]]:
    """Return graphs with the best values known."""
    graphs = list(load_graphs(f"{FAMILIES[problem]}-{size}", "validation", count))[:count]
    return [(graph, known_value(graph, problem)) for graph in graphs]


def table(rows: list[Row]) -> str:
    """Return Markdown: for each trial its steps and mean ratios, with the least and the most of the seeds."""
    lines = [f"| trial | seeds | steps | {' | '.join(RUNS)} |", "|---" * (3 + len(RUNS)) + "|"]
    for name in TRIALS:
        own = [row for row in rows if row["trial"] == name]
        if own:
            values = [[row[run] for row in own] for run in RUNS]
            shown = [f"{fmean(each):.4f} ({min(each):.4f} to {max(each):.4f})" for each in values]
            lines.append(f"| {name} | {len(own)} | {fmean(row['steps'] for row in own):,.0f} | {' | '.join(shown)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
