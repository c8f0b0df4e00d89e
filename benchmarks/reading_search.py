"""Search the choices that the paper leaves open, on validation graphs, by successive halving.

    python benchmarks/reading_search.py screen mis       # many short trainings: base, single changes, random mixtures
    python benchmarks/reading_search.py halve mis        # the better third three times as long, and again
    python benchmarks/reading_search.py around mis       # single changes around the best reading, two seeds
    python benchmarks/reading_search.py triple mis       # KL loss, τ = 0 and annealed: equal tuning, three seeds
    python benchmarks/reading_search.py one mis --change features=random,num_layers=6 --epochs 500
    python benchmarks/reading_search.py table mis        # print from the rows, run nothing
    python benchmarks/reading_search.py page             # write the tables into docs/design-notes/reading-the-paper.md

One thread. A trial is one `Reading`, trained from scratch with one seed, and one row of ``--out``: a trial whose row is
there is not run again. Trainings of 50 epochs or more keep a checkpoint in ``--checkpoints`` and resume from it.

A trial of fewer epochs is the training of the paper (500 epochs) on a shorter clock: temperature and learning rate are
functions of progress, and "epoch" in a schedule is 1/500 of the training.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
import torch
from json_lines import Row, append, read_lines
from safetensors import safe_open
from safetensors.torch import save_file
from scipy.sparse import csr_matrix
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

import annealco
from annealco.datasets import load_dataset
from annealco.graph.graph import Graph
from annealco.search.decode import decode
from annealco.search.repair import finish

RESULTS = Path(__file__).parent / "results" / "reading_search.jsonl"
PAGE = Path(__file__).parents[1] / "docs" / "design-notes" / "reading-the-paper.md"
CHECKPOINTS = Path("runs") / "reading_search"
NUM_GRAPHS = 2_000
PAPER_EPOCHS = 500
LAST_TEMPERATURE = 0.001
DATA = {"mis": "rb-small", "clique": "rb-small-complement", "mds": "ba-small"}
SPARSE = 0.1
"""Largest share of ones at which sparse products are used."""

SCREEN_EPOCHS, LONGER = 5, 3
"""Epochs of the first rung, and the factor from rung to rung."""


@dataclass(frozen=True)
class Reading:
    """One way to read the paper; the defaults are what it says or, where it is silent, what Karalias and Loukas do.

    Attributes:
        features: input of a node, a key of `FEATURES`.
        mask: whether layer k lets only the ball of k hops around the seed nodes pass.
        head: ``sigmoid``; ``min-max`` per graph; ``mixed``: min–max, pulled to 1/2 by the share τ/(1 + τ).
        width: of all layers.
        num_layers: graph isomorphism layers.
        attention: whether a graph attention layer with 8 heads follows them.
        size_norm: whether features are divided by √n.
        objective: ``energy``, the paper's f; ``pairs``, ½(4 D − W) of Karalias and Loukas and of the authors' fork.
        penalty: multiple of the critical penalty of f.
        pair_count: how often f counts a pair.
        unit: loss per graph as ``sum``, as ``mean`` over nodes, or in units of the ``lipschitz`` constant.
        tau0: first temperature; -1 for the Lipschitz constant of f, 0 for no annealing.
        tau_per: one temperature for all (``set``), or the Lipschitz constant of each ``graph`` or each ``node``.
        schedule: ``harmonic``, the paper's τ0/(1 + αk); ``geometric``; ``line``, the fork's, 0 for the last tenth.
        anneal_by: whether τ falls per ``epoch`` or per ``step``.
        batch: graphs per step.
        clip: largest norm of a gradient, 0 for none.
        rate: of Adam, at first.
        rate_schedule: ``decay``, × 0.95 every 5 of 500 epochs; ``decay-100``, the same of 100 epochs; ``constant``;
            ``cosine``.
        idle: share of the training at first in which no parameter changes.
    """

    features: str = "seed"
    mask: bool = True
    head: str = "sigmoid"
    width: int = 64
    num_layers: int = 4
    attention: bool = False
    size_norm: bool = True
    objective: str = "energy"
    penalty: float = 1.0
    pair_count: int = 1
    unit: str = "sum"
    tau0: float = -1.0
    tau_per: str = "set"
    schedule: str = "harmonic"
    anneal_by: str = "epoch"
    batch: int = 32
    clip: float = 1.0
    rate: float = 1e-3
    rate_schedule: str = "decay"
    idle: float = 0.0

    def changes(self, base: Reading | None = None) -> dict[str, Any]:
        """Return the fields in which this differs from another reading, by default the paper's."""
        other = asdict(base or Reading())
        return {name: value for name, value in asdict(self).items() if value != other[name]}


class Inputs(NamedTuple):
    """Columns of the input of a node: indicators of random seed nodes, random numbers, the degree."""

    seeds: int
    numbers: int
    degree: bool

    @property
    def width(self) -> int:
        return self.seeds + self.numbers + self.degree


FEATURES = {
    "seed": Inputs(1, 0, False),
    "seeds": Inputs(8, 0, False),
    "number": Inputs(0, 1, False),
    "random": Inputs(0, 4, False),
    "degree": Inputs(0, 0, True),
    "seed+degree": Inputs(1, 0, True),
    "random+degree": Inputs(0, 4, True),
}

CHOICES: dict[str, tuple[Any, ...]] = {
    "features": tuple(FEATURES),
    "mask": (True, False),
    "head": ("sigmoid", "min-max", "mixed"),
    "num_layers": (3, 4, 6, 8),
    "size_norm": (True, False),
    "objective": ("energy", "pairs"),
    "pair_count": (1, 2),
    "unit": ("sum", "mean", "lipschitz"),
    "tau0": (-1.0, 0.0, 1.0, 1e3, 1e5),
    "tau_per": ("set", "graph", "node"),
    "schedule": ("harmonic", "geometric", "line"),
    "anneal_by": ("epoch", "step"),
    "batch": (32, 8),
    "clip": (1.0, 0.0),
    "rate": (1e-3, 3e-4, 3e-3),
    "rate_schedule": ("decay", "decay-100", "constant", "cosine"),
}
"""What random mixtures are made of."""

