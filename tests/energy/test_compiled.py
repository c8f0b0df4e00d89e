import gc
import weakref
from itertools import product

import numpy as np
import pytest
import torch

from annealco.arrays import segment_of, segment_sum
from annealco.energy import AllPairs, Constraint, Cover, Energy, Instance, Linear, Pairs, Range
from annealco.energy.compiled import ENERGY, SHARED, VIOLATION, compile_forms, compile_terms, core_terms
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems.small_graphs import small_graphs
from tests.energy.reference import KINDS, random_term
from tests.problems.sums import SUMS
from tests.search.instances import declared, mixture, violation


def plain_delta(flat, p, node):
    """Read the conditional difference off the flat arrays, as the module's docstring says."""
    graph = int(segment_of(flat.node_ptr, np.array([node]))[0])
    own = range(flat.node_ptr[graph], flat.node_ptr[graph + 1])
    total = flat.linear[node]
    for k in range(flat.pair_ptr[node], flat.pair_ptr[node + 1]):
        total += flat.pair_value[k % len(flat.pair_value)] * p[flat.pair_index[k]]
    if len(flat.all_pairs):
        total += sum(min(flat.all_pairs[node], flat.all_pairs[j]) * p[j] for j in own if j != node)
    for k in range(flat.cover_of_ptr[node], flat.cover_of_ptr[node + 1]):
        h = flat.cover_of[k]
        others = [j for j in flat.cover_members[flat.cover_ptr[h] : flat.cover_ptr[h + 1]] if j != node]
        total -= flat.cover_value[h] * np.prod([1 - p[j] for j in others])
    for r in range(len(flat.range_weight)):
        lower, upper, weight = flat.range_lower[r, graph], flat.range_upper[r, graph], flat.range_weight[r]
        volume = sum(weight[j] * p[j] for j in own if j != node)
        outside = [max(v - upper, 0) + max(lower - v, 0) for v in (volume, volume + weight[node])]
        total += flat.range_value[r, graph] * (outside[1] - outside[0])
    return total


@pytest.mark.parametrize("seed", range(3))
def test_delta_of_probabilities_is_the_field_of_the_energy(seed):
    rng = np.random.default_rng(seed)
    # Every kind but the range, whose expectation is not linear, twice where terms of one kind are merged.
    terms = tuple(
        random_term(kind, rng)
        for kind in ("linear", "linear", "pairs", "pairs", "cover", "cover", "all pairs but some")
    )
    flat = compile_terms(terms, terms[0].node_ptr)
    logits = torch.tensor(rng.normal(size=7))
    field = Energy(terms[0].node_ptr, terms).field(logits)
    p = torch.sigmoid(logits).numpy()
    assert [plain_delta(flat, p, node) for node in range(7)] == pytest.approx(field.tolist(), abs=1e-12)


@pytest.mark.parametrize("name", SUMS)
def test_delta_of_bits_is_the_change_of_the_energy(name):
    graphs = small_graphs(np.random.default_rng(0), num_random=8, max_nodes=5)
    batch = Graph.batch(graphs)
    energy = SUMS[name].declare(batch).energy()
    flat = compile_terms(energy.terms, energy.node_ptr)
    rng = np.random.default_rng(1)
    for _ in range(3):
        bits = rng.integers(0, 2, batch.num_nodes).astype(float)
        for node in range(batch.num_nodes):
            both = np.tile(bits, (2, 1))
            both[:, node] = 0, 1
            change = np.diff(energy.value(both).sum(axis=1))[0]
            assert plain_delta(flat, bits, node) == pytest.approx(change, abs=1e-9)


def test_order_of_all_pairs_descends_in_each_graph():
    term = AllPairs(np.array([0, 3, 5]), np.array([1.0, 3.0, 2.0, 5.0, 7.0]))
    assert compile_terms((term,), term.node_ptr).all_pairs_order.tolist() == [1, 2, 0, 4, 3]


def test_arrays_are_flat_contiguous_and_of_fixed_types():
    for terms in ((), tuple(random_term(kind, np.random.default_rng(0)) for kind in KINDS if kind != "all pairs")):
        flat = compile_terms(terms, np.array([0, 3, 3, 7]))
        for name, array in flat._asdict().items():
            expected = np.int64 if name.endswith("ptr") else np.int32 if array.dtype.kind == "i" else np.float64
            assert array.dtype == expected, name
            assert array.flags.c_contiguous, name
            assert array.flags.writeable, name


def test_several_ranges_are_kept_apart_and_two_all_pairs_refused():
    one, two = (random_term("range", np.random.default_rng(seed)) for seed in (0, 1))
    assert isinstance(one, Range)
    flat = compile_terms((one, two), one.node_ptr)
    assert flat.range_weight.tolist() == [one.weight.tolist(), two.weight.tolist()]
    every = random_term("all pairs", np.random.default_rng(0))
    with pytest.raises(InputError, match="one AllPairs term"):
        compile_terms((every, every), every.node_ptr)


def test_bits_and_members_agree():
    term = random_term("cover", np.random.default_rng(2))
    flat = compile_terms((term,), term.node_ptr)
    for bits in product((0, 1), repeat=7):
        hit = {
            int(h)
            for node in np.flatnonzero(bits)
            for h in flat.cover_of[flat.cover_of_ptr[node] : flat.cover_of_ptr[node + 1]]
        }
        missed = sum(price for h, price in enumerate(flat.cover_value) if h not in hit)
        assert missed == pytest.approx(term.value(np.array(bits)).sum())


def test_sets_stand_graph_by_graph_whatever_their_terms():
    ptr = np.array([0, 2, 2, 5])
    first = Cover(ptr, np.array([0, 2, 4]), np.array([3, 4, 0, 1]), np.array([5.0, 6.0]))
    second = Cover(ptr, np.array([0, 1]), np.array([1]), np.array([7.0]))
    flat = compile_terms((first, second), ptr)
    assert flat.cover_value.tolist() == [6.0, 7.0, 5.0]
    assert flat.cover_order.tolist() == [1, 2, 0]
    assert flat.graph_set_ptr.tolist() == [0, 2, 2, 3]
    assert flat.cover_members.tolist() == [0, 1, 1, 3, 4]
    assert flat.cover_ptr.tolist() == [0, 2, 3, 5]
    assert flat.cover_of.tolist() == [0, 0, 1, 2, 2]


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
        assert np.array_equal(
            forms.constant[:, reading], np.zeros(instance.num_graphs) if energy.constant is None else energy.constant
        )
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
