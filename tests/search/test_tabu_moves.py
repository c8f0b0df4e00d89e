import numpy as np
import pytest

from annealco.graph.generators import generate
from annealco.problems import PROBLEMS
from annealco.search.tabu import TabuSearch
from annealco.search.tabu_moves import choose, make_flip


@pytest.mark.parametrize("seed", range(4))
def test_the_first_move_is_the_cheapest_flip(seed):
    graph = generate("er-small", count=1, seed=seed)
    instance = PROBLEMS["max_cut"].declare(graph)
    search = TabuSearch(instance, np.random.default_rng(seed).random(graph.num_nodes) < 0.5, seed)
    energy = instance.energy()
    for _ in range(30):
        bits = search.state.bits.chosen.copy()
        flipped = np.tile(bits, (graph.num_nodes, 1))
        flipped[np.arange(graph.num_nodes), np.arange(graph.num_nodes)] ^= True
        changes = energy.value(flipped)[:, 0] - energy.value(bits)[0]
        node = choose(search.forms, search.state)
        assert changes[node] == pytest.approx(changes.min())
        make_flip(search.forms, search.state, node)
        assert search.state.bits.chosen[node] != bits[node]


@pytest.mark.parametrize("seed", range(3))
def test_where_a_range_binds_nodes_are_exchanged(seed):
    graph = generate("er-small", count=1, seed=seed)
    lower, widest = int(graph.degree.sum()) // 3, int(graph.degree.max())
    instance = PROBLEMS["cut"].with_options(volume=(lower, lower + widest)).declare(graph)
    search = TabuSearch(instance, np.zeros(graph.num_nodes, bool), seed)
    start = search.state.bits.chosen.copy()
    first = float(search.incumbent.cost[0])
    search.advance(1500)
    best, cost = search.best()
    assert cost < first
    assert np.any(best & ~start)
    assert np.any(start & ~best)
    assert instance.violations(best)[0] == 0
