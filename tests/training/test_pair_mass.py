from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
import torch

from annealco.graph.errors import InputError
from annealco.graph.generators import erdos_renyi
from annealco.graph.graph import Graph
from annealco.graph.operations import complement
from annealco.problems import PROBLEMS
from annealco.training.pair_mass import pair_mass

SIZE = 7


def draw(density: float) -> Graph:
    return erdos_renyi(np.random.default_rng(5), num_nodes=SIZE, edge_probability=density)


def enumerated(graph: Graph, probability: list[float], joined_conflict: bool, weight: float) -> float:
    """Σ_x Q(x) ½ (c · conflicts(x) − compatible(x)), by all assignments and a set of edges."""
    edges, total = set(zip(*graph.edges.tolist(), strict=True)), 0.0
    for bits in product([0, 1], repeat=graph.num_nodes):
        chosen = [node for node, bit in enumerate(bits) if bit]
        conflicts = sum((pair in edges) == joined_conflict for pair in combinations(chosen, 2))
        compatible = len(chosen) * (len(chosen) - 1) / 2 - conflicts
        chance = np.prod([p if bit else 1 - p for p, bit in zip(probability, bits, strict=True)])
        total += chance * 0.5 * (weight * conflicts - compatible)
    return float(total)


@pytest.mark.parametrize("density", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize(("name", "joined_conflict"), [("mis", True), ("clique", False)])
def test_it_is_the_mean_over_all_assignments(name: str, joined_conflict: bool, density: float) -> None:
    graphs = [draw(density), draw(0.5)]
    logits = torch.tensor(np.random.default_rng(0).normal(size=2 * SIZE))
    loss = pair_mass(PROBLEMS[name].declare(Graph.batch(graphs)), 1.5)
    chances = torch.sigmoid(logits).reshape(2, SIZE).tolist()
    expected = [enumerated(graph, chance, joined_conflict, 6.0) for graph, chance in zip(graphs, chances, strict=True)]
    assert loss.expectation(logits).tolist() == pytest.approx(expected)


def test_a_clique_is_an_independent_set_of_the_complement() -> None:
    graph = draw(0.4)
    logits = torch.tensor(np.random.default_rng(1).normal(size=(SIZE, 3)))
    clique = pair_mass(PROBLEMS["clique"].declare(graph)).expectation(logits)
    assert torch.allclose(clique, pair_mass(PROBLEMS["mis"].declare(complement(graph))).expectation(logits))
    assert clique.shape == (1, 3)


def test_weights_of_nodes_do_not_matter() -> None:
    graph = draw(0.4)
    heavy = graph.with_weights(node_weight=np.arange(SIZE) + 2.0)
    logits = torch.zeros(SIZE, dtype=torch.float64)
    first, second = (pair_mass(PROBLEMS["mis"].declare(each)).expectation(logits) for each in (graph, heavy))
    assert first.item() == second.item() == (5 * graph.num_edges - SIZE * (SIZE - 1) / 2) / 8


@pytest.mark.parametrize("name", ["mds", "cut", "vertex_cover", "max_cut"])
def test_other_constraints_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="needs a problem whose constraints are pairs that exclude each other"):
        pair_mass(PROBLEMS[name].declare(draw(0.5)))