COSTLY: dict[str, tuple[Any, ...]] = {"attention": (True,), "batch": (1,), "width": (128,), "idle": (0.03,)}
"""Tried as single changes only."""


# ---------------------------------------------------------------------------------------------------- graphs, batches


class Sample(NamedTuple):
    """One graph, dense.

    Attributes:
        adjacency: [n, n] bytes, without loops.
        conflicts: [n] number of nodes that exclude each node; for dominating sets the degree.
        best: the optimum, or the best value known.
        sparse: [n, n] adjacency with loops where few entries are ones, else None.
    """

    adjacency: Tensor
    conflicts: Tensor
    best: float
    sparse: csr_matrix | None = None


class Batch(NamedTuple):
    """Graphs one after the other: nodes of graph g are ``starts[g]`` to ``starts[g + 1]``.

    Attributes:
        looped: [n, n] adjacency with loops, one per graph.
        sparse: the same as one matrix [num_nodes, num_nodes] where that is faster, None where dense products are.
        starts: positions, one more than graphs.
        owner: [num_nodes] the graph of a node.
        conflicts: [num_nodes].
    """

    looped: list[Tensor]
    sparse: csr_matrix | None
    starts: list[int]
    owner: Tensor
    conflicts: Tensor

    @property
    def sizes(self) -> Tensor:
        return torch.tensor([len(each) for each in self.looped], dtype=torch.float32)

    def per_graph(self, values: Tensor) -> Tensor:
        """Sum [num_nodes] to [num_graphs]."""
        return values.new_zeros(len(self.looped)).index_add(0, self.owner, values)


def dense_samples(graphs: Graph, problem: str, best: list[float]) -> list[Sample]:
    """Return the graphs of a set with dense adjacencies."""
    samples = []
    for number, value in enumerate(best):
        graph = graphs[number]
        adjacency = torch.zeros(graph.num_nodes, graph.num_nodes, dtype=torch.uint8)
        low, high = torch.as_tensor(graph.edges.astype(np.int64))
        adjacency[low, high] = adjacency[high, low] = 1
        degree = adjacency.sum(1, dtype=torch.float32)
        conflicts = graph.num_nodes - 1 - degree if problem == "clique" else degree
        few = adjacency.float().mean() < SPARSE
        sparse = csr_matrix(adjacency.float().fill_diagonal_(1.0).numpy()) if few else None
        samples.append(Sample(adjacency, conflicts, value, sparse))
    return samples


def collate(samples: list[Sample]) -> Batch:
    """Return a batch; loops are added, as Karalias and Loukas do."""
    looped = [each.adjacency.float() for each in samples]
    for matrix in looped:
        matrix.fill_diagonal_(1.0)
    sizes = [len(matrix) for matrix in looped]
    owner = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    starts = [0, *itertools.accumulate(sizes)]
    return Batch(
        looped,
        block_matrix([each.sparse for each in samples]),
        starts,
        owner,
        torch.cat([each.conflicts for each in samples]),
    )


def block_matrix(blocks: list[csr_matrix | None]) -> csr_matrix | None:
    """Return the block-diagonal matrix, or None where a block is dense."""
    known = [each for each in blocks if each is not None]
    if len(known) < len(blocks):
        return None
    # By hand: one is made per step, and the general block_diag of scipy checks every block.
    nodes = [0, *itertools.accumulate(each.shape[0] for each in known)]
    ones = [0, *itertools.accumulate(each.nnz for each in known)]
    indices = np.concatenate([each.indices + start for each, start in zip(known, nodes, strict=False)])
    indptr = np.concatenate([each.indptr[:-1] + start for each, start in zip(known, ones, strict=False)] + [ones[-1:]])
    return csr_matrix((np.ones(ones[-1], np.float32), indices, indptr), shape=(nodes[-1], nodes[-1]))


