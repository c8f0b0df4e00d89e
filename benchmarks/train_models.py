"""Train the networks that come with the package, and put them where it looks for them.

    python benchmarks/train_models.py                       # all, hours of one core; needs ANNEALCO_DATA
    python benchmarks/train_models.py --problems mds,cut    # some
    python benchmarks/train_models.py --pack                # train nothing, write finished ones into the package, with
                                                            # the figures of model_quality.py in their cards
    python benchmarks/train_models.py --rounds              # only set how the networks that are there run in rounds
    python benchmarks/train_models.py --cards               # only write these figures into the cards that are there

Interrupted runs go on from --runs. Training sees training splits only. The recipe of each network stands here, and with
its data, seed and figures in the `model.json` and the card that are written.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import torch
from json_lines import read_lines
from model_quality import CELLS, RESULTS, STEPS, table

import annealco
from annealco.graph.graph import Graph
from annealco.models.compiled_field import DEFAULTS
from annealco.models.field import NUM_FEATURES, NUM_SIGNALS, Field
from annealco.models.pretrained import WEIGHTS, shipped_folder
from annealco.models.two_sided import TwoSided
from annealco.problems import find_problem
from annealco.training.data import SPLITS, load_graphs
from annealco.training.trained import TrainedModel

LEARNED_STEPS = 16
"""Of training."""

ROUNDS: dict[str, dict[str, Any]] = {
    "mis": {"round_steps": 32, "fresh": 0.3},
    "clique": {"round_steps": 32, "fresh": 0.3},
    "mds": {"round_steps": 16, "fresh": 0.3},
}
"""How networks run in rounds, by validation graphs (`model_ablation.py`); others as they do by default."""

MEASURED, ADVICE = "On test graphs", "When to use it"
"""With what the figures of a card begin, and what follows them."""


class Plan(NamedTuple):
    """What a network learns from, and for how long.

    Attributes:
        data: sets with their shares.
        graphs: of training.
        epochs: over them.
        seed: of the run.
        start: the problem whose network of the package it goes on from, on the complement, and which stays the one for
            dense graphs; None for random weights.
        options: of `train`, in place of its defaults.
        edge_weights: share of the graphs whose edges have weights, of a standard normal distribution.
        width: of the states, where training begins with random weights.
    """

    data: str
    graphs: int
    epochs: int
    seed: int = 0
    start: str | None = None
    options: Mapping[str, Any] = MappingProxyType({})
    edge_weights: float = 0.0
    width: int = DEFAULTS.width


PLANS = {
    # Weights on nodes are left out: `weighted_training.py`.
    "mis": Plan("rb-small:20+rb-large:1+ba-small:3+er-small:3+twitter:3+collab:3", graphs=3300, epochs=100),
    "max_cut": Plan(
        "ba-small:6+ba-large:1+er-small:1+regular-small:2", graphs=2000, epochs=100, edge_weights=0.5, width=16
    ),
    "clique": Plan(
        "rb-small-complement:10+rb-large-complement:1+er-small:3+twitter:4+collab:2",
        graphs=2000,
        epochs=25,
        start="mis",
        # What is known already would be forgotten at a high temperature.
        options={"tau0": 0.1, "tau_last": 0.02, "learning_rate": 0.001, "num_validation": 30},
    ),
    "mds": Plan("ba-small:20+ba-large:4+er-small:3+twitter:6+collab:3", graphs=3600, epochs=60),
    # At the whole penalty the loss is mostly that of a few graphs whose volume is out of bounds.
    "cut": Plan("twitter+sf295-subset", graphs=1200, epochs=72, options={"penalty_scale": 0.1}),
}
"""Families that a problem is asked on, the hard ones with larger shares."""


def main() -> None:
    """Train what is missing, and write it into the package."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default=",".join(PLANS), help="separated by commas")
    parser.add_argument("--runs", type=Path, default=Path("runs/models"), help="folders of the runs")
    parser.add_argument("--pack", action="store_true", help="train nothing")
    parser.add_argument("--rounds", action="store_true", help="train nothing, and set how networks run in rounds")
    parser.add_argument("--cards", action="store_true", help="train nothing, and write cards only")
    given = parser.parse_args()
    for name in given.problems.split(","):
        out = given.runs / name
        if given.rounds:
            set_rounds(name)
            continue
        if given.cards:
            renew_figures(name)
            continue
        if not given.pack:
            train(name, out)
        pack(name, out)


def train(name: str, out: Path) -> None:
    """Train a network, or go on with it."""
    plan = PLANS[name]
    torch.set_num_threads(1)
    annealco.train(
        name,
        weighted(plan) if plan.edge_weights else plan.data,
        model="field" if plan.start is None else complemented(annealco.load(shipped_folder(plan.start))),
        settings={"width": plan.width} if plan.start is None else None,
        epochs=plan.epochs,
        num_graphs=plan.graphs,
        seed=plan.seed,
        # The last network counts: with 16 steps the best is not the one that goes on improving.
        validate_every=plan.epochs,
        out=out,
        resume=True,
        accelerator="cpu",
        **plan.options,
    )


def weighted(plan: Plan) -> Graph:
    """Return the graphs of a plan, with those held out for validation; some have edges with weights."""
    graphs = load_graphs(plan.data, "train", round(plan.graphs / SPLITS["train"]))
    draws = np.random.default_rng(plan.seed)
    has_weights = draws.random(graphs.num_graphs) < plan.edge_weights
    weight = np.where(has_weights[graphs.graph_of_edge], draws.standard_normal(graphs.num_edges), 1.0)
    return replace(graphs, edge_weight=weight)


