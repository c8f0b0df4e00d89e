"""Changes by flips against values of the terms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco._core import Assignment
from annealco.arrays import segment_of
from annealco.energy import Instance
from annealco.energy.compiled import core_terms
from tests.energy.reference import random_term
from tests.problems.sums import SUMS
from tests.search.instances import changes, declared, mixture, violation


def loaded(instance, assignment):
    return Assignment(core_terms(instance), assignment)


def assert_true_to(instance, bits):
    owner = segment_of(instance.node_ptr, np.arange(instance.num_nodes))
    chosen = bits.chosen.astype(bool)
    sign = np.where(chosen, -1, 1)
    found = np.array([bits.change(int(graph), node) for node, graph in enumerate(owner)])
    for reading, energy in enumerate((instance.energy(), violation(instance))):
        assert bits.values[:, reading] == pytest.approx(energy.value(chosen), abs=1e-9)
        assert found[:, reading] == pytest.approx(sign * changes(energy, chosen), abs=1e-9)


@pytest.mark.parametrize("name", SUMS)
def test_changes_of_problems_after_flips(name):
    batch, instance = declared(name, num_random=8)
    rng = np.random.default_rng(0)
    bits = loaded(instance, rng.random(batch.num_nodes) < 0.5)
    assert_true_to(instance, bits)
    for node in rng.integers(0, batch.num_nodes, 300):
        bits.flip(int(batch.graph_of_node[node]), int(node))
    assert_true_to(instance, bits)


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=30)
def test_changes_of_any_mixture_of_terms_after_flips(seed, weighted):
    rng = np.random.default_rng(seed)
    instance = mixture(rng, weighted_all_pairs=weighted)
    bits = loaded(instance, rng.random(7) < 0.5)
    for _ in range(int(rng.integers(1, 40))):
        node = int(rng.integers(7))
        bits.flip(0 if node < 3 else 2, node)
    assert_true_to(instance, bits)


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=30)
def test_touched_are_exactly_those_whose_local_change_may_differ(seed, weighted):
    rng = np.random.default_rng(seed)
    bits = loaded(mixture(rng, weighted_all_pairs=weighted, sizes=(8,)), rng.random(8) < 0.5)
    for node in rng.integers(0, 8, 20).tolist():
        before = bits.fields
        bits.flip(0, node)
        touched = bits.touched(0).tolist()
        assert len(set(touched)) == len(touched)
        assert node not in touched
        assert set(np.flatnonzero(np.any(bits.fields != before, axis=1))) <= set(touched)


@pytest.mark.parametrize("kind", ["pairs", "all pairs but some", "cover", "range"])
def test_fields_do_not_drift_in_many_flips(kind):
    rng = np.random.default_rng(0)
    term = random_term(kind, rng, sizes=(9,))
    instance = Instance(term.node_ptr, (term,))
    bits = loaded(instance, np.zeros(9, bool))
    for node in rng.integers(0, 9, 200_000).tolist():
        bits.flip(0, node)
    assert bits.values[0, 0] == pytest.approx(instance.energy().value(bits.chosen.astype(bool))[0], abs=1e-10)
    assert_true_to(instance, bits)


def test_wrong_input_is_refused():
    rng = np.random.default_rng(0)
    terms = core_terms(mixture(rng, weighted_all_pairs=True))
    with pytest.raises(ValueError, match="one bit per node"):
        Assignment(terms, np.zeros(6, bool))
    bits = Assignment(terms, np.zeros(7, bool))
    for graph, node in ((-1, 0), (3, 0), (0, 3), (0, -1), (1, 0)):
        with pytest.raises(ValueError, match="no such"):
            bits.flip(graph, node)