class NeighbourSum(torch.autograd.Function):
    """Sum over neighbours and the node itself, [num_nodes, width]: a dense product per graph, symmetric."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, batch: Batch) -> Tensor:
        """Return the sums."""
        ctx.batch = batch
        return _products(values, batch)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """Return the gradient: the matrix is symmetric."""
        return _products(gradients[0].contiguous(), ctx.batch), None


def _products(values: Tensor, batch: Batch) -> Tensor:
    if batch.sparse is not None:
        return torch.from_numpy(batch.sparse @ values.detach().numpy())
    result = torch.empty_like(values)
    for matrix, start, stop in zip(batch.looped, batch.starts, batch.starts[1:], strict=False):
        torch.mm(matrix, values[start:stop], out=result[start:stop])
    return result


def neighbour_sum(values: Tensor, batch: Batch) -> Tensor:
    """Return Σ_{j ∈ N[i]} x_j, [num_nodes, width]."""
    return NeighbourSum.apply(values, batch)  # type: ignore[no-any-return, no-untyped-call]


# ---------------------------------------------------------------------------------------------------------- the network


class Attention(nn.Module):
    """A graph attention layer (Veličković et al., 2018) of 8 heads on dense adjacencies."""

    def __init__(self, width: int, heads: int = 8) -> None:
        super().__init__()
        self.heads, self.project = heads, nn.Linear(width, width, bias=False)
        self.source = nn.Parameter(torch.randn(heads, width // heads) / heads)
        self.target = nn.Parameter(torch.randn(heads, width // heads) / heads)

    def forward(self, values: Tensor, batch: Batch) -> Tensor:
        """Map [num_nodes, width] to the same shape."""
        projected = self.project(values).unflatten(1, (self.heads, -1)).transpose(0, 1)
        ends = (projected * self.source.unsqueeze(1)).sum(2), (projected * self.target.unsqueeze(1)).sum(2)
        mixed = []
        for matrix, start, stop in zip(batch.looped, batch.starts, batch.starts[1:], strict=False):
            own, other = ends[0][:, start:stop], ends[1][:, start:stop]
            score = leaky_relu(own.unsqueeze(2) + other.unsqueeze(1), 0.2).masked_fill(matrix == 0, -torch.inf)
            mixed.append(score.softmax(2) @ projected[:, start:stop])
        return torch.cat(mixed, dim=1).transpose(0, 1).flatten(1)


class Network(nn.Module):
    """Graph isomorphism layers with skips and BatchNorm, as Karalias and Loukas have for cliques; see `Reading`."""

    def __init__(self, reading: Reading) -> None:
        super().__init__()
        self.reading, width = reading, reading.width
        widths = [FEATURES[reading.features].width] + [width] * (reading.num_layers - 1)
        self.mlps = nn.ModuleList(
            nn.Sequential(nn.Linear(given, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.BatchNorm1d(width))
            for given in widths
        )
        self.norms = nn.ModuleList(nn.BatchNorm1d(width) for _ in widths)
        self.own = nn.Parameter(torch.zeros(reading.num_layers))
        self.attention = Attention(width) if reading.attention else None
        self.inner, self.outer = nn.Linear(width, 64), nn.Linear(64, 1)

    def forward(self, features: Tensor, batch: Batch, temperature: Tensor) -> Tensor:
        """Return probabilities, [num_nodes]; ``temperature`` [num_nodes] matters to the head ``mixed`` only."""
        reading, seeds = self.reading, FEATURES[self.reading.features].seeds
        ball = features[:, :seeds].sum(1, keepdim=True).clamp(max=1.0) if reading.mask and seeds else None
        scale = batch.sizes.rsqrt()[batch.owner].unsqueeze(1) if reading.size_norm else None
        values = features
        for number, (mlp, norm) in enumerate(zip(self.mlps, self.norms, strict=True)):
            ball = _grow(ball, batch)
            out = leaky_relu(mlp(neighbour_sum(values, batch) + self.own[number] * values))
            out = _times(_times(values + out if number else out, ball), scale)
            values = norm(out)
        if self.attention is not None:
            values = leaky_relu(self.attention(values, batch))
        out = self.outer(_times(leaky_relu(self.inner(values)), ball))
        if reading.head == "sigmoid":
            return torch.sigmoid(out.squeeze(1))
        spread = min_max(_times(leaky_relu(out), ball).squeeze(1), batch)
        pull = temperature / (1.0 + temperature) if reading.head == "mixed" else 0.0
        return spread + pull * (0.5 - spread)


def _grow(ball: Tensor | None, batch: Batch) -> Tensor | None:
    """Return the ball of one more hop; None once it holds all nodes."""
    if ball is None:
        return None
    with torch.no_grad():
        wider = (neighbour_sum(ball, batch) > 0.5).float()
    return None if bool(wider.all()) else wider


def _times(values: Tensor, factor: Tensor | None) -> Tensor:
    return values if factor is None else values * factor


def min_max(values: Tensor, batch: Batch) -> Tensor:
    """Scale [num_nodes] to 0..1 in each graph."""
    empty = values.new_zeros(len(batch.looped))
    least = empty.scatter_reduce(0, batch.owner, values, "amin", include_self=False)[batch.owner]
    most = empty.scatter_reduce(0, batch.owner, values, "amax", include_self=False)[batch.owner]
    return (values - least) / (most + 1e-6 - least)


def draw_features(name: str, batch: Batch, seeds: Tensor, generator: torch.Generator) -> Tensor:
    """Return inputs [num_nodes, width]; ``seeds`` [num_graphs, count] uniform in 0..1 place the seed nodes."""
    inputs = FEATURES[name]
    starts = torch.tensor(batch.starts[:-1]).unsqueeze(1)
    places = starts + (seeds * batch.sizes.unsqueeze(1)).long()
    indicators = torch.zeros(len(batch.owner), inputs.seeds).scatter_(0, places, 1.0)
    numbers = torch.randn(len(batch.owner), inputs.numbers, generator=generator)
    degree = torch.cat([matrix.sum(1) for matrix in batch.looped])
    average = batch.per_graph(degree) / batch.sizes
    columns = [indicators, numbers] + ([(degree / average[batch.owner]).unsqueeze(1)] if inputs.degree else [])
    return torch.cat(columns, dim=1)


# ------------------------------------------------------------------------------------------------- losses, temperatures


def pair_masses(probability: Tensor, batch: Batch, problem: str) -> tuple[Tensor, Tensor]:
    """Return Σ p_i p_j over the pairs that exclude each other and over all others, [num_graphs] each."""
    joined = neighbour_sum(probability.unsqueeze(1), batch).squeeze(1) - probability
    edges = 0.5 * batch.per_graph(probability * joined)
    every = 0.5 * (batch.per_graph(probability) ** 2 - batch.per_graph(probability**2))
    return (every - edges, edges) if problem == "clique" else (edges, every - edges)


def energy(probability: Tensor, batch: Batch, problem: str, penalty: float = 1.0) -> Tensor:
    """Return E_Q[f] at a multiple of the critical penalty, [num_graphs]."""
    size = batch.per_graph(probability)
    if problem == "mds":
        absent = torch.log1p(-probability.clamp(max=1 - 1e-6))
        return size + penalty * batch.per_graph(neighbour_sum(absent.unsqueeze(1), batch).squeeze(1).exp())
    return penalty * pair_masses(probability, batch, problem)[0] - size


def objective(reading: Reading, probability: Tensor, batch: Batch, problem: str) -> Tensor:
    """Return what is minimised beside the entropy, [num_graphs]; dominating sets have no loss of pairs."""
    if reading.objective == "pairs" and problem != "mds":
        conflicting, compatible = pair_masses(probability, batch, problem)
        return 0.5 * (4.0 * conflicting - compatible)
    return energy(probability, batch, problem, reading.penalty * reading.pair_count)


def lipschitz(conflicts: Tensor, pair_count: int, problem: str) -> Tensor:
    """Return the largest change of f by a flip of each node."""
    return conflicts if problem == "mds" else (pair_count * conflicts - 1).clamp(min=1.0)


def temperature(reading: Reading, first: Tensor, progress: float) -> Tensor:
    """Return τ from τ0, elementwise."""
    if reading.anneal_by == "epoch":
        progress = math.floor(progress * PAPER_EPOCHS) / PAPER_EPOCHS
    if reading.tau0 == 0.0:
        return first * 0.0
    if reading.schedule == "harmonic":
        return first / (1.0 + (first / LAST_TEMPERATURE - 1.0) * progress)
    if reading.schedule == "geometric":
        return first ** (1 - progress) * LAST_TEMPERATURE**progress
    return first * max(0.0, 1.0 - progress / 0.9)


RATES: dict[str, Callable[[float], float]] = {
    "decay": lambda progress: 0.95 ** (100 * progress),
    "decay-100": lambda progress: 0.95 ** (20 * progress),
    "constant": lambda progress: 1.0,  # noqa: ARG005
    "cosine": lambda progress: 0.5 * (1 + math.cos(math.pi * progress)),
}


# ------------------------------------------------------------------------------------------------------------- training


def train(reading: Reading, problem: str, samples: list[Sample], *, seed: int, epochs: float, path: Path) -> Network:
    """Train from scratch, or from the checkpoint at ``path``; raises FloatingPointError where a loss is not finite."""
    torch.manual_seed(seed)
    network = Network(reading)
    optimiser = torch.optim.Adam(network.parameters(), lr=reading.rate)
    per_epoch = len(samples) // reading.batch
    num_steps = round(epochs * per_epoch)
    flips = [lipschitz(each.conflicts, reading.pair_count, problem) for each in samples]
    widest = max(float(each.max()) for each in flips)
    begin = restore(path, network, optimiser)
    for step in range(begin, num_steps):
        progress = step / num_steps
        order = np.random.default_rng([seed, step // per_epoch]).permutation(len(samples))
        place = step % per_epoch * reading.batch
        chosen = order[place : place + reading.batch].tolist()
        batch = collate([samples[index] for index in chosen])
        generator = torch.Generator().manual_seed(seed * 10_000_019 + step)
        seeds = torch.rand(len(chosen), FEATURES[reading.features].seeds, generator=generator)
        features = draw_features(reading.features, batch, seeds, generator)
        first = first_temperature(reading, [flips[index] for index in chosen], widest)
        heat = temperature(reading, first, progress)

        probability = network(features, batch, heat)
        loss = objective(reading, probability, batch, problem)
        if reading.tau0 != 0.0:
            held = probability.clamp(1e-6, 1 - 1e-6)
            entropy = torch.special.entr(held) + torch.special.entr(1 - held)
            loss = loss - batch.per_graph(heat * entropy)
        if reading.unit == "mean":
            loss = loss / batch.sizes
        elif reading.unit == "lipschitz":
            loss = loss / widest
        total = loss.mean()
        if not math.isfinite(total.item()):
            raise FloatingPointError(f"loss {total.item()} at step {step} of {num_steps}")
        if progress >= reading.idle:
            optimiser.param_groups[0]["lr"] = reading.rate * RATES[reading.rate_schedule](progress)
            optimiser.zero_grad()
            total.backward()
            if reading.clip:
                nn.utils.clip_grad_norm_(network.parameters(), reading.clip)
            optimiser.step()
        if epochs >= 50 and (step + 1) % (2 * per_epoch) == 0:
            keep(path, network, optimiser, step + 1)
    return network


def first_temperature(reading: Reading, flips: list[Tensor], widest: float) -> Tensor:
    """Return τ0, [num_nodes]."""
    if reading.tau0 >= 0:
        shared = [torch.full_like(each, reading.tau0) for each in flips]
    elif reading.tau_per == "set":
        shared = [torch.full_like(each, widest) for each in flips]
    elif reading.tau_per == "graph":
        shared = [torch.full_like(each, float(each.max())) for each in flips]
    else:
        shared = flips
    return torch.cat(shared)


def keep(path: Path, network: Network, optimiser: torch.optim.Adam, step: int) -> None:
    """Write parameters, statistics and the state of Adam to one safetensors file."""
    tensors = {f"network.{name}": value.contiguous() for name, value in network.state_dict().items()}
    for number, state in optimiser.state_dict()["state"].items():
        tensors |= {f"adam.{number}.{name}": value for name, value in state.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, path.with_suffix(".new"), metadata={"step": str(step)})
    path.with_suffix(".new").replace(path)


def restore(path: Path, network: Network, optimiser: torch.optim.Adam) -> int:
    """Load a checkpoint where there is one, and return the step to go on with."""
    if not path.exists():
        return 0
    with safe_open(path, "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        step = int(file.metadata()["step"])
    network.load_state_dict({name[8:]: value for name, value in tensors.items() if name.startswith("network.")})
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in tensors.items():
        if name.startswith("adam."):
            _, number, key = name.split(".")
            state.setdefault(int(number), {})[key] = value
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
    return step


# ----------------------------------------------------------------------------------------------------------- validation


def predict(network: Network, samples: list[Sample], num_samples: int) -> list[Tensor]:
    """Return probabilities per graph, [n, num_samples], of different seed nodes where there are enough."""
    reading, rows = network.reading, []
    count = FEATURES[reading.features].seeds
    places = []
    for number, each in enumerate(samples):
        nodes = np.random.default_rng([7, number]).permutation(len(each.adjacency))
        # Once more at the end: the last group of seeds may be cut short.
        places.append((torch.tensor(np.concatenate([nodes, nodes])) + 0.5) / len(nodes))
    with torch.no_grad():
        for draw in range(num_samples):
            generator = torch.Generator().manual_seed(draw)
            drawn = []
            for first in range(0, len(samples), 32):
                part = range(first, min(first + 32, len(samples)))
                batch = collate([samples[index] for index in part])
                seeds = torch.stack([places[index][draw * count % len(places[index]) :][:count] for index in part])
                features = draw_features(reading.features, batch, seeds, generator)
                drawn.append(network(features, batch, torch.zeros(len(batch.owner))))
            rows.append(torch.cat(drawn))
    sizes = [len(each.adjacency) for each in samples]
    return list(torch.stack(rows, dim=1).split(sizes))


def visit(conflicts: Tensor, values: Tensor, order: Tensor) -> Tensor:
    """Set nodes to the value of lower conditional expected energy in a given order, [n, num_samples] each; of pairs."""
    values, columns = values.clone(), torch.arange(values.shape[1])
    for nodes in order:
        chosen = (conflicts[nodes] * values.T).sum(1) < 1.0 - 1e-6
        values[nodes, columns] = chosen.float()
    return values


def as_generated(graph: Graph) -> Tensor:
    """Return the nodes of an RB graph in the order of a generator that does not shuffle them, [n].

    Group by group, and in each the hidden node first: the solution is planted at the first value of each variable.
    """
    hidden, group = graph.node_data["planted"].astype(bool), graph.node_data["group"]
    return torch.tensor(np.lexsort((~hidden, group)))


def steepest(conflicts: Tensor, values: Tensor, *, by_size: bool) -> Tensor:
    """Decode with an order that depends on what was decided: next is the node whose conditional difference of energy
    is the lowest or, ``by_size``, the largest in size; [n, num_samples], of pairs. From even probabilities the first is
    the greedy algorithm that takes a node of least degree and updates degrees.
    """  # noqa: D205
    values, columns = values.clone(), torch.arange(values.shape[1])
    difference = conflicts @ values - 1.0
    # Neighbours of a chosen node are out: they come at once, so that they no longer count.
    decided, excluded = torch.zeros_like(values), torch.zeros_like(values)
    for _ in range(len(values)):
        key = (-difference.abs() if by_size else difference) - 1e5 * (excluded > 0) + 1e6 * decided
        nodes = key.argmin(0)
        chosen = (difference[nodes, columns] < -1e-6).float()
        difference += conflicts[:, nodes] * (chosen - values[nodes, columns])
        values[nodes, columns] = chosen
        decided[nodes, columns] = 1.0
        excluded += conflicts[:, nodes] * chosen
    return values


def steepest_cover(looped: Tensor, values: Tensor, *, by_size: bool) -> Tensor:
    """Decode dominating sets as `steepest` does, [n, num_samples]; ``looped`` are closed neighbourhoods, [n, n].

    Where i is undecided, f changes by 1 − Σ_{k ∈ N[i]} Π_{j ∈ N[k], j ≠ i} (1 − p_j) when i is taken. From even, small
    probabilities this is the greedy algorithm that takes the node which dominates most new ones.
    """
    values, columns = values.clamp(max=1 - 1e-6), torch.arange(values.shape[1])
    absent = torch.log1p(-values)
    alone = (looped @ absent).exp()
    decided, result = torch.zeros_like(values), torch.zeros_like(values)
    for _ in range(len(values)):
        difference = 1.0 - (looped @ alone) / absent.exp()
        key = (-difference.abs() if by_size else difference) + 1e6 * decided
        nodes = key.argmin(0)
        chosen = (difference[nodes, columns] < -1e-6).to(values.dtype)
        # A neighbour of a chosen node is dominated; one that is left out leaves others alone with a higher chance.
        factor = (1.0 - chosen) * (-absent[nodes, columns]).exp()
        alone *= torch.where(looped[:, nodes] > 0, factor, 1.0)
        absent[nodes, columns] = 0.0
        result[nodes, columns] = chosen
        decided[nodes, columns] = 1.0
    return result


def best_of(ratios: np.ndarray, count: int) -> np.ndarray:
    """Return the mean over blocks of the best of ``count`` samples, [num_samples, num_graphs] to [num_graphs]."""
    blocks = ratios[: len(ratios) // count * count].reshape(-1, count, ratios.shape[1])
    return np.asarray(blocks.max(axis=1).mean(axis=0))


def noise_like(values: Tensor) -> Tensor:
    """Return noise that breaks ties where no network does."""
    return torch.rand(values.shape, generator=torch.Generator().manual_seed(1))


def cover_orders(sample: Sample, values: Tensor) -> dict[str, Tensor]:
    """Return dominating sets by the order of decoding, [n, num_samples] each, which may still leave nodes alone."""
    looped = sample.adjacency.float()
    looped.fill_diagonal_(1.0)
    even = 1e-3 * (1.0 + 0.3 * noise_like(values))
    return {
        "steepest": steepest_cover(looped, values, by_size=False),
        "most decided": steepest_cover(looped, values[:, :8], by_size=True),
        "no network": steepest_cover(looped, even, by_size=False),
    }


def conflicts_of(sample: Sample, problem: str) -> Tensor:
    """Return which pairs exclude each other, [n, n]."""
    conflicts = sample.adjacency.float() if problem == "mis" else 1.0 - sample.adjacency.float()
    return conflicts.fill_diagonal_(0.0)


def pair_orders(sample: Sample, values: Tensor, problem: str, graph: Graph) -> dict[str, Tensor]:
    """Return independent sets or cliques of RB graphs by the order of decoding, [n, num_samples] each."""
    conflicts, few, noise = conflicts_of(sample, problem), values[:, :8], noise_like(values)
    plain = torch.arange(len(conflicts)).unsqueeze(1).expand_as(few)
    return {
        "index": visit(conflicts, few, plain),
        "hidden first": visit(conflicts, few, as_generated(graph).unsqueeze(1).expand_as(few)),
        "greedy": visit(conflicts, 0 * few, few.argsort(0, descending=True)),
        "steepest": steepest(conflicts, values, by_size=False),
        "most decided": steepest(conflicts, few, by_size=True),
        # No network at all: nodes in random order, and even probabilities with noise that breaks ties of degrees.
        "random": visit(conflicts, 0 * values, noise.argsort(0)),
        "no network": steepest(conflicts, 1e-3 * (1.0 + 0.3 * noise), by_size=False),
    }


def validate(network: Network, problem: str, graphs: Graph, samples: list[Sample], num_samples: int) -> Row:
    """Return ratios by decoding and number of samples, and the mean energy of Q."""
    network.eval()
    drawn = predict(network, samples, num_samples)
    instance = annealco.PROBLEMS[problem].declare(graphs)
    best = np.array([each.best for each in samples])
    rows = torch.cat(drawn).T.double().clamp(0, 1).numpy()

    def ratios(assignments: np.ndarray) -> np.ndarray:
        sizes = np.add.reduceat(assignments.astype(np.int64), graphs.node_ptr[:-1], axis=1)
        return best / sizes if problem == "mds" else sizes / best

    counts = [count for count in (1, 8, 32) if count <= num_samples] + ([num_samples] if num_samples > 32 else [])
    found = {
        order: ratios(decode(instance, rows, order=order, num_threads=1)) for order in ("probability", "confidence")
    }
    parts: dict[str, list[Tensor]] = {}
    for number, (each, values) in enumerate(zip(samples, drawn, strict=True)):
        decoded = cover_orders(each, values) if problem == "mds" else pair_orders(each, values, problem, graphs[number])
        for name, part in decoded.items():
            parts.setdefault(name, []).append(part)
    for name, several in parts.items():
        found[name] = ratios(finish(instance, torch.cat(several).T.numpy() > 0.5, num_threads=1))
    table = {
        name: {str(count): round(float(best_of(each, count).mean()), 5) for count in counts if count <= len(each)}
        for name, each in found.items()
    }
    table["mean"] = {
        str(count): round(float(ratios(decode(instance, rows[:count].mean(0)[None], num_threads=1)).mean()), 5)
        for count in counts
    }
    energies = [
        float(energy(values, collate([each]), problem)[0])
        for each, column in zip(samples, drawn, strict=True)
        for values in column[:, :8].T
    ]
    network.train()
    with_batch = predict(network, samples, 8)
    batch_rows = torch.cat(with_batch).T.double().clamp(0, 1).numpy()
    spread = best_of(found["probability"], min(8, num_samples))
    return {
        "graphs": len(samples),
        "samples": num_samples,
        "energy": round(mean(energies), 4),
        "ratio": table,
        "std_of_8": round(float(spread.std()), 4),
        "batch_statistics_8": round(float(best_of(ratios(decode(instance, batch_rows, num_threads=1)), 8).mean()), 5),
    }


# --------------------------------------------------------------------------------------------------------------- trials


class Trial(NamedTuple):
    """A reading, trained once.

    Attributes:
        reading: what is trained.
        epochs: over `NUM_GRAPHS` graphs.
        seed: of the initial parameters, the order of graphs and the inputs.
        graphs: of validation.
        samples: per validation graph.
        stage: why it was run.
    """

    reading: Reading
    epochs: float
    seed: int = 0
    graphs: int = 64
    samples: int = 32
    stage: str = "screen"

    def file_name(self, problem: str) -> str:
        """Return the name of the checkpoint."""
        text = json.dumps([problem, asdict(self.reading), self.epochs, self.seed])
        return f"{sha256(text.encode()).hexdigest()[:16]}.safetensors"

    def is_row(self, row: Row, problem: str) -> bool:
        """Tell whether a row is of this trial."""
        same = row.get("problem") == problem and row.get("reading") == asdict(self.reading)
        return same and (row["epochs"], row["seed"], row["samples"]) == (self.epochs, self.seed, self.samples)


class Laboratory:
    """The graphs of a problem, loaded once, and the file of rows."""

    def __init__(self, problem: str, out: Path, checkpoints: Path = CHECKPOINTS) -> None:
        self.problem, self.out, self.checkpoints = problem, out, checkpoints
        self.commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
        self.graphs = load_dataset(DATA[problem], "validation", count=200)
        self.samples = dense_samples(self.graphs, problem, self._references())
        graphs = load_dataset(DATA[problem], "train", count=NUM_GRAPHS)
        self.training = dense_samples(graphs, problem, [math.nan] * NUM_GRAPHS)

    def _references(self) -> list[float]:
        """Return the planted optima, or for dominating sets the best of a search, from the row that has them."""
        if "planted" in self.graphs.node_data:
            planted = self.graphs.node_data["planted"].astype(np.int64)
            return [float(value) for value in np.add.reduceat(planted, self.graphs.node_ptr[:-1])]
        for row in read_lines(self.out):
            if row.get("reference") == self.problem:
                return list(row["values"])
        found = [
            annealco.solve(self.graphs[number], self.problem, model="none", time_limit=0.5, num_threads=1)
            for number in range(self.graphs.num_graphs)
        ]
        proven = sum(each.optimal for each in found)
        append(self.out, {"reference": self.problem, "values": [each.value for each in found], "proven": proven})
        return [each.value for each in found]

    def run(self, trial: Trial) -> Row:
        """Return the row of a trial: the one that is there, or a new one."""
        for row in read_lines(self.out):
            if trial.is_row(row, self.problem):
                return row
        row = {"problem": self.problem, "stage": trial.stage, "changes": trial.reading.changes(), "seed": trial.seed}
        row |= {"epochs": trial.epochs, "train_graphs": NUM_GRAPHS, "samples": trial.samples, "commit": self.commit}
        begin = time.process_time()
        try:
            network = train(
                trial.reading, self.problem, self.training,
                seed=trial.seed, epochs=trial.epochs, path=self.checkpoints / trial.file_name(self.problem),
            )  # fmt: skip
            row["train_cpu"] = round(time.process_time() - begin, 1)
            graphs = self.graphs[: trial.graphs]
            row |= validate(network, self.problem, graphs, self.samples[: trial.graphs], trial.samples)
        except FloatingPointError as error:
            row["error"] = str(error)
        row |= {"cpu": round(time.process_time() - begin, 1), "reading": asdict(trial.reading)}
        append(self.out, row)
        print(
            json.dumps({key: row[key] for key in ("stage", "changes", "seed", "epochs", "cpu")}),
            figure(row),
            flush=True,
        )
        return row


def figure(row: Row) -> float:
    """Return what readings are compared by: the best of 8 samples, decoded by probability; 0 where training failed."""
    return float(row["ratio"]["probability"]["8"]) if "ratio" in row else 0.0


def better_figure(row: Row) -> float:
    """Return the better of conditional decoding and, where it was measured, the decoder that the KL loss comes with."""
    return max(figure(row), float(row.get("ratio", {}).get("greedy", {}).get("8", 0.0)))


def screened(num_mixtures: int = 24) -> list[Reading]:
    """Return the paper's reading, its single changes, and random mixtures."""
    found = single_changes(Reading())
    draw = random.Random(0)
    while len(found) < num_mixtures + len(single_changes(Reading())):
        mixture = Reading(**{name: draw.choice(choices) for name, choices in CHOICES.items()})
        found += [mixture] if mixture not in found else []
    return found


