"""RB graphs, against their definition run round by round in plain Python and against exact solvers."""

from __future__ import annotations

import math
import random
from collections import Counter
from decimal import ROUND_FLOOR, Decimal, localcontext
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from annealco.errors import InputError
from annealco.graph.generators import rb_graph
from annealco.graph.graph import Graph

ARGUMENTS = {"num_groups": st.integers(1, 6), "group_size": st.integers(1, 4), "tightness": st.floats(0.05, 1)}


def rb_by_definition(groups: int, size: int, tightness: float, forced: bool, seed: int) -> set[tuple[int, int]]:
    """Add the cross edges round by round, as the model is defined; group g owns nodes g·size .. g·size + size - 1."""
    draw = random.Random(seed)
    alpha = math.log(size) / math.log(groups)
    r = -alpha / math.log(1 - tightness)
    s = math.floor(tightness * groups ** (2 * alpha) + 1e-9)
    hidden = [draw.randrange(size) for _ in range(groups)]
    edges: set[tuple[int, int]] = set()
    for _ in range(math.floor(r * groups * math.log(groups) - 1 + 1e-9)):
        low, high = sorted(draw.sample(range(groups), 2))
        left = [
            (low * size + i, high * size + j)
            for i, j in product(range(size), repeat=2)
            if (low * size + i, high * size + j) not in edges
            and not (forced and i == hidden[low] and j == hidden[high])
        ]
        edges.update(draw.sample(left, min(s, len(left))))
    return edges


def exact_numbers(groups: int, size: int, tightness: str) -> tuple[int, int]:
    """Return rounds and edges a round by the published formulas, in decimal arithmetic of 60 digits."""
    with localcontext() as context:
        context.prec = 60
        n, k, p, tidy = Decimal(groups), Decimal(size), Decimal(tightness), Decimal("1e-40")
        alpha = k.ln() / n.ln()
        r = -alpha / (1 - p).ln()
        rounds = (r * n * n.ln() - 1).quantize(tidy).to_integral_value(ROUND_FLOOR)
        each = (p * n ** (2 * alpha)).quantize(tidy).to_integral_value(ROUND_FLOOR)
    return int(rounds), int(each)


def cross_edges(graph: Graph) -> Counter[tuple[int, int]]:
    """Count the edges between each pair of groups."""
    ends = np.sort(graph.node_data["group"][graph.edges], axis=0)
    return Counter((int(a), int(b)) for a, b in ends.T if a != b)


def independence_number(graph: Graph) -> int:
    flipped = nx.complement(to_networkx(graph))
    return len(nx.max_weight_clique(flipped, weight=None)[0])


def to_networkx(graph: Graph) -> nx.Graph:
    result = nx.empty_graph(graph.num_nodes)
    result.add_edges_from(graph.edges.T.tolist())
    return result


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), forced=st.booleans(), **ARGUMENTS)
def test_groups_are_cliques_of_the_right_size(
    seed: int, forced: bool, num_groups: int, group_size: int, tightness: float
) -> None:
    rng = np.random.default_rng(seed)
    graph = rb_graph(rng, num_groups=num_groups, group_size=group_size, tightness=tightness, forced=forced)
    assert graph.num_graphs == 1
    assert Counter(graph.node_data["group"].tolist()) == dict.fromkeys(range(num_groups), group_size)
    edges = set(map(tuple, graph.edges.T.tolist()))
    for group in range(num_groups):
        assert set(combinations(np.flatnonzero(graph.node_data["group"] == group).tolist(), 2)) <= edges
    assert graph.graph_data["num_groups"].tolist() == [num_groups]
    assert ("planted" in graph.node_data) == ("planted_size" in graph.graph_data) == forced


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), **ARGUMENTS)
def test_forced_graphs_have_the_planted_optimum(seed: int, num_groups: int, group_size: int, tightness: float) -> None:
    graph = rb_graph(np.random.default_rng(seed), num_groups=num_groups, group_size=group_size, tightness=tightness)
    planted = graph.node_data["planted"]
    assert planted.dtype == bool
    assert sorted(graph.node_data["group"][planted].tolist()) == list(range(num_groups))
    assert not planted[graph.edges].all(axis=0).any()
    assert graph.graph_data["planted_size"].tolist() == [num_groups]
    assert independence_number(graph) == num_groups


def test_a_dense_forced_graph_keeps_only_the_planted_optimum() -> None:
    # So many rounds that every pair of groups is full: the hidden nodes are then the one independent set of size n.
    graph = rb_graph(np.random.default_rng(5), num_groups=3, group_size=6, tightness=0.03)
    assert set(cross_edges(graph).values()) == {6 * 6 - 1}
    assert graph.num_edges == 3 * 15 + 3 * 35
    assert independence_number(graph) == 3


def test_unforced_graphs_never_exceed_the_number_of_groups() -> None:
    sizes = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        graph = rb_graph(rng, num_groups=6, group_size=4, tightness=0.4, forced=False)
        sizes.append(independence_number(graph))
    assert max(sizes) <= 6
    assert min(sizes) < 6


