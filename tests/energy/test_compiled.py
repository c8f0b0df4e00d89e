from itertools import product

import numpy as np
import pytest
import torch

from annealco.energy import AllPairs, Cover, Energy, Range
from annealco.energy.compiled import compile_terms
from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.segments import segment_of
from annealco.problems.small_graphs import small_graphs
from tests.energy.reference import KINDS, random_term
from tests.problems.sums import SUMS


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
