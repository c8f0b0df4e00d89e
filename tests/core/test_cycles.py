"""Cycles of couplings that cannot all be satisfied: packings of them, and short ones."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco._core import SHORT_CYCLE, Clock, CycleSeparation, StopFlag, component_roots, pack_cycles
from annealco.bounds.semidefinite import Spins
from annealco.graph.generators import erdos_renyi
from annealco.graph.interop import to_networkx
from tests.bounds.references import least_coupling, random_graph, sets_of


def as_spins(graph, coupling):
    kept = coupling != 0
    return Spins(graph.num_nodes, graph.edges[:, kept], coupling[kept], 0.0, 0.0)


def pack(spins, reach=None, clock=None):
    start, pair, price = pack_cycles(spins.couplings, Clock() if clock is None else clock, reach)
    return sets_of(start, pair), price


def is_frustrated(spins, cycle):
    """Whether couplings form a closed walk with an odd number of them wanting to differ."""
    ends = spins.pairs[:, cycle].ravel()
    degrees = np.bincount(ends, minlength=spins.num_spins)
    return np.all(degrees % 2 == 0) and np.count_nonzero(spins.coupling[cycle] > 0) % 2 == 1


def can_be_satisfied(spins, left):
    """Whether spins satisfy all couplings with strength left: go round and look for a contradiction."""
    joined = nx.Graph()
    joined.add_nodes_from(range(spins.num_spins))
    for (u, v), strength in zip(spins.pairs.T.tolist(), left.tolist(), strict=True):
        if strength:
            joined.add_edge(u, v, sign=np.sign(strength))
    for part in nx.connected_components(joined):
        root = min(part)
        spin = {root: 1.0}
        for u, v in nx.bfs_edges(joined, root):
            spin[v] = -joined[u][v]["sign"] * spin[u]
        if any(sign * spin[u] * spin[v] > 0 for u, v, sign in joined.subgraph(part).edges(data="sign")):
            return False
    return True


@given(st.integers(0, 10_000), st.integers(3, 9), st.floats(0.3, 1.0))
@settings(max_examples=60)
def test_cycles_are_frustrated_share_no_strength_and_leave_none(seed, size, density):
    graph = random_graph(seed, size, density)
    spins = as_spins(graph, np.random.default_rng(seed).integers(-4, 5, graph.num_edges).astype(float))
    cycles, price = pack(spins)
    used = np.zeros(len(spins.coupling))
    for cycle, paid in zip(cycles, price, strict=True):
        assert is_frustrated(spins, cycle)
        used[cycle] += paid
    assert (price > 0).all()
    assert (used <= np.abs(spins.coupling)).all()
    assert can_be_satisfied(spins, np.sign(spins.coupling) * (np.abs(spins.coupling) - used))
    if len(spins.coupling):
        assert -np.abs(spins.coupling).sum() + 2 * price.sum() <= least_coupling(spins)


def test_a_graph_without_frustration_has_no_cycles():
    graph = random_graph(1, 12, 0.6)
    side = np.random.default_rng(0).integers(0, 2, 12)
    agree = side[graph.edges[0]] == side[graph.edges[1]]
    cycles, _ = pack(as_spins(graph, np.where(agree, -1.0, 1.0)))
    assert cycles == []


@pytest.mark.parametrize("size", [3, 5, 7, 101])
def test_an_odd_cycle_loses_one_coupling(size):
    ring = np.stack([np.arange(size), (np.arange(size) + 1) % size])
    cycles, price = pack(Spins(size, ring, np.full(size, 2.0), 0.0, 0.0))
    assert [sorted(cycle) for cycle in cycles] == [list(range(size))]
    assert price.tolist() == [2.0]


def test_a_short_reach_misses_long_cycles():
    ring = np.stack([np.arange(9), (np.arange(9) + 1) % 9])
    assert pack(Spins(9, ring, np.ones(9), 0.0, 0.0), reach=6)[0] == []


def test_no_time_packs_no_cycles():
    ring = Spins(3, np.array([[0, 1, 0], [1, 2, 2]]), np.ones(3), 0.0, 0.0)
    assert pack(ring, clock=Clock(seconds=0.0))[0] == []


def all_cycles(graph):
    number = {tuple(edge): place for place, edge in enumerate(graph.edges.T.tolist())}
    for nodes in nx.simple_cycles(to_networkx(graph)):
        yield [number[tuple(sorted(pair))] for pair in zip(nodes, nodes[1:] + nodes[:1], strict=True)]


def separate(edges, size, differ, length, roots=None, clock=None, most=10**6):
    spins = Spins(size, edges, np.where(differ, 1.0, -1.0), 0.0, 0.0)
    roots = np.arange(size, dtype=np.int32) if roots is None else np.array(roots, np.int32)
    found = CycleSeparation(spins.couplings).find(length, roots, most, Clock() if clock is None else clock)
    return sets_of(*found)


@given(st.integers(0, 10_000), st.integers(3, 7), st.floats(0.3, 1.0))
@settings(max_examples=60)
def test_a_short_cycle_is_found_exactly_where_there_is_one(seed, size, density):
    graph, rng = random_graph(seed, size, density), np.random.default_rng(seed)
    differ = rng.random(graph.num_edges) < 0.5
    # Zeros, as solutions of linear programs have many.
    length = np.maximum(rng.uniform(-0.1, 0.6, graph.num_edges), 0.0)
    found = separate(graph.edges, size, differ, length)
    for cycle in found:
        assert len(set(cycle)) == len(cycle)
        assert np.count_nonzero(differ[cycle]) % 2 == 1
        assert np.all(np.bincount(graph.edges[:, cycle].ravel(), minlength=size) % 2 == 0)
        assert length[cycle].sum() < 1
    exists = any(
        np.count_nonzero(differ[cycle]) % 2 == 1 and length[cycle].sum() < SHORT_CYCLE - 1e-9
        for cycle in all_cycles(graph)
    )
    assert bool(found) >= exists


def shortest_walk(graph, differ, length, root):
    """The length of the shortest walk from a root to itself at the other parity, by networkx."""
    doubled = nx.Graph()
    for (u, v), turns, far in zip(graph.edges.T.tolist(), differ.tolist(), length.tolist(), strict=True):
        for parity in (0, 1):
            doubled.add_edge((u, parity), (v, parity ^ turns), weight=far)
    try:
        return nx.dijkstra_path_length(doubled, (root, 0), (root, 1))
    except (nx.NetworkXNoPath, nx.NodeNotFound):
        return np.inf


@pytest.mark.parametrize("seed", range(4))
def test_the_way_and_its_mirror_image_meet_at_the_shortest_walk(seed):
    rng = np.random.default_rng(seed)
    graph = erdos_renyi(rng, num_nodes=60, edge_probability=0.08)
    differ, length = rng.random(graph.num_edges) < 0.3, rng.uniform(0, 0.25, graph.num_edges)
    for root in range(60):
        expected = shortest_walk(graph, differ, length, root)
        found = separate(graph.edges, 60, differ, length, roots=[root])
        assert len(found) == (expected < SHORT_CYCLE)
        # What the walk passes twice is left out.
        assert all(length[cycle].sum() <= expected + 1e-9 for cycle in found)


def test_a_walk_that_goes_back_on_itself_leaves_only_its_cycle():
    edges = np.array([[0, 1, 1, 2], [1, 2, 3, 3]])
    found = separate(edges, 4, np.ones(4, dtype=bool), np.full(4, 0.1), roots=[0])
    assert [sorted(cycle) for cycle in found] == [[1, 2, 3]]


def test_cycles_end_with_their_members_or_the_time():
    graph = random_graph(0, 12, 1.0)
    differ, length = np.ones(graph.num_edges, bool), np.full(graph.num_edges, 0.1)
    assert len(separate(graph.edges, 12, differ, length)) > 1
    assert len(separate(graph.edges, 12, differ, length, most=1)) == 1
    assert separate(graph.edges, 12, differ, length, clock=Clock(seconds=0.0)) == []


def test_arguments_of_a_separation_are_checked():
    ring = Spins(3, np.array([[0, 1, 0], [1, 2, 2]]), np.ones(3), 0.0, 0.0)
    separation, roots = CycleSeparation(ring.couplings), np.zeros(1, np.int32)
    for length in (np.ones(2), np.array([1.0, -1.0, 0.0]), np.array([1.0, np.nan, 0.0])):
        with pytest.raises(ValueError, match="lengths"):
            separation.find(length, roots, 10, Clock())
    with pytest.raises(ValueError, match="roots"):
        separation.find(np.ones(3), np.array([3], np.int32), 10, Clock())


@pytest.mark.parametrize("density", [0.0, 0.05, 0.3])
def test_components_are_those_of_networkx(density):
    graph = random_graph(3, 40, density)
    roots = component_roots(as_spins(graph, np.ones(graph.num_edges)).couplings, Clock())
    for part in nx.connected_components(to_networkx(graph)):
        assert {int(roots[node]) for node in part} == {min(part)}


def test_components_are_not_told_without_time():
    stop = StopFlag()
    stop.set()
    graph = random_graph(0, 5, 1.0)
    assert component_roots(as_spins(graph, np.ones(graph.num_edges)).couplings, Clock(stop=stop)) is None
