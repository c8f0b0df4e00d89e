import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco.bounds.frustration import frustration_of, pack_cycles
from annealco.bounds.spins import Spins
from tests.bounds.references import least_coupling, random_graph, sets_of


def as_spins(graph, coupling):
    kept = coupling != 0
    return Spins(graph.num_nodes, graph.edges[:, kept], coupling[kept], 0.0, 0.0)


def pack(spins, reach=1000):
    couplings = frustration_of(spins)
    parts = []
    while couplings.position[0] < spins.num_spins:
        parts.append(pack_cycles(couplings, 3, reach))
    cycles = [cycle for part in parts for cycle in sets_of(part.start, part.pair)]
    return couplings, cycles, np.concatenate([np.zeros(0), *(part.price for part in parts)])


def is_frustrated(spins, cycle):
    """Whether couplings form a closed walk with an odd number of them wanting to differ."""
    ends = spins.pairs[:, cycle].ravel()
    degrees = np.bincount(ends, minlength=spins.num_spins)
    return np.all(degrees % 2 == 0) and np.count_nonzero(spins.coupling[cycle] > 0) % 2 == 1


@given(st.integers(0, 10_000), st.integers(3, 9), st.floats(0.3, 1.0))
@settings(max_examples=60)
def test_cycles_are_frustrated_and_share_no_strength(seed, size, density):
    graph = random_graph(seed, size, density)
    spins = as_spins(graph, np.random.default_rng(seed).integers(-4, 5, graph.num_edges).astype(float))
    couplings, cycles, price = pack(spins)
    used = np.zeros(len(spins.coupling))
    for cycle, paid in zip(cycles, price, strict=True):
        assert is_frustrated(spins, cycle)
        used[cycle] += paid
    assert np.array_equal(used, np.abs(spins.coupling) - couplings.strength)
    assert (price > 0).all()
    assert (couplings.strength >= 0).all()
    if len(spins.coupling):
        assert -np.abs(spins.coupling).sum() + 2 * price.sum() <= least_coupling(spins)


def test_a_graph_without_frustration_has_no_cycles():
    graph = random_graph(1, 12, 0.6)
    side = np.random.default_rng(0).integers(0, 2, 12)
    agree = side[graph.edges[0]] == side[graph.edges[1]]
    _, cycles, _ = pack(as_spins(graph, np.where(agree, -1.0, 1.0)))
    assert cycles == []


@pytest.mark.parametrize("size", [3, 5, 7])
def test_an_odd_cycle_loses_one_coupling(size):
    ring = np.stack([np.arange(size), (np.arange(size) + 1) % size])
    _, cycles, price = pack(Spins(size, ring, np.full(size, 2.0), 0.0, 0.0))
    assert [sorted(cycle) for cycle in cycles] == [list(range(size))]
    assert price.tolist() == [2.0]


def test_a_short_reach_misses_long_cycles():
    ring = np.stack([np.arange(9), (np.arange(9) + 1) % 9])
    assert pack(Spins(9, ring, np.ones(9), 0.0, 0.0), reach=6)[1] == []
