"""Conditional decoding against enumeration, and its promises."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco.energy import Constraint, Cover, Energy, Instance, Linear, Pairs
from annealco.errors import InputError
from annealco.graph.generators import erdos_renyi, generate
from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.decode import decode, drawn, rounded
from tests.energy.reference import random_term
from tests.problems.sums import CUTS, SUMS
from tests.search.instances import best_cost, cost_of, declared, mixture

ORDERS = ("probability", "confidence", "steepest")


def expected(energy, probability):
    """E[f] of every graph, in torch."""
    return energy.expectation(torch.logit(torch.tensor(probability))).numpy()


def by_enumeration(instance, probability, visits):
    """Decode one small graph by enumerated conditional expectations; where a tie would decide, return None."""
    size = instance.num_nodes
    rows = (np.arange(2**size)[:, None] >> np.arange(size) & 1).astype(float)
    energies = instance.energy().value(rows)[:, 0]
    p = probability.copy()
    for node in visits:
        means = []
        for bit in (0.0, 1.0):
            p[node] = bit
            means.append(np.where(rows == 1, p, 1 - p).prod(axis=1) @ energies)
        if abs(means[1] - means[0]) < 1e-7:
            return None
        p[node] = float(means[1] < means[0])
    return p.astype(bool)


@pytest.mark.parametrize("order", ["probability", "confidence"])
@pytest.mark.parametrize("kind", ["pairs", "cover", "all pairs but some"])
def test_every_bit_is_the_better_of_the_two_in_the_order_of_visits(kind, order):
    rng = np.random.default_rng(0)
    compared = 0
    for number in range(30):
        term = random_term(kind, rng, sizes=(7,))
        instance = Instance(term.node_ptr, (Linear(term.node_ptr, rng.normal(size=7)), term))
        probability = rng.uniform(0.05, 0.95, 7)
        if number % 3:
            probability[rng.integers(7)] = number % 3 - 1.0  # One node is certain from the start, and may change.
        visits = np.argsort(-probability if order == "probability" else -np.abs(probability - 0.5))
        plain = by_enumeration(instance, probability, visits)
        if plain is not None:
            compared += 1
            assert np.array_equal(decode(instance, probability, order=order, finish=False), plain)
    assert compared >= 20


def steepest_by_enumeration(energy, probability):
    """Decode one small graph in the steepest order by enumeration; where a tie would decide, return None.

    A node is excluded, and decided at once, where no way to decide the open ones makes it lower the energy.
    """
    size = len(probability)
    rows = np.arange(2**size)[:, None] >> np.arange(size) & 1
    energies = energy.value(rows.astype(bool))[:, 0]
    gain = np.stack(
        [energies[np.arange(2**size) | 1 << i] - energies[np.arange(2**size) & ~(1 << i)] for i in range(size)]
    )
    p, open_nodes = probability.copy(), list(range(size))

    def difference(node):
        others = np.delete(np.arange(size), node)
        weight = np.where(rows[:, others] == 1, p[others], 1 - p[others]).prod(axis=1)
        return float((weight * gain[node]).sum() / 2)

    def excluded():
        decided = [node for node in range(size) if node not in open_nodes]
        possible = (rows[:, decided] == p[decided]).all(axis=1)
        return [node for node in open_nodes if gain[node][possible].min() > -1e-9]

    cheaper = any(
        np.any(gain[i][rows[:, j] == 1] < gain[i][rows[:, j] == 0] - 1e-9)
        for i in range(size)
        for j in range(size)
        if i != j
    )
    while open_nodes:
        differences = {node: difference(node) for node in open_nodes}
        out = [] if cheaper else excluded()
        if not out and len(differences) > 1 and np.ptp(sorted(differences.values())[:2]) < 1e-7:
            return None
        node = out[0] if out else min(open_nodes, key=differences.__getitem__)
        if abs(differences[node]) < 1e-7:
            return None
        p[node] = float(differences[node] < 0)
        open_nodes.remove(node)
    return p.astype(bool)


@pytest.mark.parametrize("kind", ["pairs", "cover", "all pairs but some", "packing"])
def test_the_steepest_order_decides_the_open_node_of_the_lowest_difference(kind):
    rng = np.random.default_rng(1)
    compared = 0
    for number in range(40):
        term = random_term("pairs" if kind == "packing" else kind, rng, sizes=(7,))
        if kind == "packing":
            term = Pairs(term.node_ptr, term.pairs, np.abs(term.coefficient) + 0.5)
        instance = Instance(term.node_ptr, (Linear(term.node_ptr, rng.normal(size=7) - (kind == "packing")), term))
        probability = rng.uniform(0.05, 0.95, 7)
        if number % 3:
            probability[rng.integers(7)] = number % 3 - 1.0
        plain = steepest_by_enumeration(instance.energy(), probability)
        if plain is not None:
            compared += 1
            assert np.array_equal(decode(instance, probability, order="steepest", finish=False), plain)
    assert compared >= 20


def test_the_steepest_order_from_even_probabilities_is_greedy_with_degrees_kept_up_to_date():
    rng = np.random.default_rng(3)
    for graph in [erdos_renyi(rng, num_nodes=40, edge_probability=0.1) for _ in range(10)]:
        # Weights that are all but 1 leave no ties, and a whole penalty no neighbour of a chosen node.
        weight = (1 + 1e-4 * rng.random(40)).tolist()
        instance = PROBLEMS["mis"].declare(Graph.from_edges(graph.edges, 40, node_weight=weight))
        found = decode(instance, np.full(40, 1e-3), order="steepest", penalty_scale=2.0, finish=False)
        neighbours = {i: {j for pair in graph.edges.T.tolist() if i in pair for j in pair if j != i} for i in range(40)}
        left, chosen = set(range(40)), set()
        while left:
            price = {i: -weight[i] + sum(2e-3 * min(weight[i], weight[j]) for j in neighbours[i] & left) for i in left}
            node = min(left, key=price.__getitem__)
            chosen.add(node)
            left -= {node} | neighbours[node]
        assert set(np.flatnonzero(found).tolist()) == chosen


@given(seed=st.integers(0, 10**6), name=st.sampled_from([name for name in SUMS if name not in CUTS]))
@settings(max_examples=50)
def test_expected_energy_never_rises(seed, name):
    rng = np.random.default_rng(seed)
    batch = Graph.batch(small_graphs(rng, num_random=5))
    instance = SUMS[name].declare(batch)
    probability = rng.uniform(0.01, 0.99, batch.num_nodes)
    for scale in (0.5, 1.0, 3.0):
        energy = instance.energy(scale)
        for order in ORDERS:
            plain = decode(instance, probability, order=order, penalty_scale=scale, finish=False)
            assert np.all(energy.value(plain) <= expected(energy, probability) + 1e-6)
    finished = decode(instance, probability)
    assert np.all(instance.energy().value(finished) <= expected(instance.energy(), probability) + 1e-6)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=50)
def test_expected_energy_hardly_rises_under_the_normal_form_of_ranges(seed):
    rng = np.random.default_rng(seed)
    graphs = [barabasi_albert(rng, num_nodes=int(rng.integers(20, 60)), attachment=3) for _ in range(3)]
    instance = PROBLEMS["cut"].declare(Graph.batch(graphs))
    probability = rng.uniform(0.01, 0.99, instance.num_nodes)
    energy = instance.energy()
    rise = energy.value(decode(instance, probability, finish=False)) - expected(energy, probability)
    # A bit is no normal variable: one node's step of weight d can be misjudged by 0.05 d, times the penalty.
    largest = np.array([graph.degree.max() for graph in graphs])
    assert np.all(rise <= 0.1 * instance.constraints[0].penalty * largest)


@pytest.mark.parametrize("name", SUMS)
def test_results_are_feasible_maximal_and_never_better_than_the_best(name):
    rng = np.random.default_rng(4)
    for graph in small_graphs(rng, num_random=10):
        instance = SUMS[name].declare(graph)
        rows = decode(instance, rng.random((8, graph.num_nodes)))
        assert np.all(instance.violations(rows) == 0)
        assert cost_of(instance, rows).min() >= best_cost(instance) - 1e-9


def test_probabilities_of_an_optimum_are_kept():
    rng = np.random.default_rng(0)
    for graph in small_graphs(rng, num_random=20):
        instance = PROBLEMS["mis"].declare(graph)
        rows = decode(instance, rng.random((64, graph.num_nodes)))
        best = rows[np.argmin(cost_of(instance, rows)[:, 0])]
        again = decode(instance, np.where(best, 0.99, 0.01))
        assert cost_of(instance, again) <= cost_of(instance, best) + 1e-9


def test_ties_go_to_feasibility_then_to_the_probability():
    ptr = np.array([0, 2])
    apart = Constraint(Pairs(ptr, np.array([[0], [1]]), np.ones(1)), np.ones(1))
    instance = Instance(ptr, (Linear(ptr, -np.ones(2)),), (apart,))
    assert decode(instance, [1.0, 0.9], finish=False).tolist() == [True, False]
    free = Instance(ptr, (Linear(ptr, np.zeros(2)),))
    assert decode(free, [0.6, 0.4]).tolist() == [True, False]
    unpaid = Instance(ptr, (Linear(ptr, np.zeros(2)),), (Constraint(apart.term, np.zeros(1)),))
    assert decode(unpaid, [0.9, 0.8], finish=False).tolist() == [False, True]


def test_equal_probabilities_are_visited_from_the_most_decided():
    star = Graph.from_edges(np.array([[0, 0, 0, 0], [1, 2, 3, 4]]), 5)
    instance = PROBLEMS["mis"].declare(star)
    assert decode(instance, np.full(5, 0.5), finish=False).tolist() == [False, True, True, True, True]


@pytest.mark.parametrize("probability", [0.3, 0.5, 1 - 2.0**-40])
@pytest.mark.parametrize("certain", [False, True])
def test_the_last_node_of_a_set_too_large_for_its_product_is_chosen(probability, certain):
    size = 20_000  # of which ∏ (1 − p) is 2^-10,000 and less, far below the least number
    ptr = np.array([0, size + 1])
    cover = Cover(ptr, np.array([0, size]), np.arange(size, dtype=np.int32), np.ones(1))
    instance = Instance(ptr, (Linear(ptr, np.ones(size + 1)),), (Constraint(cover, np.array([1.25])),))
    # A node outside that is certain when given makes the state count what it need not count otherwise.
    outside = 1.0 if certain else 0.5
    row = np.append(np.full(size, probability) - np.arange(size) * 2.0**-52, outside)
    chosen = decode(instance, row, finish=False)
    assert np.flatnonzero(chosen).tolist() == [size - 1]


@given(seed=st.integers(0, 10**6), name=st.sampled_from(list(SUMS)))
@settings(max_examples=30)
def test_batches_restarts_and_threads_change_nothing(seed, name):
    rng = np.random.default_rng(seed)
    graphs = small_graphs(rng, num_random=3)
    batch = Graph.batch(graphs)
    instance = SUMS[name].declare(batch)
    probability = np.round(rng.random((3, batch.num_nodes)), 1)
    rows = decode(instance, probability, num_threads=1)
    assert np.array_equal(rows, decode(instance, probability, num_threads=2))
    assert np.array_equal(rows[1], decode(instance, probability[1], num_threads=7))
    pick = int(rng.integers(len(graphs)))
    own = slice(batch.node_ptr[pick], batch.node_ptr[pick + 1])
    assert np.array_equal(rows[2, own], decode(SUMS[name].declare(graphs[pick]), probability[2, own]))


def test_chunks_of_a_large_batch_change_nothing():
    rng = np.random.default_rng(0)
    batch = Graph.batch([barabasi_albert(rng, num_nodes=700, attachment=3) for _ in range(30)])
    for name in ("mis", "mds", "cut", "clique"):
        instance = SUMS[name].declare(batch)
        probability = rng.random((2, batch.num_nodes))
        assert np.array_equal(
            decode(instance, probability, num_threads=1), decode(instance, probability, num_threads=5)
        )


def test_any_mixture_of_terms_can_be_decoded():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        instance = mixture(rng, weighted_all_pairs=bool(seed % 2))
        assert decode(instance, rng.random((4, 7)), finish=False).shape == (4, 7)


def test_graphs_without_nodes_and_without_edges():
    nothing = Graph.from_edges(np.zeros((2, 0), int), 0)
    assert decode(PROBLEMS["mis"].declare(nothing), np.zeros(0)).shape == (0,)
    assert decode(PROBLEMS["cut"].declare(Graph.batch([])), np.zeros((0, 0))).shape == (0, 0)
    apart = Graph.from_edges(np.zeros((2, 0), int), 4)
    assert decode(PROBLEMS["mis"].declare(apart), np.full(4, 0.1)).all()


def test_wrong_input_is_refused_in_one_sentence():
    instance = PROBLEMS["mis"].declare(Graph.from_edges(np.array([[0], [1]]), 2))
    with pytest.raises(InputError, match="unknown order 'degree'; choose one of probability, confidence"):
        decode(instance, [0.5, 0.5], order="degree")
    with pytest.raises(InputError, match=r"shape \[2\] or \[num_restarts, 2\], it has \[2, 2, 2\]"):
        decode(instance, np.zeros((2, 2, 2)))
    for value in (-0.1, 1.1, np.nan):
        with pytest.raises(InputError, match="between 0 and 1"):
            decode(instance, [0.5, value])
    with pytest.raises(InputError, match="num_threads must be at least 1"):
        decode(instance, [0.5, 0.5], num_threads=0)


def test_a_clique_of_a_large_sparse_graph_needs_no_dense_array():
    rng = np.random.default_rng(0)
    graph = barabasi_albert(rng, num_nodes=100_000, attachment=3)
    weighted = graph.with_weights(node_weight=rng.uniform(0.5, 2, graph.num_nodes))
    for each in (graph, weighted):
        instance = PROBLEMS["clique"].declare(each)
        assert instance.violations(decode(instance, rng.random(graph.num_nodes)))[0] == 0


def test_energies_of_decoded_sets_are_those_of_the_terms():
    batch, instance = declared("mds", 5)
    rows = decode(instance, np.random.default_rng(5).random((3, batch.num_nodes)))
    assert np.allclose(instance.energy().value(rows), Energy(instance.node_ptr, instance.objective).value(rows))


@pytest.mark.parametrize("name", ["mis", "clique"])
def test_rounded_sets_are_never_smaller_than_size_less_conflicts(name: str) -> None:
    problem = PROBLEMS[name]
    for seed in range(6):
        rng = np.random.default_rng(seed)
        graph = erdos_renyi(rng, num_nodes=20, edge_probability=0.3)
        given = rng.random((4, 20)) * 0.8
        instance = problem.declare(graph)
        for row, chance in zip(rounded(instance, given), given, strict=True):
            nodes = np.flatnonzero(row).tolist()
            assert set(nodes) <= set(np.flatnonzero(chance > 0.5).tolist())
            assert problem.score(graph, nodes) is not None
            assert len(nodes) >= (chance > 0.5).sum() - instance.violations(chance > 0.5)[0]


def test_draws_follow_probabilities_and_seeds_and_end_in_the_box() -> None:
    graph, cut = generate("ba-small", count=1, seed=1), PROBLEMS["cut"]
    instance = cut.declare(graph)
    given = np.tile(np.where(np.arange(graph.num_nodes) < 100, 0.7, 0.05), (5, 1))
    first, again, other = (drawn(instance, given, seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert len({row.tobytes() for row in first}) == 5
    assert all(cut.score(graph, np.flatnonzero(row).tolist()) is not None for row in first)
    assert first[:, :100].mean() > 3 * first[:, 100:].mean()
