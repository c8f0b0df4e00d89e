"""The two readings against the compiled terms."""

import gc
import weakref

import numpy as np
import pytest

from annealco.energy import AllPairs, Constraint, Instance, Linear, Pairs
from annealco.energy.compiled import compile_terms
from annealco.graph.segments import segment_sum
from annealco.search.forms import ENERGY, SHARED, VIOLATION, compile_forms, core_terms
from tests.problems.sums import SUMS
from tests.search.instances import declared, mixture, violation


def dense(forms, reading, size):
    """The matrix of pair coefficients."""
    matrix = np.zeros((size, size))
    values = np.resize(forms.pair if reading == ENERGY else forms.pair_violation, len(forms.pair_index))
    for node in range(size):
        for k in range(forms.pair_ptr[node], forms.pair_ptr[node + 1]):
            matrix[node, forms.pair_index[k]] += values[k]
    return matrix + every_pair(forms.all_pairs[:, reading], forms.node_ptr)


def every_pair(coefficient, node_ptr):
    """The couplings of an `AllPairs` term without exclusions, 0 where there is none."""
    size = int(node_ptr[-1])
    if not len(coefficient):
        return np.zeros((size, size))
    owner = np.repeat(np.arange(len(node_ptr) - 1), np.diff(node_ptr))
    joined = (owner[:, None] == owner) & ~np.eye(size, dtype=bool)
    return np.where(joined, np.minimum(coefficient[:, None], coefficient), 0.0)


def dense_terms(flat, size):
    matrix = np.zeros((size, size))
    for node in range(size):
        own = slice(flat.pair_ptr[node], flat.pair_ptr[node + 1])
        np.add.at(matrix[node], flat.pair_index[own], np.resize(flat.pair_value, len(flat.pair_index))[own])
    return matrix + every_pair(flat.all_pairs, flat.node_ptr)


OTHERS = [name for name in SUMS if name != "vertex_cover"]


def test_sets_of_two_are_written_as_pairs():
    graph, instance = declared("vertex_cover", num_random=5)
    forms = compile_forms(instance, 2.0)
    assert len(forms.cover) == 0
    assert len(forms.pair_index) == 2 * graph.num_edges
    rng = np.random.default_rng(0)
    for _ in range(20):
        bits = rng.random(instance.num_nodes) < 0.5
        for reading, energy in ((ENERGY, instance.energy(2.0)), (VIOLATION, violation(instance))):
            pairs = bits @ dense(forms, reading, instance.num_nodes) * bits / 2
            each = forms.linear[:, reading] * bits + pairs
            found = forms.constant[:, reading] + segment_sum(each, instance.node_ptr)
            assert np.allclose(found, energy.value(bits))


@pytest.mark.parametrize("name", [*OTHERS, "mixture 0", "mixture 1", "mixture 2"])
def test_both_readings_hold_the_coefficients_of_their_terms(name):
    seed = int(name[-1]) if name.startswith("mixture") else 0
    instance = (
        mixture(np.random.default_rng(seed), weighted_all_pairs=bool(seed % 2))
        if name.startswith("mixture")
        else declared(name, num_random=5)[1]
    )
    forms = compile_forms(instance, 2.0)
    for reading, energy in ((ENERGY, instance.energy(2.0)), (VIOLATION, violation(instance))):
        flat = compile_terms(energy.terms, instance.node_ptr)
        assert np.allclose(forms.linear[:, reading], flat.linear)
        assert np.allclose(dense(forms, reading, instance.num_nodes), dense_terms(flat, instance.num_nodes))
        assert not forms.constant.any()
        covers = np.resize(forms.cover[:, reading], len(forms.cover_ptr) - 1)
        assert covers.sum() == pytest.approx(flat.cover_value.sum())
        assert forms.range[..., reading].sum() == pytest.approx(flat.range_value.sum())


def test_structure_is_that_of_the_compiled_energy():
    instance = mixture(np.random.default_rng(0), weighted_all_pairs=True)
    terms = [getattr(term, "short_list", None) or term for term in instance.energy().terms]
    forms, flat = compile_forms(instance), compile_terms(tuple(terms), instance.node_ptr)
    for name in SHARED:
        assert np.array_equal(getattr(forms, name), getattr(flat, name)), name


def test_places_are_ranks_and_uniform_graphs_are_found():
    ptr = np.array([0, 3, 3, 5])
    forms = compile_forms(Instance(ptr, (AllPairs(ptr, np.array([1.0, 3.0, 2.0, 7.0, 7.0])),)))
    assert forms.place[:, ENERGY].tolist()[:3] == [2, 0, 1]
    assert forms.uniform[:, ENERGY].tolist() == [False, True, True]
    assert forms.uniform[:, VIOLATION].all()  # An objective has no violations.


def test_tolerance_and_unit_come_from_the_coefficients_of_a_graph():
    ptr = np.array([0, 2, 4])
    pairs = Pairs(ptr, np.array([[0, 2], [1, 3]]), np.array([8.0, 0.0]))
    terms = core_terms(Instance(ptr, (Linear(ptr, np.array([-2.0, 0.0, 0.0, 0.0])), pairs)))
    assert terms.unit.tolist() == [2.0, 1.0]
    assert terms.tolerance.tolist() == pytest.approx([8e-9, 8e-9, 0.0, 0.0])


def test_pairs_listed_twice_are_merged_in_both_readings():
    ptr, pair = np.array([0, 2]), np.array([[0, 0], [1, 1]])
    twice = Constraint(Pairs(ptr, pair, np.ones(2)), np.array([3.0, 4.0]))
    forms = compile_forms(Instance(ptr, (), (twice,)))
    assert (forms.pair.tolist(), forms.pair_violation.tolist()) == ([7.0], [2.0])


def test_terms_are_kept_while_the_instance_lives_and_no_longer():
    instance = declared("mis", num_random=1)[1]
    terms = core_terms(instance)
    assert core_terms(instance) is terms
    assert core_terms(instance, 2.0) is not terms
    kept = weakref.ref(instance)
    del instance, terms
    gc.collect()
    assert kept() is None
