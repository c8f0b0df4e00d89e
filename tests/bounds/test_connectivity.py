from itertools import product

import numpy as np
import pytest

from annealco.bounds.connectivity import must_disagree
from annealco.bounds.spins import Spins
from annealco.energy import Range
from tests.bounds.references import random_graph


def box(weight, lower, upper):
    return Range(
        np.array([0, len(weight)]), np.asarray(weight, float), np.array([lower]), np.array([upper]), np.ones(1)
    )


@pytest.mark.parametrize("seed", range(40))
def test_it_tells_whether_a_union_of_components_is_in_the_range(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(seed, 9, 0.12)
    weight, chosen = rng.integers(0, 6, 9), np.flatnonzero(rng.random(9) < 0.15)
    lower = float(rng.integers(0, weight.sum() + 1))
    upper = lower + float(rng.integers(0, 3))
    agreeing = [
        bits
        for bits in product((0, 1), repeat=9)
        if all(bits[u] == bits[v] for u, v in graph.edges.T.tolist()) and all(bits[node] for node in chosen)
    ]
    possible = any(
        lower <= sum(w * b for w, b in zip(weight.tolist(), bits, strict=True)) <= upper for bits in agreeing
    )
    spins = Spins(9, graph.edges, np.full(graph.num_edges, -0.5), 0.0, 0.0)
    assert must_disagree(spins, box(weight, lower, upper), chosen) == (not possible)


def test_nothing_is_claimed_of_other_couplings_or_weights():
    edge, chosen = np.array([[0], [1]]), np.zeros(0, np.int64)
    assert not must_disagree(Spins(2, edge, np.array([0.5]), 0.0, 0.0), box([1, 1], 1.0, 1.0), chosen)
    assert not must_disagree(Spins(2, edge, np.array([-0.5]), 0.0, 0.0), box([0.5, 0.5], 0.5, 0.5), chosen)
    assert must_disagree(Spins(2, edge, np.array([-0.5]), 0.0, 0.0), box([1, 1], 1.0, 1.0), chosen)


def test_many_equal_components_are_no_trouble():
    spins = Spins(300_000, np.zeros((2, 0), np.int64), np.zeros(0), 0.0, 0.0)
    assert not must_disagree(spins, box(np.full(300_000, 2.0), 4001.0, 4002.0), np.zeros(0, np.int64))
    assert must_disagree(spins, box(np.full(300_000, 2.0), 4001.0, 4001.0), np.zeros(0, np.int64))
