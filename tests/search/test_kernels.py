"""The kernels against enumeration, torch, and themselves after a million updates."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from annealco.energy import AllPairs, Cover, Energy, Instance, Linear, Range
from annealco.graph.graph import Graph
from annealco.graph.segments import segment_of
from annealco.problems.small_graphs import small_graphs
from annealco.search.forms import ENERGY, VIOLATION, compile_forms
from annealco.search.kernels import CHARGE, delta, load, new_state, update
from tests.energy.reference import KINDS, plain_expectation, random_term
from tests.problems.sums import SUMS
from tests.search.instances import changes, mixture, violation


def loaded(forms, probability):
    state = new_state(forms, probability)
    for graph in range(len(forms.node_ptr) - 1):
        load(forms, state, graph)
    return state


def deltas(forms, state, reading=ENERGY):
    owner = segment_of(forms.node_ptr, np.arange(len(state.probability)))
    return [delta(forms, state, int(graph), node, reading) for node, graph in enumerate(owner)]


def walk(forms, state, rng, steps):
    """Set random nodes to random probabilities and bits."""
    owner = segment_of(forms.node_ptr, np.arange(len(state.probability)))
    for _ in range(steps):
        node = int(rng.integers(len(owner)))
        value = float(rng.choice([0.0, 1.0, rng.random(), 1 - 1e-13, 1e-13]))
        update(forms, state, int(owner[node]), node, value)


@pytest.mark.parametrize("seed", range(6))
def test_delta_after_updates_is_the_field_of_the_energy(seed):
    rng = np.random.default_rng(seed)
    instance = mixture(rng, weighted_all_pairs=bool(seed % 2))
    forms = compile_forms(instance, 1.5)
    state = loaded(forms, rng.random(7))
    walk(forms, state, rng, 50)
    final = rng.random(7)
    for node, value in enumerate(final):
        update(forms, state, 0 if node < 3 else 2, node, float(value))
    logits = torch.logit(torch.tensor(final))
    assert deltas(forms, state) == pytest.approx(instance.energy(1.5).field(logits).tolist(), abs=1e-9)
    assert deltas(forms, state, VIOLATION) == pytest.approx(violation(instance).field(logits).tolist(), abs=1e-9)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "range"])
def test_delta_of_each_kind_is_the_enumerated_difference(kind):
    rng = np.random.default_rng(3)
    term = random_term(kind, rng)
    forms = compile_forms(Instance(term.node_ptr, (term,)))
    probability = rng.random(7)
    probability[[0, 3]] = 1.0, 0.0
    found = deltas(forms, loaded(forms, probability))
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
    forms = compile_forms(instance)
    state = loaded(forms, rng.random(batch.num_nodes))
    bits = rng.integers(0, 2, batch.num_nodes)
    for node, graph in enumerate(batch.graph_of_node):
        update(forms, state, int(graph), node, float(bits[node]))
    assert deltas(forms, state) == pytest.approx(changes(instance.energy(), bits), abs=1e-9)
    assert deltas(forms, state, VIOLATION) == pytest.approx(changes(violation(instance), bits), abs=1e-12)


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=30)
def test_updates_in_any_order_are_as_good_as_a_fresh_start(seed, weighted):
    rng = np.random.default_rng(seed)
    forms = compile_forms(mixture(rng, weighted_all_pairs=weighted))
    state = loaded(forms, rng.random(7))
    walk(forms, state, rng, int(rng.integers(1, 80)))
    fresh = loaded(forms, state.probability)
    # The width of a sum is a root: where open nodes are almost certain, 1e-16 in the variance is 1e-8 in the width.
    assert deltas(forms, state) == pytest.approx(deltas(forms, fresh), abs=1e-7)
    assert np.array_equal(state.certain, fresh.certain)
    assert np.allclose(state.cover[:, CHARGE], fresh.cover[:, CHARGE], rtol=1e-9)
    assert np.array_equal(state.open_nodes, fresh.open_nodes)


@njit
def many_updates(forms, state, graph, values, nodes):
    for step in range(len(nodes)):
        update(forms, state, graph, nodes[step], values[step])


@pytest.mark.parametrize("kind", ["all pairs but some", "cover", "range"])
def test_sums_do_not_drift_in_a_million_updates(kind):
    rng = np.random.default_rng(0)
    term = random_term(kind, rng, sizes=(9,))
    forms = compile_forms(Instance(term.node_ptr, (term,)))
    state = loaded(forms, rng.random(9))
    many_updates(forms, state, 0, rng.choice([0.0, 1.0, 0.1, 1 / 3, 0.999], 10**6), rng.integers(0, 9, 10**6))
    fresh = loaded(forms, state.probability)
    assert deltas(forms, state) == pytest.approx(deltas(forms, fresh), abs=1e-12)
    bits = rng.integers(0, 2, 9)
    many_updates(forms, state, 0, bits.astype(float), np.arange(9))
    assert deltas(forms, state) == pytest.approx(changes(Energy(term.node_ptr, (term,)), bits), abs=1e-12)


def test_a_set_too_large_for_a_product_recovers():
    size = 3000
    ptr = np.array([0, size])
    term = Cover(ptr, ptr, np.arange(size, dtype=np.int32), np.array([2.0]))
    forms = compile_forms(Instance(ptr, (term,)))
    state = loaded(forms, np.full(size, 0.5))
    assert abs(delta(forms, state, 0, 0, ENERGY)) < 1e-299
    for node in range(size):
        update(forms, state, 0, node, 0.0)
    # Rounding leaves far less than what counts as a tie.
    assert delta(forms, state, 0, 0, ENERGY) == pytest.approx(-2.0, abs=forms.tolerance[0] / 1000)


def test_equal_and_unequal_coefficients_of_all_pairs_agree():
    ptr, rng = np.array([0, 50, 120]), np.random.default_rng(0)
    equal = np.repeat([0.7, 1.3], [50, 70])
    almost = equal.copy()
    almost[[0, 60]] += 1e-13
    probability = rng.random(120)
    one, other = (compile_forms(Instance(ptr, (AllPairs(ptr, each),))) for each in (equal, almost))
    assert one.uniform[:, ENERGY].all()
    assert not other.uniform[:, ENERGY].any()
    assert deltas(one, loaded(one, probability)) == pytest.approx(deltas(other, loaded(other, probability)), rel=1e-10)


def test_all_pairs_of_many_nodes_needs_no_dense_array():
    size, rng = 100_000, np.random.default_rng(0)
    ptr, weight, bits = np.array([0, size]), rng.uniform(0, 3, size), rng.integers(0, 2, size)
    forms = compile_forms(Instance(ptr, (AllPairs(ptr, weight),)))
    state = loaded(forms, bits)
    for node in (0, 77_777):
        others = bits.copy()
        others[node] = 0
        assert delta(forms, state, 0, node, ENERGY) == pytest.approx(np.minimum(weight[node], weight) @ others)


def test_a_certain_graph_has_the_exact_range_among_open_graphs():
    ptr = np.array([0, 2, 4])
    term = Range(ptr, np.array([3.0, 4.0, 3.0, 4.0]), np.full(2, 5.0), np.full(2, 6.0), np.ones(2))
    forms = compile_forms(Instance(ptr, (term,)))
    state = loaded(forms, np.array([0.3, 1.0, 0.3, 0.4]))
    assert delta(forms, state, 0, 0, ENERGY) == 0.0  # 4 is one short, 7 is one above.
    assert delta(forms, state, 0, 1, ENERGY) != 0.0
    update(forms, state, 0, 0, 1.0)
    assert delta(forms, state, 0, 1, ENERGY) == -1.0


def test_graphs_without_nodes_or_terms_can_be_loaded():
    ptr = np.array([0, 0, 1, 1])
    forms = compile_forms(Instance(ptr, (Linear(ptr, np.array([2.0])),)))
    assert deltas(forms, loaded(forms, np.array([0.5]))) == [2.0]
