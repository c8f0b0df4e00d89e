"""Local graph clustering: sets of small cut around a seed node, by diffusion or by flow.

`on_cut` makes a method of a clustering algorithm: it reads the seed node and the volume bounds off the instance, and
notes where the set misses them. An algorithm returns the set that it would return anywhere, and knows the volume bounds
only where its own sweep can look for them; such a set is passed on with the note, and scored anew by whoever uses it.

`reference_set` is the set that a flow method improves: a ball around the seed, as large as it may be.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.baselines.method import Assignment, Outcome, SolveGraph
from annealco.energy import Instance
from annealco.energy.structure import structure_of
from annealco.graph.graph import Graph
from annealco.problems import Problem
from annealco.search.greedy import box_of


class Box(NamedTuple):
    """The volumes that a set may have."""

    lower: float
    upper: float


FindCluster = Callable[[Graph, int, Box], Assignment]
"""Return the set, [num_nodes] bits, that a method finds around a seed node of a graph."""


def refuses(problem: Problem, graph: Graph) -> str | None:
    """Refuse what is no cut in a volume box, and edge weights that are no whole numbers above 0."""
    if structure_of(problem.declare(graph)).kind != "ranged":
        return "it is for cuts within volume bounds"
    if not np.all((graph.edge_weight > 0) & (graph.edge_weight == np.round(graph.edge_weight))):
        return "it takes whole edge weights above 0"
    return None if graph.num_edges else "the graph has no edges"


def on_cut(cluster: FindCluster) -> SolveGraph:
    """Return a `SolveGraph` of a clustering method."""

    def run(
        problem: Problem,
        graph: Graph,
        *,
        budget: float,  # noqa: ARG001 (these methods end by themselves)
        seed: int,
        threads: int = 1,  # noqa: ARG001 (and run on one)
        start: Assignment | None = None,  # noqa: ARG001 (and begin with the seed node)
    ) -> Outcome:
        box, forced = read_box(problem.declare(graph))
        node = forced[0] if forced else draw_seed(graph, seed)
        begun = time.perf_counter()
        found = cluster(graph, node, box)
        seconds = time.perf_counter() - begun
        return Outcome(found, note=complaint(graph, found, box, forced), seconds=seconds)

    return run


def read_box(instance: Instance) -> tuple[Box, list[int]]:
    """Return the volume box and the forced nodes of an instance of one graph."""
    box = box_of(instance)
    return Box(float(box.lower[0]), float(box.upper[0])), structure_of(instance).forced.tolist()


def draw_seed(graph: Graph, seed: int) -> int:
    """Return a random node that has neighbours."""
    return int(np.random.default_rng(seed).choice(np.flatnonzero(graph.degree)))


def complaint(graph: Graph, chosen: Assignment, box: Box, forced: list[int]) -> str:
    """Say what keeps a set from being feasible, or nothing."""
    volume = int(graph.degree[chosen].sum())
    missing = [] if all(chosen[node] for node in forced) else ["without the seed node"]
    if not box.lower <= volume <= box.upper:
        missing.append(f"volume {volume} is outside {box.lower:g}:{box.upper:g}")
    return ", ".join(missing)


def ball(graph: Graph, seed: int, radius: int) -> NDArray[np.bool_]:
    """Return the nodes within so many steps of a seed, [num_nodes].

    Example:
        >>> ball(Graph.from_edges([[0, 1, 2], [1, 2, 3]]), 0, 2).tolist()
        [True, True, True, False]
    """
    inside = np.zeros(graph.num_nodes, np.bool_)
    inside[seed] = True
    low, high = graph.edges
    for _ in range(radius):
        grown = inside.copy()
        grown[high[inside[low]]] = True
        grown[low[inside[high]]] = True
        inside = grown
    return inside


def reference_set(graph: Graph, seed: int, radius: int) -> NDArray[np.bool_]:
    """Return the largest ball up to a radius with at most half of the volume, or else the seed; [num_nodes]."""
    balls = [ball(graph, seed, steps) for steps in range(radius, -1, -1)]
    return next((each for each in balls if 2 * graph.degree[each].sum() <= 2 * graph.num_edges), balls[-1])


def cut_and_volume(graph: Graph, chosen: NDArray[np.bool_]) -> tuple[float, int]:
    """Return the edge weight between a set and the rest, and the sum of its degrees."""
    low, high = graph.edges
    return float(graph.edge_weight[chosen[low] != chosen[high]].sum()), int(graph.degree[chosen].sum())
