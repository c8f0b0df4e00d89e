"""Ways to let a network help a search, each with a control; `benchmarks/learning_regime.py` compares them.

| way               | what                                                                                       |
|-------------------|--------------------------------------------------------------------------------------------|
| `search`          | `annealco.solve` without a network                                                         |
| `start`           | `annealco.solve` from the network's proposal                                               |
| `greedy restarts` | half of the time as `search`; then searches from the best set with a part decided anew     |
| `network restarts`| the same, where the network proposes for that part, given the rest                         |
| `random parts`    | half of the time as `search`; then a part at a time is searched while the rest is fixed    |
| `network parts`   | the same with parts around nodes on which the network and the best set disagree            |

The recurrence of a network keeps states of its own, and none belongs to a set that a search has found. So it is given
the rest as a problem: that of the nodes still free, with the terms that are left of the instance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import annealco
from annealco.arrays import FloatArray, IntArray, scatter_sum
from annealco.clock import Budget, now
from annealco.energy import Constraint, Cover, Instance, Linear, Pairs, Range
from annealco.energy.terms import unknown_term
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.operations import induced_subgraph
from annealco.models.compiled_field import CompiledModel
from annealco.problems import Problem
from annealco.search.decode import DEFAULT_ORDER, Order, decode
from annealco.search.ratio import Quotient, QuotientImprover
from annealco.search.repair import finish
from annealco.search.searches import Improver
from annealco.solving.initial_sets import NETWORK_SHARE, even_probability

Bits = NDArray[np.bool_]
Propose = Callable[[Graph, Instance, float, int], FloatArray]
"""Probabilities [num_nodes] for a graph and an instance within some seconds, from a seed."""

FIRST_SHARE, ROUNDS = 0.5, 4
"""Restarts and parts begin after the first share of the time; each has so much of the rest."""

ANEW_SHARE, PART_SHARE = 0.3, 0.1
"""Nodes that are decided anew for a restart, and nodes of a part that is searched alone."""

MOST_PARTS = 1000
"""Parts that are solved at once are followed by others, up to so many."""


STEEPEST: Order = "steepest"
"""Decoding without a network that the network is compared with: the greedy algorithm of a problem."""


class Task(NamedTuple):
    """A graph to solve.

    Attributes:
        problem: with its options.
        network: that proposes; None where there is none.
    """

    problem: Problem
    graph: Graph
    network: CompiledModel | None


class Outcome(NamedTuple):
    """What came of a run; no value where no feasible set was found."""

    value: float | None
    seconds: float


def search(task: Task, seconds: float, seed: int) -> Outcome:
    """Search without a network."""
    return _solved(task, "none", seconds, seed)


def start(task: Task, seconds: float, seed: int) -> Outcome:
    """Search from the network's proposal."""
    return _solved(task, _model(task), seconds, seed)


def decoded(task: Task, seed: int, way: str) -> Outcome:
    """Decode even probabilities, in the order of probability or the steepest one, or the network's; do not search.

    The network has all of its steps.
    """
    model, order = _model(task) if way == "start" else "none", STEEPEST if way == STEEPEST else DEFAULT_ORDER
    return _solved(task, model, 1e9, seed, polish=False, decode_order=order)


def _model(task: Task) -> CompiledModel:
    """Return the network as `solve` takes it, also one that learned the nearest problem: it reads terms, no names."""
    assert task.network is not None
    return replace(task.network, problem=task.problem.learned_as)


def _solved(task: Task, model: str | CompiledModel, seconds: float, seed: int, **how: Any) -> Outcome:
    began = now()
    try:
        found = annealco.solve(
            task.graph,
            task.problem,
            model=model,
            time_limit=seconds,
            seed=seed,
            bound=False,
            num_threads=1,
            **how,
        )
    except InputError:
        return Outcome(None, now() - began)
    return Outcome(found.value, found.seconds)


