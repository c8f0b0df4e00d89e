from __future__ import annotations

import itertools

import numpy as np
import pytest

from annealco.baselines.clustering import Box, ball, flow, reference_set
from annealco.baselines.clustering.flow import (
    best_subset,
    improve,
    improve_ball,
    improve_near,
    least_set,
    quotient,
    smaller_quotient,
    source_side,
)
from annealco.problems.conductance import conductance
from tests.baselines.clustering.graphs import conductance_of, middle, small, subsets


def cut_value(chosen, from_source, to_sink, pairs, capacity) -> float:
    crossing = chosen[pairs[0]] != chosen[pairs[1]]
    return float(from_source[~chosen].sum() + to_sink[chosen].sum() + capacity[crossing].sum())


@pytest.mark.parametrize("kind", ["whole", "fractions", "huge"])
def test_the_cut_is_a_least_one_and_its_side_the_smallest(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    if kind == "huge":
        monkeypatch.setattr(flow, "LARGEST", 2**20)
    for graph in small(12, num_nodes=7):
        factor = {"whole": 1.0, "fractions": 0.37, "huge": 2.0**40}[kind]
        from_source, to_sink = factor * rng.integers(0, 6, (2, 7)) * [[1.0], [1.0]]
        given = (from_source, to_sink, graph.edges, factor * graph.edge_weight)
        side, full = source_side(*given)
        masks = [np.isin(np.arange(7), each) for each in [[], *subsets(list(range(7)))]]
        values = np.array([cut_value(mask, *given) for mask in masks])
        least = values.min()
        assert cut_value(side, *given) == pytest.approx(least, rel=1e-4)
        if kind == "whole":
            smallest = min(mask.sum() for mask, value in zip(masks, values, strict=True) if value == least)
            assert side.sum() == smallest
        # All that the source side may send to the sink is sent.
        assert np.all(full[side])


@pytest.mark.parametrize("graph", small(25, seed=8))
def test_the_best_of_all_subsets_is_found(graph) -> None:
    rng = np.random.default_rng(graph.num_edges)
    chosen = rng.random(graph.num_nodes) < 0.7
    chosen[0] = True
    best = min(conductance(graph, each) for each in subsets(np.flatnonzero(chosen).tolist()))
    found = best_subset(graph, chosen)
    assert conductance_of(graph, found) == pytest.approx(best)
    assert np.all(chosen[found])


@pytest.mark.parametrize("graph", middle())
def test_conductance_falls_from_step_to_step(graph) -> None:
    for seed in (0, 50, 120):
        chosen = reference_set(graph, seed, 3)
        values = [conductance_of(graph, chosen)]
        while (smaller := smaller_quotient(graph, chosen)) is not None:
            assert np.all(chosen[smaller])
            chosen = smaller
            values.append(conductance_of(graph, chosen))
        assert all(later < earlier for earlier, later in itertools.pairwise(values))
        assert improve_ball(graph, seed, Box(0, 1), radius=3).tolist() == chosen.tolist()


def test_a_component_is_left_alone() -> None:
    graph = middle()[0]
    assert smaller_quotient(graph, np.ones(graph.num_nodes, bool)) is None
    assert best_subset(graph, ball(graph, 4, 0)).tolist() == ball(graph, 4, 0).tolist()


def as_mask(graph, nodes) -> np.ndarray:
    return np.isin(np.arange(graph.num_nodes), nodes)


@pytest.mark.parametrize("graph", small(20, seed=9, num_nodes=7))
@pytest.mark.parametrize("delta", [0.0, 0.1, 1.0])
def test_the_least_quotient_of_all_sets_is_found(graph, delta: float) -> None:
    reference = reference_set(graph, 0, 1)
    best = min(quotient(graph, reference, as_mask(graph, each), delta) for each in subsets(list(range(7))))
    assert quotient(graph, reference, improve(graph, reference, delta=delta), delta) == pytest.approx(best)


def test_a_quotient_is_what_it_says() -> None:
    [graph] = small(1, weighted=False)
    reference = as_mask(graph, [0, 1])
    epsilon = graph.degree[:2].sum() / graph.degree[2:].sum() + 0.5
    chosen = as_mask(graph, [0, 2])
    cut = sum(chosen[u] != chosen[v] for u, v in graph.edges.T.tolist())
    weight = graph.degree[0] - epsilon * graph.degree[2]
    assert quotient(graph, reference, chosen, 0.5) == (pytest.approx(cut / weight) if weight > 0 else np.inf)
    assert quotient(graph, reference, reference, 0.5) == pytest.approx(conductance_of(graph, reference))


@pytest.mark.parametrize("graph", middle())
def test_the_local_flow_is_that_of_the_whole_graph_on_less_of_it(graph, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def watched(*given):
        sizes.append(len(given[0]))
        return source_side(*given)

    monkeypatch.setattr(flow, "source_side", watched)
    reference = reference_set(graph, 60, 1)
    guess = conductance_of(graph, reference)
    found = least_set(graph, reference, guess, 0.5)
    epsilon = graph.degree[reference].sum() / graph.degree[~reference].sum() + 0.5
    price = guess * graph.degree
    whole, _ = source_side(
        np.where(reference, price, 0), np.where(reference, 0, epsilon * price), graph.edges, graph.edge_weight
    )
    assert found.tolist() == whole.tolist()
    assert max(sizes) < graph.num_nodes


@pytest.mark.parametrize("graph", middle())
@pytest.mark.parametrize("delta", [0.0, 0.2])
def test_conductance_never_rises(graph, delta: float) -> None:
    for seed in (0, 50, 120):
        before = conductance_of(graph, reference_set(graph, seed, 2))
        after = improve_near(graph, seed, Box(0, 1), radius=2, delta=delta)
        assert conductance_of(graph, after) <= before
