"""Graphs on which `benchmarks/learning_regime.py` compares searches with and without a network, and the networks."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from geometric import random_geometric
from learning_ways import WAYS, Task
from paired_sites import PAIRED_SITES, draw

import annealco
from annealco.datasets import load_dataset
from annealco.evaluation.bench.entries import digest
from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.generators.rb import rb_graph
from annealco.graph.graph import Graph
from annealco.models.compiled_field import CompiledModel, load_compiled
from annealco.models.pretrained import shipped
from annealco.problems import Problem, find_problem

SEED = 7_000
"""Of the first graph; those of training count from 0."""

SHORT = (0.02, 0.1, 1.0)
"""Time limits on 10^4 nodes, in CPU seconds."""

ALL_FROM, ALL_UNTIL = 0.1, 1.0
"""Below, restarts and parts would have no time; above, they would take most of a run of all families."""

STARTS = ("search", "start")

TRAINED: dict[str, Any] = {"epochs": 80, "validate_every": 80, "num_graphs": 300, "num_nodes": 300, "seed": 0}
"""How the network for `PAIRED_SITES` is trained, in about 2 CPU minutes."""


class Family(NamedTuple):
    """Graphs of one kind.

    Attributes:
        problem: to be solved.
        draw: a graph from its number.
        limits: CPU seconds.
        count: of graphs.
        ways: that are compared at limits from `ALL_FROM` to `ALL_UNTIL`; at others `search` and `start` are.
        comes_trained: whether the network comes with the package; else it is trained here.
    """

    problem: Problem
    draw: Callable[[int], Graph]
    limits: tuple[float, ...] = SHORT
    count: int = 5
    ways: tuple[str, ...] = tuple(WAYS)
    comes_trained: bool = True

    def ways_at(self, limit: float) -> tuple[str, ...]:
        """Return the ways that are compared at a limit."""
        return self.ways if ALL_FROM <= limit <= ALL_UNTIL else STARTS

    @property
    def folder(self) -> Path | None:
        """Where the package's network is; None where it has none yet."""
        return next((shipped()[name] for name in self.problem.learned_from if name in shipped()), None)

    @property
    def digest(self) -> str | None:
        """What tells the network from others; None where there is none."""
        if not self.comes_trained:
            return f"#{hashlib.sha256(repr(TRAINED).encode()).hexdigest()[:8]}"
        return None if self.folder is None else digest(str(self.folder))

    def network(self) -> CompiledModel:
        """Return the network; where it is trained here, this takes minutes the first time."""
        if not self.comes_trained:
            return _trained_here()
        assert self.folder is not None
        return _loaded(self.folder)

    def task(self, number: int) -> Task:
        """Return a graph, its problem and the network."""
        graph = self.draw(number)
        if self.problem.name not in {"cut", "conductance"}:
            return Task(self.problem, graph, self.network())
        drawn = {key: value[0].tolist() for key, value in find_problem("cut").draw(graph, SEED + number).items()}
        return Task(self.problem.with_options(**drawn), graph, self.network())


@cache
def _loaded(folder: Path) -> CompiledModel:
    found = load_compiled(folder)
    assert found is not None
    return found


@cache
def _trained_here() -> CompiledModel:
    """Train a network for `PAIRED_SITES` on small graphs of its own."""
    settings = dict(TRAINED)
    count, num_nodes = settings.pop("num_graphs"), settings.pop("num_nodes")
    graphs = [draw(np.random.default_rng(number), num_nodes=num_nodes) for number in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        annealco.train(PAIRED_SITES, graphs, out=folder, picture=False, **settings)
        found = load_compiled(folder)
    assert found is not None
    return found


def _drawn(make: Callable[[np.random.Generator], Graph], *, weighted: bool = False) -> Callable[[int], Graph]:
    def draw_one(number: int) -> Graph:
        rng = np.random.default_rng(SEED + number)
        graph = make(rng)
        return graph.with_weights(node_weight=rng.integers(1, 101, graph.num_nodes)) if weighted else graph

    return draw_one


def _er(num_nodes: int, *, weighted: bool = False) -> Callable[[int], Graph]:
    return _drawn(lambda rng: erdos_renyi(rng, num_nodes=num_nodes, edge_probability=10 / num_nodes), weighted=weighted)


def _ba(num_nodes: int) -> Callable[[int], Graph]:
    return _drawn(lambda rng: barabasi_albert(rng, num_nodes=num_nodes, attachment=4))


def _rb(rng: np.random.Generator) -> Graph:
    return rb_graph(rng, num_groups=500, group_size=20, tightness=0.3)


_geometric = _drawn(lambda rng: random_geometric(rng, num_nodes=10_000))


def _torus(number: int) -> Graph:
    """Return a square torus whose edges weigh 1 or -1."""
    side = 100
    cell = np.arange(side * side).reshape(side, side)
    pairs = [np.stack([cell.ravel(), np.roll(cell, 1, axis).ravel()]) for axis in (0, 1)]
    sign = np.random.default_rng(SEED + number).choice([-1.0, 1.0], 2 * side * side)
    return Graph.from_edges(np.concatenate(pairs, axis=1), side * side, edge_weight=sign)


def _college(number: int) -> Graph:
    """Return one of the larger validation graphs of Facebook."""
    graphs = load_dataset("facebook", "validation")
    return graphs[int(np.argsort(np.diff(graphs.node_ptr))[-1 - number])]


_MIS, _MDS = find_problem("mis"), find_problem("mds")
_WITH_5 = (*SHORT, 5.0)

FAMILIES = {
    "mis er-1e4": Family(_MIS, _er(10_000), _WITH_5),
    "mis ba-1e4": Family(_MIS, _ba(10_000), ways=STARTS),
    "mis rb-1e4": Family(_MIS, _drawn(_rb)),
    "mis geometric-1e4": Family(_MIS, _geometric, ways=STARTS),
    "mis weighted er-1e4": Family(_MIS, _er(10_000, weighted=True)),
    "mds er-1e4": Family(_MDS, _er(10_000), _WITH_5),
    "mds ba-1e4": Family(_MDS, _ba(10_000)),
    "mds rb-1e4": Family(_MDS, _drawn(_rb)),
    "mds geometric-1e4": Family(_MDS, _geometric, ways=STARTS),
    "mds weighted er-1e4": Family(_MDS, _er(10_000, weighted=True)),
    "max_cut ba-1e4": Family(find_problem("max_cut"), _ba(10_000)),
    "max_cut torus-1e4": Family(find_problem("max_cut"), _torus),
    "cut facebook": Family(find_problem("cut"), _college, (0.1, 1.0)),
    "conductance facebook": Family(find_problem("conductance"), _college, (0.1, 1.0)),
    "own problem": Family(PAIRED_SITES, _drawn(lambda rng: draw(rng, num_nodes=10_000)), _WITH_5, comes_trained=False),
    "mis er-1e5": Family(_MIS, _er(100_000), (1.0, 5.0), ways=STARTS),
    "mds ba-1e5": Family(_MDS, _ba(100_000), (1.0, 5.0), ways=STARTS),
    "mis er-1e6": Family(_MIS, _er(1_000_000), (5.0,), count=2, ways=STARTS),
    "mds ba-1e6": Family(_MDS, _ba(1_000_000), (5.0,), count=2, ways=STARTS),
}
"""What is tried, by what the tables call it."""
