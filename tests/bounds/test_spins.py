from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco.bounds.spins import spins_of
from annealco.bounds.structure import read_structure
from annealco.energy import Instance, Linear, Pairs
from annealco.problems import PROBLEMS
from tests.bounds.references import random_graph


@st.composite
def quadratics(draw):
    size = draw(st.integers(1, 5))
    pairs = draw(
        st.lists(
            st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)).filter(lambda p: p[0] != p[1]), max_size=8
        )
    )
    linear = draw(st.lists(st.integers(-8, 8), min_size=size, max_size=size))
    value = draw(st.lists(st.integers(-8, 8), min_size=len(pairs), max_size=len(pairs)))
    ptr = np.array([0, size])
    ends = np.array(pairs, np.int32).reshape(-1, 2).T
    return Instance(ptr, (Linear(ptr, np.array(linear, float)), Pairs(ptr, ends, np.array(value, float) / 2)))


@given(quadratics())
@settings(max_examples=80)
def test_spins_have_the_costs_of_bits(instance):
    spins, size = spins_of(read_structure(instance)), instance.num_nodes
    for bits in product((0, 1), repeat=size):
        s = np.array([2 * bit - 1 for bit in bits] + [1] * (spins.num_spins - size))
        cost = spins.constant + float((spins.coupling * s[spins.pairs[0]] * s[spins.pairs[1]]).sum())
        assert cost == instance.value(bits)[0]
        assert spins.satisfied <= cost
    assert spins.satisfied == spins.constant - np.abs(spins.coupling).sum()


@pytest.mark.parametrize("name", ["max_cut", "cut"])
@pytest.mark.parametrize("weights", [None, "integer", "real"])
def test_cuts_have_no_fields_in_spite_of_rounding(name, weights):
    for seed in range(5):
        graph = random_graph(seed, 9, 0.5, weights=weights)
        spins = spins_of(read_structure(PROBLEMS[name].declare(graph)))
        assert spins.num_spins == 9
        sign = 1 if name == "max_cut" else -1
        assert np.allclose(np.sort(spins.coupling), np.sort(sign * graph.edge_weight[graph.edge_weight != 0] / 2))


def test_a_cut_of_positive_weights_is_at_least_zero_exactly():
    graph = random_graph(3, 12, 0.5)
    graph = graph.with_weights(edge_weight=np.random.default_rng(0).random(graph.num_edges))
    assert spins_of(read_structure(PROBLEMS["cut"].declare(graph))).satisfied == 0.0