def single_changes(base: Reading) -> list[Reading]:
    """Return a reading and all that differ from it in one choice."""
    merged = {name: CHOICES.get(name, ()) + COSTLY.get(name, ()) for name in (each.name for each in fields(Reading))}
    changed = [replace(base, **{name: value}) for name, values in merged.items() for value in values]
    return [base] + [each for each in changed if each != base]


def screen(laboratory: Laboratory) -> None:
    """Run the first rung."""
    for reading in screened():
        laboratory.run(Trial(reading, SCREEN_EPOCHS))


def halve(laboratory: Laboratory, most: int, rungs: int = 2) -> None:
    """Run the better third of each rung, but not more than so many, three times as long.

    Readings that were added by hand take part.
    """
    for rung in range(rungs):
        epochs = SCREEN_EPOCHS * LONGER**rung
        rows = ranked(read_lines(laboratory.out), laboratory.problem, epochs)
        for row in rows[: min(most, max(3, math.ceil(len(rows) / 3)))]:
            laboratory.run(Trial(Reading(**row["reading"]), epochs * LONGER, stage=f"rung {rung + 1}"))


def ranked(rows: list[Row], problem: str, epochs: float) -> list[Row]:
    """Return the rows of a problem and length at seed 0, the best first."""
    own = [row for row in rows if (row.get("problem"), row.get("epochs"), row.get("seed")) == (problem, epochs, 0)]
    return sorted(own, key=figure, reverse=True)