def complemented(trained: TrainedModel) -> Field:
    """Return a network that proposes on a graph what the given one does on its complement, if that is the sparser side.

    A clique is an independent set of the complement. `field` sees the same of both but for two numbers a node: whether
    the complement is the sparser side, f, and the share of others that it is joined to, s instead of 1 − s. So the
    weights of s change their sign, and those of f become what they were.
    """
    network = trained.with_settings(num_steps=LEARNED_STEPS).model
    if not isinstance(network, Field):
        raise TypeError(f"only networks of field can be turned to the complement, this is {network.name}")
    with torch.no_grad():
        for layer, seen in ((network.start, NUM_FEATURES), (network.signals, NUM_SIGNALS)):
            flag, share = seen + 2, seen + 5
            layer.weight[:, flag] = layer.weight[:, share]
            layer.weight[:, share] *= -1
    return network


def joined(trained: TrainedModel, plan: Plan) -> TrainedModel:
    """Return a network with the one that it began with for dense graphs, where it began with one."""
    if plan.start is None:
        return trained
    both = TwoSided(**trained.model.settings)
    both.sparse.load_state_dict(trained.model.state_dict())
    both.dense.load_state_dict(complemented(annealco.load(shipped_folder(plan.start))).state_dict())
    return TrainedModel(both, trained.problem, record=trained.record)


def pack(name: str, out: Path) -> None:
    """Write a trained network and its card into the package."""
    trained = annealco.load(out)
    with (out / "log.csv").open() as file:
        seconds = float(list(csv.DictReader(file))[-1]["cpu_seconds"])
    trained = joined(trained, PLANS[name])
    folder = WEIGHTS / f"{trained.name}-{name}"
    trained.with_settings(num_steps=STEPS, **ROUNDS.get(name, {})).save(folder)
    (folder / "README.md").write_text(card(name, trained, seconds))
    print(f"{name}: {folder}")


def set_rounds(name: str) -> None:
    """Write how a network of the package runs in rounds into its folder and its card; its weights stay."""
    folder = shipped_folder(name)
    annealco.load(folder).with_settings(**ROUNDS.get(name, {})).save(folder)
    path = folder / "README.md"
    lines = [run_for(name) if line.startswith("| run for |") else line for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")


def run_for(name: str) -> str:
    """Return the line of a card that tells how a network runs."""
    rounds = DEFAULTS._asdict() | ROUNDS.get(name, {})
    how = f"in rounds of {rounds['round_steps']}, between which {100 * rounds['fresh']:.0f} % of the nodes start anew"
    return f"| run for | {STEPS} steps ({LEARNED_STEPS} in training), {how} |"


def card(name: str, trained: Any, seconds: float) -> str:
    """Return the card of a network as Markdown."""
    plan, size = PLANS[name], sum(each.numel() for each in trained.model.parameters())
    learned = f"{trained.record['recipe']['data']['train']:,}, of {plan.data.replace('+', ', ')}"
    return f"""# `{trained.name}` for `{name}`

| | |
|---|---|
| parameters | {size:,} |
| training graphs | {learned} (training splits, with their shares) |
| training | {plan.epochs} epochs, seed {plan.seed}, {seconds / 3600:.2f} CPU hours of one core{begun(plan)} |
| schedule | {schedule(trained.record["recipe"])} |
{run_for(name)}
| chosen | the last network; nothing was chosen by test graphs |
| made by | `python benchmarks/train_models.py --problems {name}` |

{figures(name)}

{ADVICE}: `docs/models.md`. It knows graphs of some ten to some thousand nodes of these families; on others look
at what decoding gives before you trust it. Every answer is feasible all the same.
"""


def renew_figures(name: str) -> None:
    """Write what is measured by now into the card of a network of the package."""
    path = shipped_folder(name) / "README.md"
    before, first, rest = path.read_text().partition(MEASURED)
    _, last, after = rest.partition(ADVICE)
    if not (first and last):
        raise ValueError(f"{path}: this card has no figures to be renewed")
    path.write_text(f"{before}{figures(name)}\n\n{last}{after}")


def begun(plan: Plan) -> str:
    """Tell which network was gone on from."""
    if plan.start is None:
        return ""
    return f", from the network for `{plan.start}`, turned to the complement, which stays the one for dense graphs"


def figures(name: str) -> str:
    """Return what `model_quality.py` has measured of a network."""
    cells = [cell.name for cell in CELLS if find_problem(cell.problem).learned_as == name]
    shown = table([row for row in read_lines(RESULTS) if row["cell"] in cells])
    if len(shown.splitlines()) <= 2:
        return f"{MEASURED} it is not measured yet (`python benchmarks/model_quality.py`)."
    return f"""{MEASURED} (`python benchmarks/model_quality.py`): ratio to the best known value, for cuts
cut / volume, and CPU seconds a graph. *Network alone* does not search. *Both* is search from its proposal,
at the time of search alone; where it is not ahead, the network is of no use to the search. The last two columns: time
in which search alone and both have 99 % of the best known value.

{shown}"""


def schedule(recipe: Any) -> str:
    """Tell how the temperature fell, and what followed its gradient."""
    falling = (
        f"{recipe['schedule']}, by {recipe['anneal_by']}, from τ = {recipe['tau0']:.3g} to {recipe['tau_last']:.3g}"
    )
    if recipe["penalty_scale"] != 1:
        falling += f"; {recipe['penalty_scale']:g} of the critical penalty"
    return f"{falling}; batches of {recipe['batch_size']}, learning rate {recipe['learning_rate']:g}, {recipe['rate']}"


if __name__ == "__main__":
    main()