class Best:
    """The best set so far of a task, in whichever way it is improved, and the time that is left."""

    def __init__(self, task: Task, seconds: float, seed: int) -> None:
        """Search for the first share of the time."""
        self.began = now()
        self.deadline = self.began + seconds
        self.task, self.seed = task, seed
        self.instance = task.problem.declare(task.graph)
        at_price = task.problem.at_price
        self.quotient = (
            None if at_price is None else Quotient(self.instance, lambda price: at_price(price).declare(task.graph))
        )
        even = np.full(task.graph.num_nodes, even_probability(self.instance))
        self.assignment = decode(self.instance, even, num_threads=1)
        self.cost = np.inf
        self.search_from(self.assignment, FIRST_SHARE * seconds - (now() - self.began))

    def search_from(self, assignment: Bits, seconds: float) -> None:
        """Search the whole instance from a set, and keep what is better; each search has a seed of its own."""
        left = max(0.0, seconds)
        searched: Improver | QuotientImprover
        if self.quotient is None:
            searched = Improver(self.instance, assignment, seed=self.seed, seconds=left)
        else:
            searched = QuotientImprover(self.quotient, assignment, seed=self.seed, seconds=left)
        self.seed += 1
        searched.improve(Budget(seconds=left))
        self.take(searched.assignment, searched.cost)

    def take(self, assignment: Bits, cost: float) -> None:
        """Keep a set if it is better."""
        if cost < self.cost:
            self.assignment, self.cost = assignment, cost

    def cost_of(self, assignment: Bits) -> float:
        """Return what counts, infinite where a set is not feasible."""
        if self.quotient is not None:
            return float(self.quotient.costs(assignment[None])[0])
        feasible = self.instance.violations(assignment)[0] == 0
        return float(self.instance.cost.value(assignment)[0]) if feasible else np.inf

    @property
    def posed(self) -> Instance:
        """The sum that is minimised: at the price of the best for a quotient."""
        return self.instance if self.quotient is None else self.quotient.at(self.cost)

    def slice_of(self, number: int) -> float:
        """Return the seconds of a round, 0 where the time is over."""
        return max(0.0, (self.deadline - now()) / (ROUNDS - number))

    def outcome(self) -> Outcome:
        """Return the best by the problem's own score."""
        value = self.task.problem.score(self.task.graph, np.flatnonzero(self.assignment).tolist())
        return Outcome(value, now() - self.began)


def network_restarts(task: Task, seconds: float, seed: int) -> Outcome:
    """Restart from the best set, a part of which the network proposes anew."""
    assert task.network is not None
    return _restarts(task, seconds, seed, _by_network(task.network))


def greedy_restarts(task: Task, seconds: float, seed: int) -> Outcome:
    """Restart from the best set, a part of which is decoded anew from even probabilities."""
    return _restarts(task, seconds, seed, _evenly)


def _evenly(graph: Graph, instance: Instance, seconds: float, seed: int) -> FloatArray:  # noqa: ARG001 (no network)
    return np.full(graph.num_nodes, even_probability(instance))


def _by_network(network: CompiledModel) -> Propose:
    def propose(graph: Graph, instance: Instance, seconds: float, seed: int) -> FloatArray:
        logits = network.with_settings(num_restarts=1, seed=seed, seconds=seconds)(graph, instance)[-1]
        return np.asarray(1 / (1 + np.exp(-logits.astype(np.float64))))

    return propose


def _restarts(task: Task, seconds: float, seed: int, propose: Propose) -> Outcome:
    best, rng = Best(task, seconds, seed), np.random.default_rng(seed)
    for number in range(ROUNDS):
        some = best.slice_of(number)
        if some <= 0:
            break
        began = now()
        part = scattered(task.graph, rng) if number % 2 == 0 else region(task.graph, rng)
        anew = decided_anew(
            task.graph,
            best.posed,
            best.assignment,
            part,
            propose,
            seconds=NETWORK_SHARE * some,
            seed=seed + number,
        )
        best.search_from(anew, some - (now() - began))
    return best.outcome()