def best_reading(rows: list[Row], problem: str) -> Reading:
    """Return the best of the longest rung that has at least three rows."""
    lengths = sorted({row["epochs"] for row in rows if row.get("problem") == problem}, reverse=True)
    own = next(found for epochs in lengths if len(found := ranked(rows, problem, epochs)) >= 3)
    return Reading(**own[0]["reading"])


def around(laboratory: Laboratory, epochs: float, base: Reading, seeds: int, graphs: int = 64) -> None:
    """Run the single changes of a reading."""
    for seed in range(seeds):
        for reading in single_changes(base):
            laboratory.run(Trial(reading, epochs, seed=seed, graphs=graphs, stage="around"))


METHODS: dict[str, tuple[dict[str, Any], tuple[dict[str, Any], ...]]] = {
    "KL loss": ({"objective": "pairs", "tau0": 0.0}, ({"head": "sigmoid"}, {"head": "min-max"})),
    "τ = 0": ({"objective": "energy", "tau0": 0.0}, ({"head": "sigmoid"}, {"head": "min-max"})),
    "annealed": (
        {"objective": "energy", "head": "sigmoid"},
        ({"tau0": -1.0, "schedule": "harmonic"}, {"tau0": 1.0, "schedule": "geometric"}),
    ),
}
"""What a method fixes, and the two variants of it that are tuned beside two learning rates."""


