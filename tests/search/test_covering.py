"""Hitting sets read off terms, and the search on what reductions leave of them."""

import math
import threading
from itertools import product

import numpy as np
import pytest

from annealco import _core
from annealco.clock import Budget, Trace
from annealco.energy import Constraint, Cover, Instance, Linear, Pairs
from annealco.energy.structure import structure_of
from annealco.graph.generators import erdos_renyi, generate
from annealco.graph.graph import Graph
from annealco.graph.operations import induced_subgraph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search import covering
from annealco.search.covering import CoveringSearch, as_hitting_set, reduced_sets
from annealco.search.protocol import usual_setup_seconds
from tests.problems.brute_force import best_score

COVERING = ["mis", "clique", "mds", "vertex_cover"]


def hits_all(problem, chosen):
    sets = [problem.members[a:b] for a, b in zip(problem.set_ptr, problem.set_ptr[1:], strict=False)]
    return all(any(chosen[i] for i in members) for members in sets)


def search_of(name: str, graph: Graph, start: np.ndarray, seed: int = 0) -> CoveringSearch:
    sets = as_hitting_set(PROBLEMS[name].declare(graph))
    assert sets is not None
    return CoveringSearch(sets, _core.reduce_sets(sets.core, _core.Clock()), start, seed)


def without_reductions(name: str, graph: Graph, start: np.ndarray, seed: int = 0) -> CoveringSearch:
    stop = _core.StopFlag()
    stop.set()
    sets = as_hitting_set(PROBLEMS[name].declare(graph))
    assert sets is not None
    return CoveringSearch(sets, _core.reduce_sets(sets.core, _core.Clock(stop=stop)), start, seed)


@pytest.mark.parametrize("name", COVERING)
def test_hitting_sets_are_the_feasible_sets_and_cost_the_same(name):
    for graph in small_graphs(np.random.default_rng(0), num_random=12, max_nodes=5):
        instance = PROBLEMS[name].declare(graph)
        problem = as_hitting_set(instance)
        offset = graph.node_weight.sum() if problem.inverted else 0.0
        for bits in product((0, 1), repeat=graph.num_nodes):
            chosen = [1 - bit for bit in bits] if problem.inverted else list(bits)
            feasible = instance.violations(bits)[0] == 0
            assert hits_all(problem, chosen) == feasible
            cost = sum(c * y for c, y in zip(problem.cost, chosen, strict=True))
            value = instance.value(bits)[0]
            assert cost == pytest.approx(offset - value if problem.inverted else value)


@pytest.mark.parametrize("name", COVERING)
def test_sets_of_each_variable_and_partners_mirror_the_members(name):
    graph = Graph.from_edges([[0, 0, 1, 2, 2], [1, 2, 2, 3, 4]], num_nodes=6)
    problem = as_hitting_set(PROBLEMS[name].declare(graph))
    only_pairs = bool(np.all(np.diff(problem.set_ptr) == 2))
    for variable in range(6):
        start, stop = problem.variable_ptr[variable], problem.variable_ptr[variable + 1]
        for k in range(start, stop):
            each = problem.sets[k]
            members = problem.members[problem.set_ptr[each] : problem.set_ptr[each + 1]].tolist()
            assert variable in members
            if only_pairs:
                assert problem.partner[k] == sum(members) - variable
    assert len(problem.sets) == len(problem.members)
    assert len(problem.partner) == (len(problem.members) if only_pairs else 0)


@pytest.mark.parametrize("name", ["cut", "max_cut"])
def test_other_problems_are_none(name):
    assert as_hitting_set(PROBLEMS[name].declare(Graph.from_edges([[0], [1]]))) is None


def test_mixed_constraints_and_mixed_signs_are_none():
    ptr = np.array([0, 2])
    pair = Constraint(Pairs(ptr, np.array([[0], [1]]), np.ones(1)), np.ones(1))
    cover = Constraint(Cover(ptr, np.array([0, 2]), np.array([0, 1]), np.ones(1)), np.ones(1))
    assert as_hitting_set(Instance(ptr, (Linear(ptr, -np.ones(2)),), (pair, cover))) is None
    assert as_hitting_set(Instance(ptr, (Linear(ptr, np.array([1.0, -1.0])),), (cover,))) is None
    assert as_hitting_set(Instance(ptr, (Linear(ptr, np.ones(2)),), (pair,))) is None
    assert as_hitting_set(Instance(ptr, (Linear(ptr, np.ones(2)),), ())) is None


