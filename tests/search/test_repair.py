"""Repair and maximalisation against the energy, enumeration and each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco.energy import Constraint, Instance, Linear, Pairs, Range
from annealco.errors import InputError
from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.repair import finish, maximalise, repair
from tests.problems.sums import SUMS
from tests.search.instances import all_assignments, changes, declared, seeded_cut, violation


def assert_repaired(instance, before, after):
    exact = np.ones(instance.num_graphs, bool) if instance.exact is None else instance.exact
    assert np.all(instance.violations(after)[..., exact] == 0)
    rise = instance.energy().value(after) - instance.energy().value(before)
    assert np.all(rise[..., exact] <= 1e-6)


@pytest.mark.parametrize("name", SUMS)
def test_repair_ends_feasible_and_never_raises_the_energy(name):
    batch, instance = declared(name)
    rng = np.random.default_rng(1)
    rows = rng.random((40, batch.num_nodes)) < rng.random((40, 1))
    rows[0], rows[1] = False, True
    after = repair(instance, rows)
    assert after.shape == rows.shape
    assert_repaired(instance, rows, after)
    feasible = np.repeat(instance.violations(rows) == 0, np.diff(batch.node_ptr), axis=1)
    assert np.array_equal(after[feasible], rows[feasible])


@pytest.mark.parametrize("seed", range(5))
def test_repair_brings_a_seed_node_in_even_where_that_leaves_the_box(seed):
    batch, instance = seeded_cut(seed)
    rows = np.random.default_rng(seed).random((30, batch.num_nodes)) < np.linspace(0, 1, 30)[:, None]
    assert_repaired(instance, rows, repair(instance, rows))


@pytest.mark.parametrize("name", SUMS)
def test_nothing_can_be_flipped_with_gain_after_maximalising(name):
    batch, instance = declared(name, 2)
    rows = finish(instance, np.random.default_rng(2).random((5, batch.num_nodes)) < 0.3)
    energy, ruled = instance.energy(), violation(instance)
    for bits in rows:
        sign = np.where(bits, -1, 1)
        lowers = sign * changes(energy, bits) < -1e-7
        keeps = sign * changes(ruled, bits) <= 1e-9
        feasible = np.repeat(instance.violations(bits) == 0, np.diff(batch.node_ptr))
        assert not np.any(lowers & keeps & feasible)


@pytest.mark.parametrize("name", SUMS)
def test_maximalising_keeps_what_is_feasible_and_lowers_the_energy(name):
    batch, instance = declared(name, 3)
    before = repair(instance, np.random.default_rng(3).random((10, batch.num_nodes)) < 0.5)
    after = maximalise(instance, before)
    feasible = instance.violations(before) == 0
    assert np.all(instance.violations(after)[feasible] == 0)
    assert np.all(instance.energy().value(after) <= instance.energy().value(before) + 1e-9)
    assert np.array_equal(finish(instance, before), after)


@given(seed=st.integers(0, 10**6), name=st.sampled_from(list(SUMS)))
@settings(max_examples=40)
def test_a_graph_is_repaired_alike_alone_in_a_batch_and_by_any_number_of_threads(seed, name):
    rng = np.random.default_rng(seed)
    graphs = small_graphs(rng, num_random=3)
    batch = Graph.batch(graphs)
    rows = rng.random((3, batch.num_nodes)) < 0.5
    together = [finish(SUMS[name].declare(batch), rows, num_threads=threads) for threads in (1, 2, 5)]
    assert np.array_equal(together[0], together[1])
    assert np.array_equal(together[0], together[2])
    pick = int(rng.integers(len(graphs)))
    own = slice(batch.node_ptr[pick], batch.node_ptr[pick + 1])
    alone = finish(SUMS[name].declare(graphs[pick]), rows[1, own])
    assert np.array_equal(alone, together[0][1, own])


def test_large_batches_are_cut_into_chunks_without_a_difference():
    rng = np.random.default_rng(0)
    batch = Graph.batch([barabasi_albert(rng, num_nodes=500, attachment=3) for _ in range(40)])
    for name in ("mis", "mds", "cut"):
        instance = SUMS[name].declare(batch)
        bits = rng.random(batch.num_nodes) < 0.5
        assert np.array_equal(finish(instance, bits, num_threads=1), finish(instance, bits, num_threads=4))


def test_dominating_repair_is_the_greedy_of_the_textbook():
    two_stars = Graph.from_edges(np.array([[0, 0, 0, 0, 1, 5, 5], [1, 2, 3, 4, 5, 6, 7]]), 8)
    assert np.flatnonzero(repair(PROBLEMS["mds"].declare(two_stars), np.zeros(8, bool))).tolist() == [0, 5]


def test_a_linear_constraint_and_one_that_costs_nothing_are_kept():
    ptr = np.array([0, 3])
    banned = Constraint(Linear(ptr, np.array([0.0, 1.0, 0.0])), np.array([0.0, 5.0, 0.0]))
    free = Constraint(Pairs(ptr, np.array([[0], [2]]), np.ones(1)), np.zeros(1))
    instance = Instance(ptr, (Linear(ptr, np.array([-1.0, -1.0, 0.0])),), (banned, free))
    for bits in all_assignments(3):
        after = finish(instance, bits)
        assert instance.violations(after)[0] == 0
    assert finish(instance, [True, True, True]).tolist() == [True, False, False]


def test_two_ranges_at_once():
    ptr = np.array([0, 6])
    boxes = [
        Range(ptr, np.array(weight), np.array([2.0]), np.array([3.0]), np.ones(1))
        for weight in ([1.0] * 6, [1.0, 1.0, 1.0, 0.0, 0.0, 2.0])
    ]
    instance = Instance(ptr, (Linear(ptr, np.arange(6.0)),), tuple(Constraint(box, np.full(1, 9.0)) for box in boxes))
    rows = repair(instance, all_assignments(6))
    assert np.all(instance.violations(rows) == 0)


def test_graphs_without_nodes_and_batches_without_graphs():
    empty = PROBLEMS["mis"].declare(Graph.from_edges(np.zeros((2, 0), int), 0))
    assert finish(empty, np.zeros(0, bool)).shape == (0,)
    assert finish(empty, np.zeros((3, 0), bool)).shape == (3, 0)
    assert finish(PROBLEMS["cut"].declare(Graph.batch([])), np.zeros((2, 0), bool)).shape == (2, 0)


def test_wrong_shapes_and_values_are_refused():
    instance = PROBLEMS["mis"].declare(Graph.from_edges(np.array([[0], [1]]), 2))
    with pytest.raises(InputError, match=r"shape \[2\] or \[num_restarts, 2\], it has \[3\]"):
        repair(instance, np.zeros(3, bool))
    with pytest.raises(InputError, match="0 or 1"):
        maximalise(instance, [0.5, 1.0])
