"""What a network is worth while it learns: its decoded sets, relative to the best that is known.

References are found before training: the planted set where that is an optimum, else what a short search without the
network finds, or the planted set where that is better. Where a network finds a better set than the reference, that
becomes the reference, so that no ratio is above 1. Two networks are always compared by the same references: those that
are known when the later of them is measured (`Validation.update`).

Sets come from the best of some restarts by conditional decoding, or by rounding where the loss says so, without search,
and are scored by the problem's own plain score.
"""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
import torch
from numpy.typing import NDArray

from annealco.arrays import FloatArray
from annealco.clock import Budget
from annealco.energy import Instance
from annealco.energy.structure import structure_of
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.models.model import Model
from annealco.problems import Problem
from annealco.problems.problem import ratios
from annealco.search import greedy
from annealco.search.decode import decode, rounded
from annealco.search.searches import Improver
from annealco.training.data import Drawn, Share, draw
from annealco.training.loss import LOSSES
from annealco.training.recipe import Recipe
from annealco.training.trained import propose

SEARCH_MOVES = 20_000
"""Moves of the search for a reference. Counted, not timed: a run that is repeated must find the same."""


def reference_values(drawn: Drawn, graphs: Graph, *, share: Share | None = None, seed: int = 0) -> FloatArray:
    """Return the best value known of each graph, [num_graphs]; NaN where none is, 0 for another process's graphs."""
    known = np.zeros(graphs.num_graphs)
    for number in range(graphs.num_graphs)[(share or Share()).rank :: (share or Share()).world_size]:
        known[number] = _best_known(drawn[number : number + 1].posed, graphs[number], seed)
    return known


def greedy_values(drawn: Drawn, graphs: Graph, *, share: Share | None = None, seed: int = 0) -> FloatArray:
    """Return the value of the greedy rule on each graph, [num_graphs]; 0 for another process's graphs.

    NaN where it finds no feasible set, or where no rule is for such terms (`annealco.search.greedy`).
    """
    found = np.zeros(graphs.num_graphs)
    for number in range(graphs.num_graphs)[(share or Share()).rank :: (share or Share()).world_size]:
        problem, graph = drawn[number : number + 1].posed, graphs[number]
        value = None
        with suppress(InputError):
            chosen = greedy.updated(problem.declare(graph), seed=seed)
            value = problem.score(graph, np.flatnonzero(chosen).tolist())
        found[number] = math.nan if value is None else value
    return found


def _best_known(problem: Problem, graph: Graph, seed: int) -> float:
    instance = problem.declare(graph)
    planted = graph.node_data.get("planted")
    if planted is not None and _is_optimum(instance, planted.astype(bool)):
        candidates = [planted.astype(bool)]
    else:
        candidates = [_searched(instance, seed), *([] if planted is None else [planted.astype(bool)])]
    values = [problem.score(graph, np.flatnonzero(each).tolist()) for each in candidates]
    feasible = [value for value in values if value is not None]
    best = max if problem.sense == "max" else min
    return best(feasible, default=math.nan)


def _is_optimum(instance: Instance, planted: NDArray[np.bool_]) -> bool:
    """Tell whether generators plant such sets as optima: a largest set without a conflicting pair.

    Then nothing needs to be searched for.
    """
    structure = structure_of(instance)
    gain = structure.node_cost
    alike = structure.kind == "packing" and np.all(gain < 0) and np.all(gain == gain[:1])
    return bool(alike and instance.violations(planted)[0] == 0)


def _searched(instance: Instance, seed: int) -> NDArray[np.bool_]:
    start = decode(instance, np.full(instance.num_nodes, 0.5), num_threads=1)
    search = Improver(instance, start, seed=seed)
    search.improve(Budget(moves=SEARCH_MOVES))
    return search.assignment


def decoded_values(
    model: Model,
    drawn: Drawn,
    graphs: Graph,
    *,
    num_restarts: int,
    seed: int,
    num_threads: int | None = None,
    by_rounding: bool = False,
) -> FloatArray:
    """Return the value of the best decoded set of each graph, [num_graphs]; NaN where no restart is feasible."""
    instance = drawn.posed.declare(graphs)
    logits = propose(model, graphs, instance, num_restarts, seed).astype(np.float64)
    probability = torch.sigmoid(torch.from_numpy(logits)).numpy()
    sets = (rounded if by_rounding else decode)(instance, probability, num_threads=num_threads)
    cost = instance.value(sets) * (1.0 if instance.sense == "min" else -1.0)
    best = np.argmin(np.where(instance.violations(sets) == 0, cost, np.inf), axis=0)
    chosen = sets[best[graphs.graph_of_node], np.arange(graphs.num_nodes)]
    places = zip(graphs.node_ptr[:-1], graphs.node_ptr[1:], strict=True)
    found = [
        drawn[number : number + 1].posed.score(graph, np.flatnonzero(chosen[first:last]).tolist())
        for number, (graph, (first, last)) in enumerate(zip(graphs, places, strict=True))
    ]
    return np.array([math.nan if value is None else value for value in found])


class Validation:
    """A set of graphs with their references, measured again and again.

    Attributes:
        graphs: to decode on.
        drawn: the problem on them.
        known: [num_graphs] the best known values, NaN where none is.
        greedy: [num_graphs] what the greedy rule finds, NaN for nothing.
    """

    def __init__(self, problem: Problem, graphs: Graph, recipe: Recipe) -> None:
        self.graphs = graphs
        self.drawn = draw(problem, graphs, recipe.seed)
        self.num_restarts = recipe.validation_restarts
        self.batch_size = recipe.batch_size
        self.seed = recipe.seed
        self.by_rounding = LOSSES[recipe.loss].rounded
        self.known: FloatArray = np.full(graphs.num_graphs, math.nan)
        self.greedy: FloatArray = np.full(graphs.num_graphs, math.nan)

    def measure(self, model: Model, share: Share) -> FloatArray:
        """Return the values of this process's graphs, [num_graphs], 0 for those of other processes, NaN for no set.

        The network is back in training mode at the end.
        """
        model.eval()
        try:
            return self._values(model, share)
        finally:
            model.train()

    def _values(self, model: Model, share: Share) -> FloatArray:
        values = np.zeros(self.graphs.num_graphs)
        starts = range(0, self.graphs.num_graphs, self.batch_size)
        # Features are drawn for whole batches, so a batch is one process's: its result is the same whoever decodes it.
        for start in starts[share.rank :: share.world_size]:
            part = slice(start, start + self.batch_size)
            values[part] = decoded_values(
                model,
                self.drawn[part],
                self.graphs[part],
                num_restarts=self.num_restarts,
                seed=self.seed + start,
                num_threads=None if share.world_size == 1 else 1,
                by_rounding=self.by_rounding,
            )
        return values

    def update(self, found: FloatArray) -> None:
        """Let values that a network found take the place of references that are worse."""
        better = np.fmax if self.drawn.problem.sense == "max" else np.fmin
        self.known = better(self.known, found)

    def ratio(self, found: FloatArray) -> float:
        """Return the mean ratio of values to the references, 0 to 1."""
        return float(ratios(self.drawn.problem, found, self.known).mean())

    def greedy_ratio(self) -> float | None:
        """Return the mean ratio of the greedy rule to the references; None where it found nothing at all."""
        return None if np.isnan(self.greedy).all() else self.ratio(self.greedy)
