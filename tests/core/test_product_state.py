"""Conditional expectations against enumeration, torch, and themselves after many updates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco._core import ProductState
from annealco.arrays import segment_of
from annealco.energy import AllPairs, Cover, Energy, Instance, Linear, Range
from annealco.energy.compiled import core_terms
from annealco.graph.graph import Graph
from annealco.problems.small_graphs import small_graphs
from tests.energy.reference import KINDS, plain_expectation, random_term
from tests.problems.sums import SUMS
from tests.search.instances import changes, mixture, violation

ENERGY, VIOLATION = 0, 1


class Loaded:
    """A state with its probabilities beside it."""

    def __init__(self, instance, probability, penalty_scale=1.0):
        self.terms = core_terms(instance, penalty_scale)
        self.owner = segment_of(instance.node_ptr, np.arange(instance.num_nodes))
        self.probability = np.array(probability, dtype=float)
        self.state = ProductState(self.terms, self.probability)

    def update(self, node, value):
        self.probability[node] = value
        self.state.update(int(self.owner[node]), int(node), float(value))

    def delta(self, node, reading=ENERGY):
        return self.state.delta(int(self.owner[node]), int(node))[reading]

    def deltas(self, reading=ENERGY):
        return [self.delta(node, reading) for node in range(len(self.owner))]


def walk(loaded, rng, steps):
    """Set random nodes to random probabilities and bits."""
    for _ in range(steps):
        node = int(rng.integers(len(loaded.owner)))
        loaded.update(node, float(rng.choice([0.0, 1.0, rng.random(), 1 - 1e-13, 1e-13])))


@pytest.mark.parametrize("seed", range(6))
def test_delta_after_updates_is_the_field_of_the_energy(seed):
    rng = np.random.default_rng(seed)
    instance = mixture(rng, weighted_all_pairs=bool(seed % 2))
    loaded = Loaded(instance, rng.random(7), 1.5)
    walk(loaded, rng, 50)
    final = rng.random(7)
    for node, value in enumerate(final):
        loaded.update(node, value)
    torch = pytest.importorskip("torch")
    logits = torch.logit(torch.tensor(final))
    assert loaded.deltas() == pytest.approx(instance.energy(1.5).field(logits).tolist(), abs=1e-9)
    assert loaded.deltas(VIOLATION) == pytest.approx(violation(instance).field(logits).tolist(), abs=1e-9)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "range"])
def test_delta_of_each_kind_is_the_enumerated_difference(kind):
    rng = np.random.default_rng(3)
    term = random_term(kind, rng)
    probability = rng.random(7)
    probability[[0, 3]] = 1.0, 0.0
    found = Loaded(Instance(term.node_ptr, (term,)), probability).deltas()
    for node in range(7):
        given_bit = np.tile(probability, (2, 1))
        given_bit[:, node] = 0.0, 1.0
        without, chosen = (plain_expectation(term, each).sum() for each in given_bit)
        assert found[node] == pytest.approx(chosen - without, abs=1e-12)


@pytest.mark.parametrize("name", SUMS)
def test_delta_of_bits_is_the_change_of_energy_and_violations(name):
    rng = np.random.default_rng(1)
    batch = Graph.batch(small_graphs(rng, num_random=8))
    instance = SUMS[name].declare(batch)
    loaded = Loaded(instance, rng.random(batch.num_nodes))
    bits = rng.integers(0, 2, batch.num_nodes)
    for node in range(batch.num_nodes):
        loaded.update(node, bits[node])
    assert loaded.deltas() == pytest.approx(changes(instance.energy(), bits), abs=1e-9)
    assert loaded.deltas(VIOLATION) == pytest.approx(changes(violation(instance), bits), abs=1e-12)


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=30)
def test_updates_in_any_order_are_as_good_as_a_fresh_start(seed, weighted):
    rng = np.random.default_rng(seed)
    instance = mixture(rng, weighted_all_pairs=weighted)
    loaded = Loaded(instance, rng.random(7))
    walk(loaded, rng, int(rng.integers(1, 80)))
    fresh = Loaded(instance, loaded.probability)
    # The width of a sum is a root: where open nodes are almost certain, 1e-16 in the variance is 1e-8 in the width.
    assert loaded.deltas() == pytest.approx(fresh.deltas(), abs=1e-7)
    assert loaded.deltas(VIOLATION) == pytest.approx(fresh.deltas(VIOLATION), abs=1e-7)


@pytest.mark.parametrize("kind", ["all pairs but some", "cover", "range"])
def test_sums_do_not_drift_in_many_updates(kind):
    rng = np.random.default_rng(0)
    term = random_term(kind, rng, sizes=(9,))
    instance = Instance(term.node_ptr, (term,))
    loaded, count = Loaded(instance, rng.random(9)), 200_000
    for node, value in zip(rng.integers(0, 9, count), rng.choice([0.0, 1.0, 0.1, 1 / 3, 0.999], count), strict=True):
        loaded.update(node, value)
    assert loaded.deltas() == pytest.approx(Loaded(instance, loaded.probability).deltas(), abs=1e-12)
    bits = rng.integers(0, 2, 9)
    for node in range(9):
        loaded.update(node, bits[node])
    assert loaded.deltas() == pytest.approx(changes(Energy(term.node_ptr, (term,)), bits), abs=1e-12)


def test_a_set_too_large_for_a_product_recovers():
    size = 3000
    ptr = np.array([0, size])
    term = Cover(ptr, ptr, np.arange(size, dtype=np.int32), np.array([2.0]))
    loaded = Loaded(Instance(ptr, (term,)), np.full(size, 0.5))
    assert abs(loaded.delta(0)) < 2.0**-440  # nothing next to a coefficient
    for node in range(size):
        loaded.update(node, 0.0)
    # Rounding leaves far less than what counts as a tie.
    assert loaded.delta(0) == pytest.approx(-2.0, abs=loaded.terms.tolerance[0] / 1000)


def test_equal_and_unequal_coefficients_of_all_pairs_agree():
    ptr, rng = np.array([0, 50, 120]), np.random.default_rng(0)
    equal = np.repeat([0.7, 1.3], [50, 70])
    almost = equal.copy()
    almost[[0, 60]] += 1e-13
    probability = rng.random(120)
    one, other = (Loaded(Instance(ptr, (AllPairs(ptr, each),)), probability) for each in (equal, almost))
    assert one.deltas() == pytest.approx(other.deltas(), rel=1e-10)


def test_all_pairs_of_many_nodes_needs_no_dense_array():
    size, rng = 100_000, np.random.default_rng(0)
    ptr, weight, bits = np.array([0, size]), rng.uniform(0, 3, size), rng.integers(0, 2, size)
    loaded = Loaded(Instance(ptr, (AllPairs(ptr, weight),)), bits)
    for node in (0, 77_777):
        others = bits.copy()
        others[node] = 0
        assert loaded.delta(node) == pytest.approx(np.minimum(weight[node], weight) @ others)


def test_a_certain_graph_has_the_exact_range_among_open_graphs():
    ptr = np.array([0, 2, 4])
    term = Range(ptr, np.array([3.0, 4.0, 3.0, 4.0]), np.full(2, 5.0), np.full(2, 6.0), np.ones(2))
    loaded = Loaded(Instance(ptr, (term,)), [0.3, 1.0, 0.3, 0.4])
    assert loaded.delta(0) == 0.0  # 4 is one short, 7 is one above.
    assert loaded.delta(1) != 0.0
    loaded.update(0, 1.0)
    assert loaded.delta(1) == -1.0


def test_graphs_without_nodes_or_terms_can_be_loaded():
    ptr = np.array([0, 0, 1, 1])
    assert Loaded(Instance(ptr, (Linear(ptr, np.array([2.0])),)), [0.5]).deltas() == [2.0]


def test_an_open_sum_is_outside_its_range_as_often_as_draws_are():
    rng = np.random.default_rng(0)
    size = 60
    ptr, weight, probability = np.array([0, size]), rng.uniform(1, 3, size), rng.uniform(0.2, 0.8, size)
    box = Range(ptr, weight, np.array([50.0]), np.array([60.0]), np.array([2.0]))
    draws = rng.random((200_000, size)) < probability
    draws[:, 0] = False
    totals = draws @ weight
    away = [np.maximum(each - 60, 0) + np.maximum(50 - each, 0) for each in (totals, totals + weight[0])]
    plain = 2.0 * (away[1].mean() - away[0].mean())
    assert Loaded(Instance(ptr, (box,)), probability).delta(0) == pytest.approx(plain, abs=0.03)
