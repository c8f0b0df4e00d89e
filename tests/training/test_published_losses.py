from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
import torch

from annealco.errors import InputError
from annealco.graph.generators import erdos_renyi
from annealco.graph.graph import Graph
from annealco.graph.operations import complement
from annealco.problems import PROBLEMS
from annealco.training.published_losses import (
    LEAST_SHARE,
    SHARE_RANGE,
    TargetVolume,
    karalias_loukas,
    l1,
    l2,
    pair_mass,
    satisfaction,
    scale_to,
    smooth_cut,
    target_volume,
)
from tests.training.small_runs import small_graphs

GRAPHS = small_graphs(3)
LOGITS = torch.linspace(-2, 2, GRAPHS.num_nodes)


@pytest.mark.parametrize("name", ["mis", "clique"])
def test_pairs_get_their_loss_for_cliques(name: str) -> None:
    instance = PROBLEMS[name].declare(GRAPHS)
    assert torch.equal(karalias_loukas(instance, 2.0).expectation(LOGITS), pair_mass(instance, 2.0).expectation(LOGITS))


@pytest.mark.parametrize("name", ["mds", "vertex_cover", "max_cut"])
def test_sets_and_nothing_get_the_energy(name: str) -> None:
    instance = PROBLEMS[name].declare(GRAPHS)
    found = karalias_loukas(instance, 2.0).expectation(LOGITS)
    assert torch.equal(found, instance.energy(2.0).expectation(LOGITS))


def test_ranges_get_their_loss_for_cuts_with_and_without_a_seed() -> None:
    for options in ({}, {"seed_node": 0}):
        assert isinstance(karalias_loukas(PROBLEMS["cut"].declare(GRAPHS, **options)), TargetVolume)


def test_constraints_of_several_kinds_are_refused() -> None:
    mis, cut = (PROBLEMS[name].declare(GRAPHS) for name in ("mis", "cut"))
    both = replace(mis, constraints=mis.constraints + cut.constraints)
    with pytest.raises(InputError, match="needs constraints of one kind"):
        karalias_loukas(both)


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
def test_pair_mass_refuses_other_constraints(name: str) -> None:
    with pytest.raises(InputError, match="needs a problem whose constraints are pairs that exclude each other"):
        pair_mass(PROBLEMS[name].declare(draw(0.5)))


FOUR_WEIGHTED = small_graphs(4, weighted=True)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_scaled_probabilities_have_the_volume_and_keep_their_order(share: float) -> None:
    chance = torch.rand(FOUR_WEIGHTED.num_nodes, 2, generator=torch.Generator().manual_seed(0)).double()
    weight = FOUR_WEIGHTED.degree.astype(np.float64)
    scaled = scale_to(FOUR_WEIGHTED.node_ptr, weight, chance, torch.full((4, 2), share).double()).numpy()
    assert scaled.max() <= 1
    for first, last in zip(FOUR_WEIGHTED.node_ptr[:-1], FOUR_WEIGHTED.node_ptr[1:], strict=True):
        part = slice(first, last)
        np.testing.assert_allclose(weight[part] @ scaled[part], share * weight[part].sum())
        order = np.argsort(chance[part, 0].numpy())
        assert (np.diff(scaled[part][order, 0]) >= -1e-12).all()


def test_gradients_flow_through_the_scale() -> None:
    logits = torch.zeros(3, 1, dtype=torch.float64, requires_grad=True)
    scaled = scale_to(np.array([0, 3]), np.ones(3), torch.sigmoid(logits), torch.full((1, 1), 0.5).double())
    scaled[0].sum().backward()
    # The volume is kept: what the first gains, the others lose.
    assert logits.grad is not None
    assert logits.grad[0] > 0
    assert logits.grad[1:].sum().item() == pytest.approx(-logits.grad[0].item())


def test_the_loss_is_the_expected_cut_at_the_target() -> None:
    loss = target_volume(PROBLEMS["cut"].declare(FOUR_WEIGHTED))
    logits = torch.randn(FOUR_WEIGHTED.num_nodes, generator=torch.Generator().manual_seed(1)).double()
    torch.manual_seed(5)
    found = loss.expectation(logits)
    torch.manual_seed(5)
    share = LEAST_SHARE + SHARE_RANGE * torch.rand(4, 1).double()
    chance = scale_to(
        FOUR_WEIGHTED.node_ptr,
        FOUR_WEIGHTED.degree.astype(np.float64),
        torch.sigmoid(logits)[:, None],
        share,
    ).numpy()[:, 0]
    low, high = FOUR_WEIGHTED.edges
    each = FOUR_WEIGHTED.edge_weight * (chance[low] + chance[high] - 2 * chance[low] * chance[high])
    expected = np.bincount(FOUR_WEIGHTED.graph_of_edge, each, minlength=4)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4)
    assert loss.expectation(logits[:, None].expand(-1, 3)).shape == (4, 3)


def test_graphs_without_volume_lose_nothing() -> None:
    assert scale_to(np.array([0, 2]), np.zeros(2), torch.rand(2, 1), torch.full((1, 1), 0.5)).isfinite().all()


def test_another_number_of_ranges_is_refused() -> None:
    with pytest.raises(InputError, match="a target volume needs one range, there are 0"):
        target_volume(PROBLEMS["mis"].declare(FOUR_WEIGHTED))


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


def test_satisfaction_refuses_other_constraints() -> None:
    with pytest.raises(InputError, match="mis or clique"):
        satisfaction(PROBLEMS["mds"].declare(GRAPHS))


THREE_WEIGHTED = small_graphs(3, weighted=True)


@pytest.mark.parametrize("power", [1, 2])
def test_it_is_the_sum_over_edges_and_the_penalty_at_the_mean_volume(power: int) -> None:
    logits = torch.randn(THREE_WEIGHTED.num_nodes, generator=torch.Generator().manual_seed(1)).double()
    found = smooth_cut(PROBLEMS["cut"].declare(THREE_WEIGHTED), 3.0, power=power).expectation(logits).tolist()
    for graph, first, loss in zip(THREE_WEIGHTED, THREE_WEIGHTED.node_ptr.tolist(), found, strict=False):
        chance = torch.sigmoid(logits[first : first + graph.num_nodes]).numpy()
        low, high = graph.edges
        crossing = float((graph.edge_weight * np.abs(chance[low] - chance[high]) ** power).sum())
        volume, whole = float(graph.degree @ chance), 2 * graph.num_edges
        outside = max(volume - np.floor(whole / 2), 0) + max(np.ceil(whole / 4) - volume, 0)
        assert loss == pytest.approx(crossing + 3.0 * graph.weighted_degree.max() * outside)


@pytest.mark.parametrize("loss", [l1, l2])
def test_on_sets_it_is_the_energy(loss) -> None:  # type: ignore[no-untyped-def]
    instance = PROBLEMS["cut"].declare(THREE_WEIGHTED, seed_node=1)
    bits = np.random.default_rng(0).random(THREE_WEIGHTED.num_nodes) < 0.4
    logits = torch.from_numpy(np.where(bits, 60.0, -60.0))
    np.testing.assert_allclose(loss(instance).expectation(logits).numpy(), instance.energy().value(bits))


@pytest.mark.parametrize("name", ["mis", "mds", "clique"])
def test_what_is_no_cut_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="the loss 'l1' needs a problem whose objective is a cut"):
        l1(PROBLEMS[name].declare(THREE_WEIGHTED))