def triple(laboratory: Laboratory, epochs: float, base: Reading, seeds: int, graphs: int = 64) -> None:
    """Tune three methods in the same reading with four trials each, then run the best of each with more seeds.

    Of the two decoders the better counts: the loss of Karalias and Loukas is poor under conditional decoding.
    """
    for fixed, variants in METHODS.values():
        tried = [replace(base, **fixed, **variant, rate=rate) for variant in variants for rate in (1e-3, 3e-3)]
        rows = [laboratory.run(Trial(reading, epochs, graphs=graphs, stage="triple")) for reading in tried]
        chosen = Reading(**max(rows, key=better_figure)["reading"])
        for seed in range(1, seeds):
            laboratory.run(Trial(chosen, epochs, seed=seed, graphs=graphs, stage="triple"))


def show(rows: list[Row], problem: str, most: int = 10) -> str:
    """Return Markdown: the best rows of a problem, and the paper's reading."""
    # A trial that was measured again from its checkpoint counts once, with the time of its training.
    trials: dict[Any, Row] = {}
    for row in rows:
        if row.get("problem") == problem and "ratio" in row:
            trials[_key(row)] = row | {"cpu": max(row["cpu"], trials.get(_key(row), row)["cpu"])}
    own = sorted(trials.values(), key=figure, reverse=True)
    kept = own[:most] + [row for row in own[most:] if not row["changes"]]
    titles = ["changes from the paper's reading", "epochs", "seed", "best of 1", "8", "32"]
    titles += ["steepest order, 1", "8", "32", "energy", "CPU s"]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for row in kept:
        told = _told(row["changes"])
        ratios = [row["ratio"].get(order, {}) for order in ("probability", "steepest")]
        figures = [f"{each[count]:.3f}" if count in each else "–" for each in ratios for count in ("1", "8", "32")]
        cells = [told, f"{row['epochs']:g}", str(row["seed"]), *figures, f"{row['energy']:.2f}"]
        lines.append(f"| {' | '.join([*cells, format(row['cpu'], '.0f')])} |")
    return "\n".join(lines)


