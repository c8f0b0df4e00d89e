"""Changes by flips against values of the terms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco.energy import Instance
from annealco.graph.segments import segment_of
from annealco.jit import kernel
from annealco.search.flips import change, flip, load_bits, local_change, new_bits, range_change
from annealco.search.forms import ENERGY, VIOLATION, compile_forms
from tests.energy.reference import random_term
from tests.problems.sums import SUMS
from tests.search.instances import changes, declared, mixture, violation


def loaded(instance, assignment):
    forms = compile_forms(instance)
    bits = new_bits(forms, assignment)
    for graph in range(instance.num_graphs):
        load_bits(forms, bits, graph)
    return forms, bits


def assert_true_to(instance, forms, bits):
    owner = segment_of(forms.node_ptr, np.arange(len(bits.chosen)))
    sign = np.where(bits.chosen, -1, 1)
    for reading, energy in ((ENERGY, instance.energy()), (VIOLATION, violation(instance))):
        assert bits.value[:, reading] == pytest.approx(energy.value(bits.chosen), abs=1e-9)
        found = [change(forms, bits, int(graph), node, reading) for node, graph in enumerate(owner)]
        assert found == pytest.approx((sign * changes(energy, bits.chosen)).tolist(), abs=1e-9)


@pytest.mark.parametrize("name", SUMS)
def test_changes_of_problems_after_flips(name):
    batch, instance = declared(name, num_random=8)
    rng = np.random.default_rng(0)
    forms, bits = loaded(instance, rng.random(batch.num_nodes) < 0.5)
    assert_true_to(instance, forms, bits)
    for node in rng.integers(0, batch.num_nodes, 300):
        flip(forms, bits, int(batch.graph_of_node[node]), int(node))
    assert_true_to(instance, forms, bits)


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=30)
def test_changes_of_any_mixture_of_terms_after_flips(seed, weighted):
    rng = np.random.default_rng(seed)
    instance = mixture(rng, weighted_all_pairs=weighted)
    forms, bits = loaded(instance, rng.random(7) < 0.5)
    for _ in range(int(rng.integers(1, 40))):
        node = int(rng.integers(7))
        flip(forms, bits, 0 if node < 3 else 2, node)
    assert_true_to(instance, forms, bits)


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=30)
def test_touched_are_exactly_those_whose_local_change_may_differ(seed, weighted):
    rng = np.random.default_rng(seed)
    forms, bits = loaded(mixture(rng, weighted_all_pairs=weighted, sizes=(8,)), rng.random(8) < 0.5)
    for node in rng.integers(0, 8, 20).tolist():
        before = bits.field.copy()
        flip(forms, bits, 0, node)
        touched = bits.touched[: bits.num_touched[0]].tolist()
        assert len(set(touched)) == len(touched)
        assert node not in touched
        assert set(np.flatnonzero(np.any(bits.field != before, axis=1))) <= set(touched)


def test_local_and_range_changes_add_up():
    rng = np.random.default_rng(0)
    forms, bits = loaded(mixture(rng, weighted_all_pairs=True), rng.random(7) < 0.5)
    for reading in (ENERGY, VIOLATION):
        both = local_change(forms, bits, 2, 5, reading) + range_change(forms, bits, 2, 5, reading)
        assert change(forms, bits, 2, 5, reading) == both


@kernel
def many_flips(forms, bits, graph, nodes):
    for k in range(len(nodes)):
        flip(forms, bits, graph, nodes[k])


@pytest.mark.parametrize("kind", ["pairs", "all pairs but some", "cover", "range"])
def test_fields_do_not_drift_in_a_million_flips(kind):
    rng = np.random.default_rng(0)
    term = random_term(kind, rng, sizes=(9,))
    instance = Instance(term.node_ptr, (term,))
    forms, bits = loaded(instance, np.zeros(9, bool))
    many_flips(forms, bits, 0, rng.integers(0, 9, 10**6))
    assert bits.flips[0] == 10**6
    assert bits.value[0, ENERGY] == pytest.approx(instance.energy().value(bits.chosen)[0], abs=1e-10)
    assert_true_to(instance, forms, bits)
