"""Running sums against sums over all pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco.energy import AllPairs, Constraint, Instance
from annealco.search.all_pairs_sums import add_to_sums, all_pairs_charge, clear_sums, empty_sums
from annealco.search.forms import ENERGY, VIOLATION, compile_forms


@given(seed=st.integers(0, 10**6), equal=st.booleans())
@settings(max_examples=40)
def test_charges_are_sums_of_minima(seed, equal):
    rng = np.random.default_rng(seed)
    ptr = np.array([0, 5, 5, int(rng.integers(6, 40))])
    weight = np.ones(ptr[-1]) if equal else np.round(rng.uniform(0, 3, ptr[-1]), 1)
    penalty = rng.uniform(0, 2, ptr[-1])
    forms = compile_forms(Instance(ptr, (), (Constraint(AllPairs(ptr, weight), penalty),)))
    sums, p = empty_sums(forms), np.zeros(ptr[-1])
    for node in rng.integers(0, ptr[-1], 60).tolist():
        amount = float(rng.normal())
        p[node] += amount
        add_to_sums(forms, sums, 0 if node < 5 else 2, node, amount)
    for graph in (0, 2):
        own = slice(ptr[graph], ptr[graph + 1])
        for node in range(ptr[graph], ptr[graph + 1]):
            for reading, c in ((ENERGY, weight * penalty), (VIOLATION, weight)):
                plain = np.minimum(c[node], c[own]) @ p[own]
                assert all_pairs_charge(forms, sums, graph, node, reading) == pytest.approx(plain, abs=1e-9)


def test_clearing_one_graph_leaves_the_others():
    ptr = np.array([0, 2, 4])
    forms = compile_forms(Instance(ptr, (AllPairs(ptr, np.array([1.0, 2.0, 3.0, 4.0])),)))
    sums = empty_sums(forms)
    for node in range(4):
        add_to_sums(forms, sums, node // 2, node, 1.0)
    clear_sums(forms, sums, 0)
    charges = [all_pairs_charge(forms, sums, node // 2, node, ENERGY) for node in range(4)]
    assert charges == [0.0, 0.0, 6.0, 7.0]
