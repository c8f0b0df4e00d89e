from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from annealco.clock import Budget, Trace
from annealco.graph.generators import barabasi_albert, erdos_renyi, generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.annealing import RecombinationSearch
from annealco.search.cliques import CliqueSearch
from annealco.search.covering import CoveringSearch
from annealco.search.searches import Improver, choose_search
from annealco.search.tabu import AlternatingSearch
from tests.problems.brute_force import best_score
from tests.problems.sums import SUMS

MOVES = Budget(moves=2000)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mis", CoveringSearch),
        ("clique", CliqueSearch),
        ("mds", CoveringSearch),
        ("vertex_cover", CoveringSearch),
        ("cut", AlternatingSearch),
        ("max_cut", RecombinationSearch),
    ],
)
def test_the_terms_choose_the_search(name, kind):
    graph = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]])
    assert isinstance(choose_search(SUMS[name].declare(graph), np.zeros(5, bool), 0), kind)


def test_independent_sets_of_dense_graphs_are_searched_as_cliques():
    low, high = np.triu_indices(6, 1)
    kept = np.arange(15) >= 7
    dense = PROBLEMS["mis"].declare(Graph.from_edges(np.stack([low[kept], high[kept]]), 6))
    sparse = PROBLEMS["mis"].declare(Graph.from_edges(np.stack([low[~kept], high[~kept]]), 6))
    assert isinstance(choose_search(dense, np.zeros(6, bool), 0), CliqueSearch)
    assert isinstance(choose_search(sparse, np.zeros(6, bool), 0), CoveringSearch)


def test_cliques_that_no_exact_search_ends_are_searched_as_hitting_sets():
    graph = erdos_renyi(np.random.default_rng(0), num_nodes=500, edge_probability=0.8)
    assert isinstance(choose_search(PROBLEMS["clique"].declare(graph), np.zeros(500, bool), 0), CoveringSearch)


def test_restarts_share_what_they_begin_with():
    graph = generate("rb-small", count=1, seed=1)
    instance = PROBLEMS["mis"].declare(graph)
    with ThreadPoolExecutor(2) as pool:
        starts = [np.zeros(graph.num_nodes, bool)] * 4
        searches = list(pool.map(lambda seed: choose_search(instance, starts[seed], seed, seconds=60.0), range(4)))
    assert len({id(each.reduction.kernel) for each in searches}) == 1
    assert len({id(each.core) for each in searches}) == 4
    # What is not the same instance shares nothing: it may have other weights.
    other = choose_search(PROBLEMS["mis"].declare(graph), starts[0], 0)
    assert other.reduction.kernel is not searches[0].reduction.kernel


def test_cliques_of_large_sparse_graphs_are_searched_by_neighbourhoods():
    graph = barabasi_albert(np.random.default_rng(0), num_nodes=70_000)
    assert isinstance(choose_search(PROBLEMS["clique"].declare(graph), np.zeros(70_000, bool), 0), CliqueSearch)


@pytest.mark.parametrize("name", SUMS)
def test_what_is_returned_is_what_it_costs(name):
    for graph in small_graphs(np.random.default_rng(1), num_random=6):
        instance = SUMS[name].declare(graph)
        search = choose_search(instance, np.zeros(graph.num_nodes, bool), 0)
        _, assignment, cost = search.run(MOVES, -np.inf, Trace())
        sign = 1 if instance.sense == "min" else -1
        assert SUMS[name].score(graph, np.flatnonzero(assignment)) == pytest.approx(sign * cost)


def test_solved_means_optimal():
    solved = 0
    for name in ("mis", "clique", "mds", "vertex_cover"):
        for graph in small_graphs(np.random.default_rng(3), num_random=15):
            instance = SUMS[name].declare(graph)
            search = choose_search(instance, np.zeros(graph.num_nodes, bool), 0)
            if search.solved:
                solved += 1
                _, _, cost = search.run(Budget(moves=1), -np.inf, Trace())
                sign = 1 if instance.sense == "min" else -1
                assert sign * cost == pytest.approx(best_score(SUMS[name], graph))
    assert solved > 50


def test_a_search_goes_on_where_it_stopped():
    graph = generate("ba-small", count=1, seed=4)
    instance = PROBLEMS["mds"].declare(graph)
    whole, parts = (choose_search(instance, np.ones(graph.num_nodes, bool), 5) for _ in range(2))
    _, one, cost = whole.run(Budget(moves=3000), -np.inf, Trace())
    for moves in (100, 900, 2000):
        _, two, other = parts.run(Budget(moves=moves), -np.inf, Trace())
    assert cost == other
    assert np.array_equal(one, two)


def test_the_target_ends_the_search():
    graph = generate("rb-small", count=1, seed=4)
    planted = float(graph.graph_data["planted_size"][0])
    search = choose_search(PROBLEMS["mis"].declare(graph), np.zeros(graph.num_nodes, bool), 0)
    trace = Trace()
    _, _, cost = search.run(Budget(moves=10**7), -planted, trace)
    assert cost == -planted
    assert trace.points[-1][1] == -planted
    assert all(left[1] > right[1] for left, right in zip(trace.points, trace.points[1:], strict=False))


def improver(name="mds", seed=1):
    graph = generate("ba-small", count=1, seed=4)
    return graph, Improver(PROBLEMS[name].declare(graph), np.ones(graph.num_nodes, bool), seed=seed)


def test_an_improver_begins_with_what_it_was_given():
    graph, search = improver()
    assert search.cost == graph.num_nodes
    assert search.assignment.all()
    assert search.method == "decoding"
    _, infeasible = improver("mis")
    assert infeasible.cost == np.inf


def test_it_improves_goes_on_and_counts():
    graph, search = improver()
    search.improve(Budget(moves=200))
    first = search.cost
    search.improve(Budget(moves=3000))
    assert search.cost <= first < graph.num_nodes
    assert search.moves == 3200
    assert PROBLEMS["mds"].score(graph, np.flatnonzero(search.assignment)) == search.cost
    assert [cost for _, cost in search.trace.points] == sorted((c for _, c in search.trace.points), reverse=True)
    assert search.trace.points[-1][1] == search.cost
    assert search.method == "covering search"


def test_it_never_gets_worse():
    graph, search = improver("mis")
    search.improve(Budget(moves=20_000))
    best = search.assignment
    again = Improver(PROBLEMS["mis"].declare(graph), best, seed=9)
    again.improve(Budget(moves=1))
    assert again.cost <= search.cost


@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_seed_gives_the_same_result(seed):
    (_, one), (_, two) = improver(seed=seed), improver(seed=seed)
    one.improve(Budget(moves=1000))
    two.improve(Budget(moves=1000))
    assert np.array_equal(one.assignment, two.assignment)