@pytest.mark.parametrize("forced", [True, False])
@pytest.mark.parametrize(("groups", "size", "tightness"), [(5, 3, 0.4), (4, 4, 0.7), (8, 5, 0.25)])
def test_edges_are_distributed_as_in_the_sequential_process(
    groups: int, size: int, tightness: float, forced: bool
) -> None:
    repeats = 300
    rng = np.random.default_rng(groups)
    pairs = list(combinations(range(groups), 2))
    ours, theirs = [], []
    for seed in range(repeats):
        counts = cross_edges(rb_graph(rng, num_groups=groups, group_size=size, tightness=tightness, forced=forced))
        ours.append([counts[pair] for pair in pairs])
        edges = rb_by_definition(groups, size, tightness, forced, seed)
        counts = Counter((u // size, v // size) for u, v in edges)
        theirs.append([counts[pair] for pair in pairs])
    total, expected = np.sum(ours, axis=1), np.sum(theirs, axis=1)
    error = math.hypot(total.std(), expected.std()) / math.sqrt(repeats)
    assert abs(total.mean() - expected.mean()) <= 4 * error
    values = np.union1d(ours, theirs)
    table = [[np.count_nonzero(np.asarray(counts) == value) for value in values] for counts in (ours, theirs)]
    assert stats.chi2_contingency(table).pvalue > 1e-3


def test_the_edges_between_two_groups_are_a_uniform_subset() -> None:
    # Two groups of two, forced: one round of ⌊0.5·4⌋ = 2 edges out of the three that are not hidden-hidden.
    seen: Counter[tuple[tuple[bool, bool], ...]] = Counter()
    rng = np.random.default_rng(3)
    for _ in range(1500):
        graph = rb_graph(rng, num_groups=2, group_size=2, tightness=0.5)
        group, planted = graph.node_data["group"], graph.node_data["planted"]
        kinds = []
        for u, v in graph.edges.T[group[graph.edges[0]] != group[graph.edges[1]]]:
            first, second = (u, v) if group[u] == 0 else (v, u)
            kinds.append((bool(planted[first]), bool(planted[second])))
        seen[tuple(sorted(kinds))] += 1
    assert set(seen) == set(combinations([(False, False), (False, True), (True, False)], 2))
    assert stats.chisquare(list(seen.values())).pvalue > 1e-3


@pytest.mark.parametrize(
    ("groups", "size", "tightness"),
    [
        (200, 10, "0.29"),  # 0.29 · 100 is 28.999999999999996 in floating point
        (200, 10, "0.57"),
        (200, 10, "0.07"),
        (200, 5, "0.28"),
        (125, 5, "0.2"),
        (200, 4, "0.5"),  # r·n·ln n is exactly 2n
        (150, 8, "0.5"),
        (200, 4, "0.75"),
        (150, 25, "0.8"),  # n^{2α} is 624.9999999999998
        (150, 9, "0.41"),
    ],
)
def test_rounds_and_edges_a_round_lose_nothing_to_rounding(groups: int, size: int, tightness: str) -> None:
    rounds, each = exact_numbers(groups, size, tightness)
    rng = np.random.default_rng(0)
    graph = rb_graph(rng, num_groups=groups, group_size=size, tightness=float(tightness), forced=False)
    counts = cross_edges(graph)
    assert min(counts.values()) == each
    # A pair of groups that was hit h times has h·s edges or is full; at this size none is hit much more often.
    assert sum(math.ceil(count / each) for count in counts.values()) == rounds


def test_node_numbers_tell_nothing() -> None:
    rng = np.random.default_rng(8)
    graphs = [rb_graph(rng, num_groups=5, group_size=4, tightness=0.5) for _ in range(200)]
    places = np.array([np.flatnonzero(graph.node_data["planted"]) for graph in graphs])
    assert stats.chisquare(np.bincount(places.reshape(-1), minlength=20)).pvalue > 1e-3
    same = [graph.node_data["group"][0] == graph.node_data["group"][1] for graph in graphs]
    assert np.mean(same) == pytest.approx(3 / 19, abs=4 * math.sqrt(3 / 19 * 16 / 19 / 200))


@pytest.mark.parametrize(
    ("groups", "size", "tightness", "edges"),
    [(1, 4, 0.5, 6), (5, 1, 0.5, 0), (3, 4, 1.0, 18), (2, 3, 0.1, 6), (1, 1, 1.0, 0)],
    ids=["one group", "groups of one", "no rounds", "no edges a round", "one node"],
)
def test_degenerate_arguments_leave_the_cliques(groups: int, size: int, tightness: float, edges: int) -> None:
    graph = rb_graph(np.random.default_rng(0), num_groups=groups, group_size=size, tightness=tightness)
    assert (graph.num_nodes, graph.num_edges) == (groups * size, edges)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_groups": 0}, "num_groups must be at least 1, not 0"),
        ({"group_size": 0}, "group_size must be at least 1, not 0"),
        ({"group_size": 2.5}, "group_size must be an integer, not 2.5"),
        ({"tightness": 0.0}, "tightness must be above 0 and at most 1, not 0.0"),
        ({"tightness": 1.01}, "tightness must be above 0 and at most 1, not 1.01"),
        ({"tightness": math.nan}, "tightness must be above 0 and at most 1, not nan"),
        ({"num_groups": 10**6, "group_size": 10**6}, "1,000,000 groups of 1,000,000 are more than 2,147,483,647 nodes"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(InputError) as caught:
        rb_graph(np.random.default_rng(0), **{"num_groups": 3, "group_size": 2, "tightness": 0.5, **arguments})
    assert str(caught.value) == message