def scattered(graph: Graph, rng: np.random.Generator) -> Bits:
    """Draw the share of nodes that is decided anew, [num_nodes]."""
    return np.asarray(rng.random(graph.num_nodes) < ANEW_SHARE)


def region(graph: Graph, rng: np.random.Generator) -> Bits:
    """Return as many nodes around a random one, [num_nodes], or all of its component where that is less."""
    return balls(graph, rng.permutation(graph.num_nodes)[:1], int(ANEW_SHARE * graph.num_nodes), radius=graph.num_nodes)


def balls(graph: Graph, centres: IntArray, size: int, *, radius: int = 2) -> Bits:
    """Return nodes within a radius of centres, one centre after the other, until there are so many, [num_nodes]."""
    inside, count = np.zeros(graph.num_nodes, dtype=np.bool_), 0
    for centre in centres.tolist():
        layer = np.array([centre])[~inside[[centre]]]
        for _ in range(radius + 1):
            layer = layer[: size - count]
            inside[layer] = True
            count += len(layer)
            if count >= size or not len(layer):
                break
            around = _neighbours(graph, layer)
            layer = np.unique(around[~inside[around]])
        if count >= size:
            break
    return inside


def _neighbours(graph: Graph, nodes: IntArray) -> IntArray:
    """Return all neighbours of nodes, some of them often."""
    start, length = graph.indptr[nodes], np.diff(graph.indptr)[nodes]
    first = np.repeat(start - np.cumsum(length) + length, length)
    return graph.indices[first + np.arange(int(length.sum()))].astype(np.int64)


def decided_anew(
    graph: Graph, instance: Instance, assignment: Bits, part: Bits, propose: Propose, *, seconds: float, seed: int
) -> Bits:
    """Return the set [num_nodes] with a part [num_nodes] of it proposed and decoded anew, given the rest."""
    rest, free = restricted(instance, assignment, part)
    anew = assignment & ~part
    if len(free):
        anew[free] = decode(rest, propose(induced_subgraph(graph, free), rest, seconds, seed), num_threads=1)
    return finish(instance, anew, num_threads=1)


def network_parts(task: Task, seconds: float, seed: int) -> Outcome:
    """Search parts around nodes on which the network disagrees with the best set, or is not sure."""
    assert task.network is not None
    propose, network_seconds = _by_network(task.network), NETWORK_SHARE * (1 - FIRST_SHARE) * seconds

    def weigh(best: Best) -> FloatArray:
        probability = propose(task.graph, best.posed, network_seconds, seed)
        return np.abs(probability - best.assignment)

    return _parts(task, seconds, seed, weigh)


def random_parts(task: Task, seconds: float, seed: int) -> Outcome:
    """Search parts around random nodes."""
    return _parts(task, seconds, seed, lambda best: np.ones(best.task.graph.num_nodes))


def _parts(task: Task, seconds: float, seed: int, weigh: Callable[[Best], FloatArray]) -> Outcome:
    best, rng = Best(task, seconds, seed), np.random.default_rng(seed)
    weight = weigh(best) if now() < best.deadline else np.ones(task.graph.num_nodes)
    size = max(1, int(PART_SHARE * task.graph.num_nodes))
    some = best.slice_of(0)
    for number in range(MOST_PARTS):
        began = now()
        left = min(some, best.deadline - began)
        if left <= 0:
            break
        # The first of an order of random keys are a sample without replacement, by weight.
        centres = np.argsort(rng.exponential(size=len(weight)) / np.maximum(weight, 1e-9))
        rest, free = restricted(best.posed, best.assignment, balls(task.graph, centres, size))
        if not len(free):
            continue
        left = max(0.0, left - (now() - began))
        # What is left of a part by reductions may be nothing: the next part has the time then.
        searched = Improver(rest, best.assignment[free], seed=seed + number, seconds=left)
        searched.improve(Budget(seconds=left))
        merged = best.assignment.copy()
        merged[free] = searched.assignment
        best.take(merged, best.cost_of(merged))
    return best.outcome()


