"""Instances that the tests of search share, and what is true of them by enumeration."""

from __future__ import annotations

import numpy as np

from annealco.energy import Constraint, Energy, Instance, Linear, Range
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from tests.energy.reference import random_term
from tests.problems.sums import SUMS

MIXTURE = ("linear", "linear", "pairs", "pairs", "cover", "cover", "range")


def mixture(rng: np.random.Generator, *, weighted_all_pairs: bool, sizes: tuple[int, ...] = (3, 0, 4)) -> Instance:
    """Return a random instance with a term of every kind in the objective and among the constraints.

    Its constraints can be negative, so it is for values and changes, not for searches.
    """
    kinds = (*MIXTURE, "all pairs but some" if weighted_all_pairs else "linear")
    objective = tuple(random_term(kind, rng, sizes) for kind in kinds)
    ruled = [random_term(kind, rng, sizes) for kind in ("pairs", "cover", "range", "linear")]
    if not weighted_all_pairs:
        ruled.append(random_term("all pairs", rng, sizes))
    constraints = tuple(Constraint(term, rng.uniform(0, 2, term.coefficient.shape)) for term in ruled)
    return Instance(objective[0].node_ptr, objective, constraints)


def violation(instance: Instance) -> Energy:
    """Return ψ as an energy."""
    return Energy(instance.node_ptr, tuple(each.term for each in instance.constraints))


def changes(energy: Energy, bits: np.ndarray) -> list[float]:
    """Return f(x_i = 1) − f(x_i = 0) of every node, by evaluating both."""
    both = np.tile(np.asarray(bits, dtype=float), (2, len(bits), 1))
    nodes = np.arange(len(bits))
    both[0, nodes, nodes], both[1, nodes, nodes] = 0, 1
    values = energy.value(both).sum(axis=-1)
    return (values[1] - values[0]).tolist()


def declared(name: str, seed: int = 0, *, num_random: int = 40, max_nodes: int = 7) -> tuple[Graph, Instance]:
    """Return a problem on a batch of small graphs of many kinds."""
    batch = Graph.batch(small_graphs(np.random.default_rng(seed), num_random=num_random, max_nodes=max_nodes))
    return batch, SUMS[name].declare(batch)


def seeded_cut(seed: int) -> tuple[Graph, Instance]:
    """Return cuts around a seed node, in boxes wide enough to be exact, on small graphs with an edge."""
    rng = np.random.default_rng(seed)
    graphs = [graph for graph in small_graphs(rng) if graph.num_edges]
    batch = Graph.batch(graphs)
    whole = np.array([2 * graph.num_edges for graph in graphs])
    widest = np.array([graph.degree.max() for graph in graphs])
    seeds = np.array([int(rng.integers(graph.num_nodes)) for graph in graphs])
    lower = np.array(
        [int(rng.integers(0, max(total - most + 1, 0) + 1)) for total, most in zip(whole, widest, strict=True)]
    )
    upper = np.maximum(lower + widest - 1, widest)
    return batch, PROBLEMS["cut"].declare(batch, volume=np.stack([lower, upper], axis=1), seed_node=seeds)


def all_assignments(size: int) -> np.ndarray:
    """Return every assignment, [2^size, size]."""
    return (np.arange(2**size)[:, None] >> np.arange(size) & 1).astype(bool)


def best_cost(instance: Instance) -> float:
    """Return the least cost of a feasible assignment of one small graph, infinite where there is none."""
    rows = all_assignments(instance.num_nodes)
    cost = instance.cost.value(rows)[:, 0]
    return float(np.min(cost[instance.violations(rows)[:, 0] == 0], initial=np.inf))


def cost_of(instance: Instance, assignment: np.ndarray) -> np.ndarray:
    """Return objective and constant as a cost, [..., num_graphs]."""
    return instance.cost.value(assignment)


def knapsack(rng: np.random.Generator, size: int, *, width: int) -> Instance:
    """Return one graph with a random linear and pair objective in a narrow range that some set meets."""
    ptr = np.array([0, size])
    weight = rng.integers(3, 30, size).astype(float)
    lower = float(weight @ rng.integers(0, 2, size)) - rng.integers(0, width + 1)
    box = Range(ptr, weight, np.array([lower]), np.array([lower + width]), np.ones(1))
    objective = (Linear(ptr, rng.normal(size=size)), random_term("pairs", rng, (size,)))
    return Instance(ptr, objective, (Constraint(box, np.full(1, 5.0)),), exact=np.array([False]))
