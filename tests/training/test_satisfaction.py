from __future__ import annotations

import math
from itertools import combinations

import pytest
import torch

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.training.satisfaction import satisfaction
from tests.training.small_runs import small_graphs

GRAPHS = small_graphs(3)


def by_hand(graph: Graph, chance: list[float], joined: bool, scale: float) -> float:
    edges = set(zip(*graph.edges.tolist(), strict=True))
    pairs = [pair for pair in combinations(range(graph.num_nodes), 2) if (pair in edges) == joined]
    unhappy = sum(-math.log(1 - chance[u] * chance[v]) for u, v in pairs) / max(len(pairs), 1)
    return (1 + scale * unhappy) * (1 + sum(1 - p for p in chance) / len(chance))


@pytest.mark.parametrize(("name", "joined"), [("mis", True), ("clique", False)])
def test_it_is_the_product_of_both_means(name: str, joined: bool) -> None:
    graphs = Graph.batch([GRAPHS, Graph.from_edges([[], []], 4)])
    logits = torch.randn(graphs.num_nodes, 2, generator=torch.Generator().manual_seed(0)).double()
    found = satisfaction(PROBLEMS[name].declare(graphs), 2.5).expectation(logits)
    assert found.shape == (4, 2)
    for number, (graph, first) in enumerate(zip(graphs, graphs.node_ptr.tolist(), strict=False)):
        for sample in range(2):
            chance = torch.sigmoid(logits[first : first + graph.num_nodes, sample]).tolist()
            assert found[number, sample].item() == pytest.approx(by_hand(graph, chance, joined, 2.5))


def test_certain_conflicts_are_finite_and_have_a_gradient() -> None:
    logits = torch.full((2,), 40.0, requires_grad=True)
    loss = satisfaction(PROBLEMS["mis"].declare(Graph.from_edges([[0], [1]]))).expectation(logits)
    loss.sum().backward()
    # 1 − φ² ≈ 2 e⁻⁴⁰.
    assert loss.item() == pytest.approx(1 + 40 - math.log(2), rel=1e-6)
    assert logits.grad is not None
    assert (logits.grad > 0.4).all()


def test_other_constraints_are_refused() -> None:
    with pytest.raises(InputError, match="mis or clique"):
        satisfaction(PROBLEMS["mds"].declare(GRAPHS))