def effects(rows: list[Row], problem: str) -> str:
    """Return Markdown: what one changed choice does to the best of 8, over all pairs of rows that differ in it only."""
    own = {_key(row): figure(row) for row in rows if row.get("problem") == problem}
    titles = ["choice", "instead of", "pairs", "mean change", "least", "most"]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for name, usual in asdict(Reading()).items():
        differences: dict[Any, list[float]] = {}
        for (reading, *rest), value in own.items():
            other = (replace(reading, **{name: usual}), *rest)
            if other != (reading, *rest) and other in own:
                differences.setdefault(getattr(reading, name), []).append(value - own[other])
        for changed, found in differences.items():
            figures = [f"{each:+.3f}" for each in (mean(found), min(found), max(found))]
            lines.append(f"| {' | '.join([f'{name} {changed}', str(usual), str(len(found)), *figures])} |")
    return "\n".join(lines)


def _key(row: Row) -> tuple[Reading, float, int]:
    return Reading(**row["reading"]), row["epochs"], row["seed"]


def decodings(rows: list[Row]) -> str:
    """Return Markdown: each decoding, averaged over the rows in which all were measured."""
    names = ("probability", "confidence", "index", "greedy", "most decided", "steepest", "no network", "mean")
    titles = ["problem", "trials", "samples", *names]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for problem in DATA:
        own = [row for row in rows if row.get("problem") == problem and "no network" in row.get("ratio", {})]
        own = [row for row in own if row["reading"]["objective"] == "energy"]
        for count in ("1", "8", "32") if own else ():
            found = [[row["ratio"].get(name, {}).get(count) for row in own] for name in names]
            figures = ["–" if None in each else f"{mean(each):.3f}" for each in found]
            lines.append(f"| {' | '.join([problem, str(len(own)), count, *figures])} |")
    return "\n".join(lines)