def test_pairs_of_a_large_sparse_graph_are_not_listed(monkeypatch):
    graph = Graph.from_edges([[0], [1]], num_nodes=100_000)
    assert as_hitting_set(PROBLEMS["clique"].declare(graph)) is None
    monkeypatch.setattr(covering, "MAX_LISTED_PAIRS", 2)
    assert as_hitting_set(PROBLEMS["clique"].declare(Graph.from_edges([[0], [1]], num_nodes=3))) is not None
    assert as_hitting_set(PROBLEMS["clique"].declare(Graph.from_edges([[0], [1]], num_nodes=4))) is None


@pytest.mark.parametrize("name", COVERING)
def test_small_graphs_are_solved_without_reductions(name):
    for graph in small_graphs(np.random.default_rng(4), num_random=40, max_nodes=7):
        search = without_reductions(name, graph, np.zeros(graph.num_nodes, bool))
        _, bits, _ = search.run(Budget(moves=500), -math.inf, Trace())
        score = PROBLEMS[name].score(graph, np.flatnonzero(bits))
        assert score == pytest.approx(best_score(PROBLEMS[name], graph))


def test_planted_independent_sets_are_found():
    for graph in generate("rb-small", count=10, seed=11):
        planted = float(graph.graph_data["planted_size"][0])
        search = search_of("mis", graph, np.zeros(graph.num_nodes, bool))
        moves, _, cost = search.run(Budget(moves=200_000), -planted, Trace())
        assert cost == -planted
        assert moves < 200_000


def two_cliques(small: int, large: int) -> Graph:
    """Return two cliques of which every node has one neighbour in the other."""
    rows = [(a, b) for size, base in ((small, 0), (large, small)) for a in range(base, base + size) for b in range(a)]
    inside = [(b, a) for a, b in rows if b >= (small if a >= small else 0)]
    across = [(node, small + node) for node in range(small)]
    return Graph.from_edges(np.array(inside + across).T, small + large)


@pytest.mark.parametrize("seed", range(5))
def test_scouts_find_a_larger_clique_far_away(seed):
    search = search_of("clique", two_cliques(28, 39), np.arange(67) < 28, seed)
    # The search itself stays at the smaller clique until the first scout.
    assert search.run(Budget(moves=15 * 67), -math.inf, Trace())[2] == -28.0
    assert search.core.num_scouts == 0
    _, best, cost = search.run(Budget(moves=20_000), -math.inf, Trace())
    assert cost == -39.0
    assert np.flatnonzero(best).tolist() == list(range(28, 67))
    assert search.core.num_scouts > 0


def test_scouts_become_rare():
    # Larger than what reductions solve.
    graph = erdos_renyi(np.random.default_rng(0), num_nodes=70, edge_probability=0.5)
    search = search_of("clique", graph, np.zeros(70, bool))
    search.run(Budget(moves=20_000), -math.inf, Trace())
    first = search.core.num_scouts
    search.run(Budget(moves=20_000), -math.inf, Trace())
    assert 5 <= first < 15
    assert search.core.num_scouts - first <= 4


def test_a_target_ends_the_search_of_a_scout_too():
    search = search_of("clique", two_cliques(28, 39), np.arange(67) < 28)
    moves, _, cost = search.run(Budget(moves=10**7), -39.0, Trace())
    assert cost == -39.0
    assert moves < 10**6


def test_what_reductions_solve_needs_no_search():
    search = search_of("clique", Graph.from_edges(np.array([[0, 0, 1], [1, 2, 2]]), 3), np.zeros(3, bool))
    assert search.solved
    assert search.run(Budget(moves=10), -math.inf, Trace())[2] == -3.0


def test_a_trace_counts_from_its_own_start():
    graph = generate("rb-small", count=1, seed=4)
    trace = Trace()
    search = search_of("mis", graph, np.zeros(graph.num_nodes, bool))
    for _ in range(3):
        cost = search.run(Budget(moves=500), -math.inf, trace)[2]
    seconds, costs = zip(*trace.points, strict=True)
    assert list(seconds) == sorted(seconds)
    assert list(costs) == sorted(costs, reverse=True)
    assert costs[-1] == cost


def optimum(problem):
    """The least cost over all choices, and a choice that has it."""
    choices = [np.array(bits, dtype=bool) for bits in product((0, 1), repeat=len(problem.cost))]
    hitting = [bits for bits in choices if hits_all(problem, bits)]
    return min(((float(problem.cost @ bits), bits) for bits in hitting), key=lambda pair: pair[0])


def core_problem(name, graph):
    sets = as_hitting_set(PROBLEMS[name].declare(graph))
    assert sets is not None
    return sets.core


def reduced(problem, **limits):
    return _core.reduce_sets(problem, _core.Clock(**limits))