def restricted(instance: Instance, assignment: Bits, part: Bits) -> tuple[Instance, IntArray]:
    """Return what is left of an instance of one graph where the nodes outside of a part stay as they are.

    Nodes of the part that exclude a chosen node of the rest are left out: they cannot be chosen.

    Args:
        instance: made of `Linear`, `Pairs`, `Cover` and `Range`.
        assignment: [num_nodes].
        part: [num_nodes].

    Returns:
        The instance, and the numbers of its nodes, ascending.
    """
    fixed, is_free = assignment & ~part, part.copy()
    for each in instance.constraints:
        if isinstance(each.term, Pairs):
            low, high = each.term.pairs
            is_free[low[fixed[high]]] = False
            is_free[high[fixed[low]]] = False
    free = np.flatnonzero(is_free)
    number = np.cumsum(is_free) - 1
    node_ptr = np.array([0, len(free)])
    objective = [_linear(term, fixed, is_free) for term in instance.objective]
    kept = [_kept_pairs(term, is_free, number, node_ptr)[0] for term in instance.objective if isinstance(term, Pairs)]
    constraints = (_constraint(each, fixed, is_free, number, node_ptr) for each in instance.constraints)
    left = replace(
        instance,
        node_ptr=node_ptr,
        objective=(Linear(node_ptr, sum(objective, start=np.zeros(len(free)))), *kept),
        constraints=tuple(each for each in constraints if each is not None),
    )
    return left, free


def _linear(term: object, fixed: Bits, is_free: Bits) -> FloatArray:
    """Return what is linear of a term of the objective when other nodes are fixed, for the free nodes."""
    if isinstance(term, Linear):
        return term.coefficient[is_free]
    if not isinstance(term, Pairs):
        raise unknown_term(term, user="an instance of which a part is fixed")
    (low, high), size = term.pairs, len(fixed)
    change = scatter_sum(term.coefficient * fixed[high], low, size) + scatter_sum(
        term.coefficient * fixed[low], high, size
    )
    return change[is_free]


def _kept_pairs(term: Pairs, is_free: Bits, number: IntArray, node_ptr: IntArray) -> tuple[Pairs, Bits]:
    kept = is_free[term.pairs].all(axis=0)
    return Pairs(node_ptr, number[term.pairs[:, kept]], term.coefficient[kept]), kept


def _constraint(
    each: Constraint, fixed: Bits, is_free: Bits, number: IntArray, node_ptr: IntArray
) -> Constraint | None:
    """Return what is left of a constraint; None where nothing is."""
    term = each.term
    if isinstance(term, Pairs):
        pairs, kept = _kept_pairs(term, is_free, number, node_ptr)
        return Constraint(pairs, each.penalty[kept])
    if isinstance(term, Range):
        weighs = float(term.weight[fixed].sum())
        left = replace(
            term, node_ptr=node_ptr, weight=term.weight[is_free], lower=term.lower - weighs, upper=term.upper - weighs
        )
        return Constraint(left, each.penalty)
    if isinstance(term, Cover):
        hit = np.logical_or.reduceat(fixed[term.members], term.set_ptr[:-1])
        counts = is_free[term.members] & ~hit[term.set_of_member]
        sizes = np.bincount(term.set_of_member[counts], minlength=len(hit))
        kept = sizes > 0
        if not kept.any():
            return None
        set_ptr = np.concatenate([[0], np.cumsum(sizes[kept])])
        return Constraint(
            Cover(node_ptr, set_ptr, number[term.members[counts]], term.coefficient[kept]), each.penalty[kept]
        )
    raise unknown_term(term, user="an instance of which a part is fixed")


WAYS: dict[str, Callable[[Task, float, int], Outcome]] = {
    "search": search,
    "start": start,
    "greedy restarts": greedy_restarts,
    "network restarts": network_restarts,
    "random parts": random_parts,
    "network parts": network_parts,
}
"""What is compared, by name."""