def compared(rows: list[Row], problem: str, *, least: float = 10) -> str:
    """Return Markdown: KL loss, τ = 0 and annealed in the same reading, over seeds, of trials that are not short.

    Figures are the best of 8, by decoding.
    """
    orders = ("probability", "greedy", "steepest", "hidden first")
    titles = ["the same reading", "epochs", "loss", "rate", "seeds", *orders, "energy"]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    groups: dict[tuple[str, float], dict[tuple[str, float], list[Row]]] = {}
    for row in rows:
        if row.get("problem") == problem and "ratio" in row and row["epochs"] >= least:
            shared = {name: value for name, value in row["changes"].items() if name not in _METHOD}
            kind = (_method(row["reading"], problem), row["reading"]["rate"])
            groups.setdefault((_told(shared), row["epochs"]), {}).setdefault(kind, []).append(row)
    for (reading, epochs), methods in sorted(groups.items()):
        for (method, rate), found in sorted(methods.items()):
            by_seed = {row["seed"]: row for row in found}
            cells = [reading, f"{epochs:g}", method, f"{rate:g}", str(len(by_seed))]
            for order in orders:
                values = [row["ratio"][order]["8"] for row in by_seed.values() if order in row["ratio"]]
                spread = f" ({min(values):.3f} to {max(values):.3f})" if len(values) > 1 else ""
                cells.append(f"{mean(values):.3f}{spread}" if values else "–")
            lines.append(f"| {' | '.join([*cells, format(mean(row['energy'] for row in by_seed.values()), '.2f')])} |")
    return "\n".join(lines)


_METHOD = {"objective", "head", "tau0", "schedule", "rate"}


def _method(reading: dict[str, Any], problem: str) -> str:
    """Return the loss in words; dominating sets have no loss of pairs, and are trained by the energy all the same."""
    head = "" if reading["head"] == "sigmoid" else f", head {reading['head']}"
    if reading["objective"] == "pairs" and problem != "mds":
        return ("KL loss" if reading["tau0"] == 0 else "KL loss, annealed") + head
    if reading["tau0"] == 0:
        return "τ = 0" + head
    first = "Lipschitz" if reading["tau0"] < 0 else f"{reading['tau0']:g}"
    return f"annealed, {reading['schedule']} from {first}{head}"


def _told(changes: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in changes.items()) or "the paper's"


def tables(rows: list[Row]) -> dict[str, str]:
    """Return the tables of the page by the name of their place."""
    found = {"decodings": decodings(rows)}
    for problem in DATA:
        found |= {f"best {problem}": show(rows, problem), f"compared {problem}": compared(rows, problem)}
        found |= {f"effects {problem}": effects(rows, problem)}
    return found


def fill(text: str, found: dict[str, str]) -> str:
    """Return a page with its tables replaced: what is between ``<!-- name -->`` and ``<!-- /name -->``."""
    for name, table in found.items():
        begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        head, _, rest = text.partition(begin)
        _, found_end, tail = rest.partition(end)
        if not found_end:
            raise SystemExit(f"the page has no place for the table {name}: {begin} ... {end}")
        text = f"{head}{begin}\n\n{table}\n\n{end}{tail}"
    return text


def parse_changes(text: str) -> dict[str, Any]:
    """Return the fields that ``name=value,...`` names, in the types of `Reading`."""
    kinds = {name: type(value) for name, value in asdict(Reading()).items()}
    pairs = [item.split("=") for item in text.split(",") if item]
    if unknown := {name for name, _ in pairs} - set(kinds):
        raise SystemExit(f"unknown choices: {', '.join(sorted(unknown))}; there are {', '.join(kinds)}")
    return {name: value == "True" if kinds[name] is bool else kinds[name](value) for name, value in pairs}


def main() -> None:
    """Run a stage, or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=["screen", "halve", "around", "triple", "one", "table", "page"])
    parser.add_argument("problem", nargs="?", choices=list(DATA), help="for all stages but page")
    parser.add_argument(
        "--change", action="append", help="name=value,...: of the paper's reading; by default the best reading so far"
    )
    parser.add_argument("--epochs", type=float, default=SCREEN_EPOCHS)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=24, help="of a rung that halve goes on with")
    parser.add_argument("--graphs", type=int, default=64, help="of validation")
    parser.add_argument("--samples", type=int, default=32)
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON lines")
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="folder of trainings to resume")
    given = parser.parse_args()
    rows = read_lines(given.out)
    if given.stage == "page":
        PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), tables(rows)), encoding="utf-8")
        return
    if given.problem is None:
        parser.error(f"which problem? {', '.join(DATA)}")
    if given.stage == "table":
        print(*(table for name, table in tables(rows).items() if given.problem in name), sep="\n\n")
        print(decodings(rows))
        return
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    laboratory = Laboratory(given.problem, given.out, given.checkpoints)
    if given.stage == "screen":
        screen(laboratory)
        return
    if given.stage == "halve":
        halve(laboratory, given.most)
        return
    named = [Reading(**parse_changes(text)) for text in given.change or ()] or [best_reading(rows, given.problem)]
    for base in named:
        if given.stage == "one":
            for seed in range(given.first_seed, given.first_seed + given.seeds):
                laboratory.run(Trial(base, given.epochs, seed, given.graphs, given.samples, "one"))
        else:
            {"around": around, "triple": triple}[given.stage](laboratory, given.epochs, base, given.seeds, given.graphs)


if __name__ == "__main__":
    main()
