"""Make the example graphs: python examples/graphs/make.py.

Each is one function and one file of another format; the same bytes every time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

from annealco import Graph, quadratic, set_system, write_graph
from annealco.graph.generators import rb_graph

NAMES = (
    "Ada Alan Aino Akira Amara Anton Bea Boris Carla Chidi Dana Diego Elif Emil Fatou Finn Greta Hana Ines Ivan "
    "Jun Kofi Lena Luca Maja Milo Nora Omar Petra Rosa Samir Sven Tara Tomas Uma Vera Wen Yara Zoe Zuri"
)


def queens() -> Graph:
    """Join two squares of a board of 6 × 6 where a queen on one attacks the other."""
    squares = [(row, column) for row in range(6) for column in range(6)]
    attacks = [
        (first, second)
        for (first, a), (second, b) in combinations(enumerate(squares), 2)
        if a[0] == b[0] or a[1] == b[1] or abs(a[0] - b[0]) == abs(a[1] - b[1])
    ]
    return Graph.from_edges(np.array(attacks).T, 36, node_labels=range(1, 37))


def friends() -> Graph:
    """Let any two of forty people know each other by chance, and eight of them for sure."""
    rng = np.random.default_rng(1)
    circle = set(rng.choice(40, 8, replace=False).tolist())
    known = [pair for pair in combinations(range(40), 2) if rng.random() < 0.22 or set(pair) <= circle]
    return Graph.from_edges(np.array(known).T, 40, node_labels=NAMES.split())


def streets() -> Graph:
    """Lay out 6 × 9 crossings with a street closed here and there; a kiosk costs more in the middle."""
    rng = np.random.default_rng(2)
    place = np.arange(54).reshape(6, 9)
    across, down = np.stack([place[:, :-1], place[:, 1:]]), np.stack([place[:-1], place[1:]])
    edges = np.concatenate([across.reshape(2, -1), down.reshape(2, -1)], axis=1)
    row, column = np.divmod(np.arange(54), 9)
    cost = 6 - np.abs(row - 2.5).round() - (np.abs(column - 4) / 2).round()
    open_streets = edges[:, rng.random(edges.shape[1]) < 0.85]
    return Graph.from_edges(open_streets, 54, node_weight=cost, node_labels=range(1, 55))


def regions() -> Graph:
    """Join towns of three regions, often and strongly inside a region, seldom and weakly between two."""
    rng = np.random.default_rng(3)
    region = np.repeat([1, 2, 3], 16)
    first, second = np.triu_indices(48, 1)
    inside = region[first] == region[second]
    joined = rng.random(len(first)) < np.where(inside, 0.35, 0.03)
    traffic = np.where(inside, rng.integers(2, 10, len(first)), rng.integers(1, 4, len(first)))
    labels = 100 * region + np.tile(np.arange(1, 17), 3)
    return Graph.from_edges(
        np.stack([first, second])[:, joined], 48, edge_weight=traffic[joined], node_labels=labels.tolist()
    )


def rooms() -> Graph:
    """Put fifty points into a square, and a corridor between any two that are close."""
    rng = np.random.default_rng(4)
    points = rng.random((50, 2))
    first, second = np.triu_indices(50, 1)
    close = np.linalg.norm(points[first] - points[second], axis=1) < 0.2
    return Graph.from_edges(np.stack([first, second])[:, close], 50, node_labels=range(1, 51))


def spins() -> Graph:
    """Couple the spins of a 6 × 6 torus with +1 or −1."""
    rng = np.random.default_rng(5)
    place = np.arange(36).reshape(6, 6)
    ends = [np.stack([place, np.roll(place, -1, axis)]).reshape(2, -1) for axis in (0, 1)]
    return Graph.from_edges(
        np.concatenate(ends, axis=1), 36, edge_weight=rng.choice([-1, 1], 72), node_labels=range(1, 37)
    )


def forced() -> Graph:
    """Draw four forced RB graphs of 8 groups of 6: a set of 8 nodes is hidden in each."""
    rng = np.random.default_rng(6)
    parts = [rb_graph(rng, num_groups=8, group_size=6, tightness=0.35) for _ in range(4)]
    names = np.array([f"forced-{letter}" for letter in "abcd"])
    graph = Graph.batch(parts)
    return replace(graph, graph_data={**graph.graph_data, "name": names})


def hours() -> Graph:
    """Write down (Σ h_i x_i − 40)²: which of 24 jobs of h_i hours fill a week."""
    length = np.random.default_rng(7).integers(2, 12, 24) + 0.25
    matrix = np.triu(2 * np.outer(length, length), 1) + np.diag(length**2 - 80 * length)
    jobs = {(f"job {i + 1}", f"job {j + 1}"): float(matrix[i, j]) for i in range(24) for j in range(i, 24)}
    return quadratic(jobs, offset=1600.0)


def crews() -> Graph:
    """Let each of 18 crews know some of 24 streets, and cost more the more it knows."""
    rng = np.random.default_rng(8)
    known = {f"crew {k + 1}": [f"street {s + 1}" for s in np.flatnonzero(rng.random(24) < 0.25)] for k in range(18)}
    return set_system(known, costs={crew: 2.0 + len(streets) for crew, streets in known.items()})


GRAPHS: dict[str, Callable[[], Graph]] = {
    "queens.col": queens,
    "friends.graphml": friends,
    "streets.graph": streets,
    "regions.edges": regions,
    "rooms.gr": rooms,
    "spins.mtx": spins,
    "forced.npz": forced,
    "hours.npz": hours,
    "crews.npz": crews,
}

if __name__ == "__main__":
    for name, make in GRAPHS.items():
        write_graph(make(), Path(__file__).parent / name)
