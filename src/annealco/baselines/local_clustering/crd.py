"""Capacity releasing diffusion: mass spreads as a flow by push and relabel, and doubles (Wang et al., 2017).

Every node holds up to its degree; what is above is excess and flows downhill, from higher to lower labels, over an edge
at most min(label, capacity). Where a set has few edges outward, mass piles up inside and labels rise. All numbers are
whole ones, so conservation of mass holds exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.baselines.local_clustering.protocol import Box, on_cut
from annealco.baselines.local_clustering.rows import Rows, rows_of
from annealco.baselines.local_clustering.sweep import sweep
from annealco.graph.graph import Graph
from annealco.jit import compiled

CAPACITY, HEIGHT, ROUNDS = 1, 10, 20
"""Defaults: most flow over an edge, largest label, and how often mass is doubled at most. Chosen on validation graphs
(docs/baselines.md)."""

LOST = 0.5
"""The diffusion ends when this share of the mass could not be settled."""


def diffuse_and_sweep(
    graph: Graph, seed: int, box: Box, *, capacity: int = CAPACITY, height: int = HEIGHT, rounds: int = ROUNDS
) -> NDArray[np.bool_]:
    """Return the sweep cut by label, then by mass for the degree, of the last round; [num_nodes].

    Args:
        graph: one graph.
        seed: a node with neighbours.
        box: volumes that the sweep looks for; mass is doubled no further than to its upper end.
        capacity: most flow over an edge.
        height: labels are at most this.
        rounds: how often mass is doubled.
    """
    mass, label = diffuse(graph, seed, capacity=capacity, height=height, rounds=rounds, most=box.upper)
    share = mass / np.maximum(graph.degree, 1)
    reached = np.flatnonzero((mass > 0) | (label > 0))
    keys = (reached, -share[reached], -label[reached], reached != seed)
    return sweep(graph, reached[np.lexsort(keys)], box)


def diffuse(
    graph: Graph, seed: int, *, capacity: int, height: int, rounds: int, most: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return mass and labels, [num_nodes] each, when too much mass is lost or the total has passed ``most``."""
    rows, mass = rows_of(graph), np.zeros(graph.num_nodes, np.int64)
    mass[seed] = graph.degree[seed]
    label = np.zeros(graph.num_nodes, np.int64)
    for _ in range(rounds):
        given = 2 * mass
        mass, label, _ = unit_flow(rows, given, capacity, height)
        mass = np.minimum(mass, graph.degree)
        if mass.sum() <= (1 - LOST) * given.sum() or mass.sum() >= most:
            break
    return mass, label


class _Flow(NamedTuple):
    """A flow in the making, and a stack of the nodes with excess for each label.

    Attributes:
        mass: [num_nodes].
        label: [num_nodes].
        flow: [2 · num_edges] over each entry of the rows.
        top: [height + 1] first node of each stack, or −1.
        below: [num_nodes] the next one in its stack.
        lowest: [1] no stack below this one has a node.
    """

    mass: NDArray[np.int64]
    label: NDArray[np.int64]
    flow: NDArray[np.int64]
    top: NDArray[np.int64]
    below: NDArray[np.int64]
    lowest: NDArray[np.int64]


@compiled
def unit_flow(
    rows: Rows, given: NDArray[np.int64], capacity: int, height: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Push and relabel until no node below the height has more than its degree.

    Args:
        rows: the graph; its weights do not count.
        given: [num_nodes] mass at the start.
        capacity: most flow over an edge.
        height: a node with a label that high is given up.

    Returns:
        Mass and labels, [num_nodes], and the flow over each entry of the rows, [2 · num_edges].
    """
    size = len(given)
    state = _Flow(
        given.copy(),
        np.zeros(size, np.int64),
        np.zeros(len(rows.indices), np.int64),
        np.full(height + 1, -1),
        np.full(size, -1),
        np.zeros(1, np.int64),
    )
    for node in range(size):
        if state.mass[node] > rows.indptr[node + 1] - rows.indptr[node]:
            _stack(state, node)
    # The lowest label is served first: whoever is below has no excess, and room for some.
    while state.lowest[0] < height:
        node = state.top[state.lowest[0]]
        if node < 0:
            state.lowest[0] += 1
            continue
        excess = _push_down(rows, state, node, capacity)
        if excess == 0:
            state.top[state.label[node]] = state.below[node]
        elif state.lowest[0] == state.label[node]:
            state.top[state.label[node]] = state.below[node]
            state.label[node] += 1
            _stack(state, node)
    return state.mass, state.label, state.flow


@compiled
def _stack(state: _Flow, node: int) -> None:
    label = state.label[node]
    state.below[node], state.top[label] = state.top[label], node
    state.lowest[0] = min(state.lowest[0], label)


@compiled
def _push_down(rows: Rows, state: _Flow, node: int, capacity: int) -> int:
    """Push excess to lower neighbours as far as edges and they allow; return what is left."""
    excess = state.mass[node] - (rows.indptr[node + 1] - rows.indptr[node])
    for k in range(rows.indptr[node], rows.indptr[node + 1]):
        other = rows.indices[k]
        room = min(state.label[node], capacity) - state.flow[k]
        if excess == 0 or room <= 0 or state.label[other] >= state.label[node]:
            continue
        degree = rows.indptr[other + 1] - rows.indptr[other]
        had_room = state.mass[other] <= degree
        amount = min(excess, room, 2 * degree - state.mass[other])
        state.flow[k] += amount
        state.flow[rows.reverse[k]] -= amount
        state.mass[node] -= amount
        state.mass[other] += amount
        excess -= amount
        if had_room and state.mass[other] > degree:
            _stack(state, other)
    return int(excess)


run = on_cut(diffuse_and_sweep)
"""A `Run` of capacity releasing diffusion."""
