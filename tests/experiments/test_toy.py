from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np

from annealco.experiments.run_folder import RunFolder
from annealco.experiments.toy import (
    POOR,
    TEMPERATURES,
    TOY,
    best_size,
    descend,
    places,
    run_start,
    size_of,
    start_set,
    toy_graph,
)
from tests.experiments.tiny import TINY

GRAPH = toy_graph()
PEER = nx.Graph(GRAPH.edges.T.tolist())


def independent(nodes: list[int]) -> bool:
    return not any(PEER.has_edge(*pair) for pair in combinations(nodes, 2))


def test_the_first_nodes_are_a_poor_maximal_set_and_strictly_so() -> None:
    assert start_set(GRAPH, 0) == list(range(POOR))
    others = set(PEER) - set(range(POOR))
    assert all(len(set(PEER[node]) & set(range(POOR))) == 2 for node in others)
    largest = max(map(len, nx.find_cliques(nx.complement(PEER))))
    assert best_size(GRAPH) == largest == 6 > POOR


def test_starts_are_maximal_sets() -> None:
    for seed in range(1, 6):
        found = start_set(GRAPH, seed)
        assert independent(found)
        assert all(not independent([*found, node]) for node in set(PEER) - set(found))


def test_gradients_at_zero_stay_and_annealing_finds_the_optimum() -> None:
    row = run_start(0)
    assert (row["start"], row["plain"], row["annealed"]) == (4.0, 4.0, 6.0)
    shown = {tau: np.array(values) for tau, values in row["probability"].items()}
    assert set(shown) == {"0", *(f"{tau:g}" for tau in TEMPERATURES)}
    # At τ = 0 it is where it was; when hot nothing is decided; when cold the poor set is gone.
    assert shown["0"][:POOR].min() > 0.95
    assert shown["0"][POOR:].max() < 0.05
    assert 0.1 < shown["1"].min() < shown["1"].max() < 0.9
    assert shown["0.1"][:POOR].max() < 0.05
    assert run_start(0) == row


def test_what_gradients_lead_to_is_the_fixed_point_of_the_mean_field() -> None:
    [found] = descend(GRAPH, start_set(GRAPH, 0), [1.0], seed=0)
    phi = np.array(found)
    pull = 1 - nx.to_numpy_array(PEER, nodelist=range(GRAPH.num_nodes)) @ phi
    assert np.abs(phi - 1 / (1 + np.exp(-pull))).max() < 0.02


def test_sets_are_decoded() -> None:
    assert size_of(GRAPH, [1.0] * POOR + [0.0] * 8) == POOR
    # Two nodes of an edge above one half are no set.
    assert size_of(GRAPH, [0.0] * POOR + [0.9] * 8) == 6


def test_the_result_counts_optima_and_the_picture_has_every_node(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, name="toy", scale=replace(TINY, toy_seeds=2))
    for step in TOY.plan(folder):
        step.work()
    assert TOY.plan(folder) == []
    text = TOY.finish(folder)
    assert "The optimum is 6. Of 2 starts," in text
    assert "annealed ones in 2." in text
    assert "| 0 | 4 | 4 | 6 |" in text
    assert (tmp_path / "toy.png").stat().st_size > 10_000
    points = places(GRAPH)
    assert min(np.linalg.norm(a - b) for a, b in combinations(points, 2)) > 0.3