@pytest.mark.parametrize("name", COVERING)
def test_an_optimum_of_the_kernel_lifts_to_an_optimum(name):
    for graph in small_graphs(np.random.default_rng(1), num_random=40, max_nodes=7):
        problem = core_problem(name, graph)
        reduction = reduced(problem)
        lifted = reduction.lift(optimum(reduction.kernel)[1])
        assert hits_all(problem, lifted)
        assert problem.cost @ lifted == pytest.approx(optimum(problem)[0])


@pytest.mark.parametrize("name", ["mis", "mds", "vertex_cover"])
def test_trees_vanish(name):
    rng = np.random.default_rng(3)
    parents = [int(rng.integers(0, child)) for child in range(1, 200)]
    tree = Graph.from_edges([parents, range(1, 200)])
    assert len(reduced(core_problem(name, tree)).left) == 0


PETERSEN = [[0, 1, 2, 3, 0, 0, 1, 2, 3, 4, 5, 5, 6, 6, 7], [1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 7, 8, 8, 9, 9]]


def test_hard_graphs_stay_whole():
    # Branch and bound takes whole numbers only.
    problem = core_problem("mis", Graph.from_edges(PETERSEN, node_weight=np.full(10, 1.5)))
    reduction = reduced(problem)
    assert reduction.left.tolist() == list(range(10))
    assert reduction.kernel is problem


def test_small_components_are_solved():
    copies = np.hstack([np.array(PETERSEN) + 10 * i for i in range(20)])
    problem = core_problem("mis", Graph.from_edges(copies))
    reduction = reduced(problem)
    assert len(reduction.left) == 0
    # The largest independent sets of the Petersen graph have 4 nodes.
    assert reduction.offset == 20 * 6
    lifted = reduction.lift(np.zeros(0, bool))
    assert hits_all(problem, lifted)
    assert lifted.sum() == 20 * 6


def test_kernels_of_weights_that_are_no_whole_numbers_keep_an_optimum():
    rng = np.random.default_rng(5)
    for _ in range(40):
        edges = np.array([(i, j) for i in range(12) for j in range(i) if rng.random() < 0.25]).reshape(-1, 2)
        problem = core_problem("mis", Graph.from_edges(edges.T, 12, node_weight=rng.integers(1, 6, 12) + 0.5))
        reduction = reduced(problem)
        lifted = reduction.lift(optimum(reduction.kernel)[1])
        assert hits_all(problem, lifted)
        assert problem.cost @ lifted == pytest.approx(optimum(problem)[0])


def test_a_stop_leaves_the_problem_as_it_is():
    stop = _core.StopFlag()
    stop.set()
    problem = core_problem("mis", Graph.from_edges([[0, 0, 1, 1, 2], [1, 2, 3, 4, 5]]))
    untouched = reduced(problem, stop=stop)
    assert untouched.kernel is problem
    assert np.array_equal(untouched.left, np.arange(6))
    assert untouched.offset == 0
    assert len(reduced(problem).left) == 0


def test_reductions_can_be_cut_off_anywhere_without_losing_an_optimum():
    rng = np.random.default_rng(3)
    for name in ("mis", "mds"):
        graph = generate("er-small", count=1, seed=3)[0]
        small = induced_subgraph(graph, rng.choice(graph.num_nodes, 11, replace=False))
        problem = core_problem(name, small)
        best = optimum(problem)[0]
        for seconds in (0.0, 1e-6, 1e-5, 1e-4):
            reduction = reduced(problem, seconds=seconds)
            assert optimum(reduction.kernel)[0] + reduction.offset == pytest.approx(best)


def test_an_instance_is_reduced_once_whoever_asks():
    graph = generate("rb-small", count=1, seed=1)
    instance = PROBLEMS["mis"].declare(graph)
    found = []
    threads = [threading.Thread(target=lambda: found.append(reduced_sets(instance))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len({id(each) for each in found}) == 1
    # What is not the same instance shares nothing: it may have other weights.
    assert reduced_sets(PROBLEMS["mis"].declare(graph)) is not found[0]
    assert reduced_sets(PROBLEMS["max_cut"].declare(graph)) is None


@pytest.mark.parametrize(
    ("name", "is_pairs"), [("mis", True), ("vertex_cover", True), ("clique", False), ("mds", False)]
)
def test_pairs_take_less_time_to_be_set_up_than_other_sets(name, is_pairs):
    # Of a clique the pairs are those that are not joined, which edges do not count.
    structure = structure_of(PROBLEMS[name].declare(generate("er-small", count=1, seed=1)))
    usual = usual_setup_seconds(structure)
    assert covering.COVERING.setup_seconds(structure) == (covering.PAIR_SETUP_SECONDS if is_pairs else usual)
    assert usual > covering.PAIR_SETUP_SECONDS
