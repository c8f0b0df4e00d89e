import itertools

import numpy as np
import pytest

from annealco.baselines.greedy_growth import growth
from annealco.energy import Constraint, Instance, Linear, Range
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.search.beginning import begin_at
from annealco.search.flips import load_bits, new_bits
from annealco.search.forms import ENERGY, VIOLATION, compile_forms
from annealco.search.incumbent import new_incumbent, save_best
from annealco.search.sweep import new_sweeper, sweep, sweep_from_both_ends, sweep_from_end


def two_cliques(size: int = 5) -> Graph:
    """Return two cliques that one edge joins."""
    pairs = list(itertools.combinations(range(size), 2))
    return Graph.from_edges(np.array([*pairs, *((u + size, v + size) for u, v in pairs), (0, size)]).T, 2 * size)


def swept(instance: Instance, start: list[int], *, upward: bool) -> tuple[list[int], float]:
    forms = compile_forms(instance)
    chosen = np.zeros(instance.num_nodes, bool)
    chosen[start] = True
    bits, incumbent = new_bits(forms, chosen), new_incumbent(chosen, np.inf)
    load_bits(forms, bits, 0)
    sweep(forms, bits, incumbent, new_sweeper(instance.num_nodes), upward)
    value = bits.value[0].copy()
    load_bits(forms, bits, 0)
    assert value == pytest.approx(bits.value[0])
    save_best(incumbent, bits.chosen)
    if np.isfinite(incumbent.cost[0]):
        assert np.array_equal(incumbent.best, bits.chosen)
    return np.flatnonzero(bits.chosen).tolist(), float(incumbent.cost[0])


def test_a_sweep_crosses_what_single_flips_do_not():
    # A clique of five has volume 21 and cut 1; three of its nodes have volume 12 and cut 6, four cut 4.
    instance = PROBLEMS["cut"].declare(two_cliques(), volume=(8, 24), seed_node=1)
    assert swept(instance, [], upward=True) == ([0, 1, 2, 3, 4], 1.0)
    assert swept(instance, list(range(9)), upward=False) == ([0, 1, 2, 3, 4], 1.0)


def test_nothing_leaves_a_range_by_its_far_end():
    ptr = np.array([0, 4])
    weight = np.array([1.0, 2.0, 3.0, 0.0])
    box = Range(ptr, weight, np.array([2.0]), np.array([4.0]), np.ones(1))
    instance = Instance(ptr, (Linear(ptr, np.array([-1.0, -1.0, -9.0, -5.0])),), (Constraint(box, np.array([10.0])),))
    # Prices for the weight are -1, -1/2, -3: the third node, the first, and the second does not fit any more.
    assert swept(instance, [], upward=True) == ([0, 2], -10.0)
    assert swept(instance, [0, 1, 2], upward=False) == ([0, 2], -10.0)


def test_without_a_feasible_set_the_end_is_kept():
    ptr = np.array([0, 2])
    box = Range(ptr, np.array([2.0, 2.0]), np.array([3.0]), np.array([3.0]), np.ones(1))
    instance = Instance(ptr, (Linear(ptr, np.ones(2)),), (Constraint(box, np.array([10.0])),))
    assert swept(instance, [], upward=True) == ([0], np.inf)


@pytest.mark.parametrize("seed", range(5))
def test_sweeps_are_at_least_as_good_as_greedy_growth(seed):
    graph = generate("ba-small", count=1, seed=seed)
    node = int(np.argmin(graph.degree))
    instance = PROBLEMS["cut"].declare(graph, seed_node=node)
    forms, bits, incumbent = begin_at(instance, np.zeros(graph.num_nodes, bool))
    incumbent.cost[0] = np.inf
    sweep_from_end(forms, bits, incumbent, new_sweeper(graph.num_nodes), True)
    grown = instance.value(growth(instance, seed=0))[0]
    assert bits.value[0, ENERGY] == pytest.approx(grown)
    assert bits.value[0, VIOLATION] == 0
    sweep_from_both_ends(forms, bits, incumbent)
    assert incumbent.cost[0] <= grown
    assert instance.value(incumbent.best)[0] == pytest.approx(incumbent.cost[0])


def test_without_ranges_nothing_is_done():
    graph = generate("ba-small", count=1, seed=0)
    forms, bits, incumbent = begin_at(PROBLEMS["mds"].declare(graph), np.zeros(graph.num_nodes, bool))
    before = bits.chosen.copy()
    sweep_from_both_ends(forms, bits, incumbent)
    assert np.array_equal(bits.chosen, before)
