"""Coverings: what instances are relaxed to, prices of sets, and bounds on them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from annealco import set_system, solve
from annealco._core import Clock, HittingSet, PriceAscent, SmallParts, StopFlag, greedy_prices
from annealco.bounds import prove_bound
from annealco.bounds.hitting_sets import (
    MAX_MEMBERS,
    Covering,
    certified_cost,
    covering_of,
    kernel_of,
    prove_covering,
    whole_weights,
)
from annealco.energy import Constraint, Cover, Instance, Linear
from annealco.energy.structure import structure_of
from annealco.graph.generators import barabasi_albert, generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.bounds.references import least_cover, ledger, over, random_graph, sets_of
from tests.budgets import FAR
from tests.graph.strategies import graphs
from tests.problems.brute_force import best_score


def covering(graph):
    return covering_of(structure_of(PROBLEMS["mds"].declare(graph)))


def prices(problem, clock=None):
    return greedy_prices(problem.set_ptr, problem.members, problem.weight, clock or Clock())


def ascent(problem, price, goal=math.inf):
    return PriceAscent(problem.set_ptr, problem.members, problem.weight, price, goal)


def prove(graph, **settings):
    book = ledger(step=0.25, **settings)
    prove_covering(covering(graph), book)
    return book


def matrix_of(problem):
    matrix = np.zeros((len(problem.set_ptr) - 1, len(problem.weight)))
    for row, members in enumerate(sets_of(problem.set_ptr, problem.members)):
        matrix[row, members] = 1
    return matrix


@st.composite
def priced(draw):
    size = draw(st.integers(1, 6))
    sets = [sorted(each) for each in draw(st.lists(st.sets(st.integers(0, size - 1), min_size=1), max_size=6))]
    weight = np.array(draw(st.lists(st.floats(0.1, 10), min_size=size, max_size=size)))
    price = np.array(draw(st.lists(st.floats(-1, 20), min_size=len(sets), max_size=len(sets))))
    start = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    member = np.array([node for each in sets for node in each], np.int32)
    return Covering(weight, start, member, draw(st.floats(-5, 5))), sets, price


@given(priced())
def test_any_prices_prove_a_bound_and_nearly_all_of_it(case):
    covering, sets, price = case
    paid = [max(Fraction(0), Fraction(each)) for each in price.tolist()]
    exact = Fraction(covering.constant) + sum(paid, start=Fraction(0))
    for node, weight in enumerate(covering.weight.tolist()):
        load = sum((p for p, each in zip(paid, sets, strict=True) if node in each), start=Fraction(0))
        exact += min(Fraction(0), Fraction(weight) - load)
    proven = certified_cost(covering, price)
    assert Fraction(proven) <= exact
    assert float(exact) - proven <= 1e-12 * (1 + sum(map(float, paid)) * len(covering.weight))
    assert proven <= covering.constant + least_cover(covering.weight.tolist(), sets) + 1e-9


@given(graphs(min_nodes=1, max_nodes=6, weighted=True))
@settings(max_examples=40)
def test_a_covering_has_the_same_optimum(graph):
    problem = covering(graph)
    least = least_cover(problem.weight.tolist(), sets_of(problem.set_ptr, problem.members))
    assert problem.constant + least == best_score(PROBLEMS["mds"], graph)


def test_nodes_that_cost_nothing_hit_their_sets_and_gains_are_taken():
    ptr = np.array([0, 4])
    sets = Cover(ptr, np.array([0, 2, 4]), np.array([0, 1, 2, 3]), np.ones(2))
    instance = Instance(ptr, (Linear(ptr, np.array([-2.0, 1.0, 3.0, 4.0])),), (Constraint(sets, np.ones(2)),))
    covering = covering_of(structure_of(instance))
    assert covering.constant == pytest.approx(-2.0)
    assert sets_of(covering.set_ptr, covering.members) == [[2, 3]]
    assert covering.weight.tolist() == [0.0, 1.0, 3.0, 4.0]


# Prices.


@pytest.mark.parametrize("weights", [None, "integer", "real"])
def test_greedy_prices_exceed_no_weight_and_cannot_be_raised(weights):
    problem = covering(random_graph(0, 30, 0.15, weights=weights))
    price = prices(problem)
    load = np.bincount(problem.members, np.repeat(price, np.diff(problem.set_ptr)), minlength=30)
    assert (load <= problem.weight + 1e-9).all()
    full = np.isclose(load, problem.weight)
    assert all(full[members].any() for members in sets_of(problem.set_ptr, problem.members))
    assert not prices(problem, over()).any()


def test_small_sets_come_first():
    sets = np.array([0, 3, 5, 6]), np.array([0, 1, 2, 1, 2, 0], np.int32)
    assert greedy_prices(*sets, np.array([1.0, 2.0, 5.0]), Clock()).tolist() == [0.0, 2.0, 1.0]


@pytest.mark.parametrize("weighted", [False, True])
def test_steps_come_close_to_the_linear_program(weighted):
    graph = generate("ba-small", count=1, seed=2)
    if weighted:
        graph = graph.with_weights(node_weight=np.random.default_rng(0).integers(1, 50, graph.num_nodes))
    problem, clock = covering(graph), Clock()
    price = prices(problem)
    search = ascent(problem, price)
    search.run(math.inf, clock)
    before, after = certified_cost(problem, price), certified_cost(problem, search.best_price)
    best = linprog(problem.weight, A_ub=-matrix_of(problem), b_ub=-np.ones(len(price)), bounds=(0, None)).fun
    assert before < after <= best + 1e-6
    assert after > 0.98 * best
    assert clock.moves < 2000


def test_how_a_run_is_cut_does_not_change_the_steps_and_an_aim_ends_them():
    problem = covering(random_graph(1, 25, 0.2))
    whole, parts = (ascent(problem, prices(problem)) for _ in range(2))
    whole.run(math.inf, Clock(moves=60))
    for _ in range(12):
        parts.run(math.inf, Clock(moves=5))
    assert np.array_equal(whole.best_price, parts.best_price)
    clock, aim = Clock(), certified_cost(problem, prices(problem)) + 0.1
    eager = ascent(problem, prices(problem))
    eager.run(aim, clock)
    assert aim < certified_cost(problem, eager.best_price) + 1e-9
    assert clock.moves < 60


def test_without_sets_there_is_nothing_to_do():
    problem = Covering(np.ones(2), np.zeros(1, np.int64), np.zeros(0, np.int32), 0.0)
    assert prices(problem).shape == (0,)
    clock = Clock()
    ascent(problem, np.zeros(0)).run(math.inf, clock)
    assert clock.moves == 1


# All of it.


@given(graphs(min_nodes=1, max_nodes=8, weighted=True))
@settings(max_examples=40)
def test_small_graphs_are_proven_exactly(graph):
    assert prove(graph).cost == best_score(PROBLEMS["mds"], graph)


@pytest.mark.parametrize("weighted", [False, True])
def test_dominating_sets_of_two_hundred_nodes_are_proven_by_branching(weighted):
    graph = generate("ba-small", count=1, seed=11)
    if weighted:
        graph = graph.with_weights(node_weight=np.random.default_rng(0).integers(1, 9, graph.num_nodes))
    hit, integer = LinearConstraint(matrix_of(covering(graph)), lb=1), np.ones(graph.num_nodes)
    best = round(milp(graph.node_weight, integrality=integer, bounds=Bounds(0, 1), constraints=hit).fun)
    assert prove(graph).cost == best
    assert prove(graph, target=float(best)).cost == best


def test_large_graphs_make_do_with_steps():
    graph = barabasi_albert(np.random.default_rng(0), num_nodes=20_000, attachment=4)
    assert len(graph.indices) > MAX_MEMBERS
    quick = prove(graph, seconds=0.0)
    assert quick.method == "set packing, greedy"
    book = prove(graph, target=quick.cost + 100)
    assert book.method == "set packing, subgradient"
    assert book.cost >= quick.cost + 100


def test_a_stop_leaves_a_bound_of_some_prices():
    graph, stop = random_graph(0, 60, 0.1), StopFlag()
    stop.set()
    book = prove(graph, stop=stop)
    assert 0.0 <= book.cost <= prove(graph, seconds=0.0).cost


def random_sets(rng, num_nodes, num_sets, *, most=4):
    """Sets of different nodes, as offsets and members."""
    sets = [
        rng.choice(num_nodes, int(rng.integers(1, min(most, num_nodes) + 1)), replace=False) for _ in range(num_sets)
    ]
    start = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    return start, np.concatenate([np.zeros(0, np.int32), *sets]).astype(np.int32)


def costs_of(rng, size):
    """Whole costs, with zeros, equal ones, and very large ones."""
    kind = int(rng.integers(4))
    return [np.ones(size), rng.integers(0, 9, size), rng.integers(1, 9, size) * 2.0**40, rng.integers(1, 3, size) / 4][
        kind
    ].astype(float)


@pytest.mark.parametrize("most", [2, 4])
def test_small_parts_cost_what_all_choices_say(most):
    rng = np.random.default_rng(most)
    for _ in range(150):
        size = int(rng.integers(1, 11))
        start, member = random_sets(rng, size, int(rng.integers(0, 9)), most=most)
        if most == 2:
            start, member = np.arange(0, 2 * (len(member) // 2) + 1, 2), member[: len(member) // 2 * 2]
            kept = member[::2] != member[1::2]
            member = member.reshape(-1, 2)[kept].reshape(-1)
            start = np.arange(0, len(member) + 1, 2)
        cost = costs_of(rng, size)
        sets = sets_of(start, member)
        problem = HittingSet(cost, np.diff(start), member)
        parts = SmallParts(problem)
        parts.run(100, whole_weights(cost, up=False)[1] / 2, Clock())
        assert parts.cost == least_cover(cost, sets)
        assert not parts.is_left.any()
        assert all(parts.chosen[each].any() for each in sets)
        assert cost @ parts.chosen == parts.cost


def test_parts_that_are_too_large_or_for_which_there_is_no_time_are_left():
    rings = np.array([[0, 1, 2, 3, 4, 5, 6, 7], [1, 2, 0, 4, 5, 6, 7, 3]], np.int32)
    problem = HittingSet.of_pairs(np.ones(9), rings)
    parts = SmallParts(problem)
    parts.run(4, 0.5, Clock())
    assert parts.cost == 2
    assert parts.is_left.tolist() == [0, 0, 0, 1, 1, 1, 1, 1, 0]
    parts.run(5, 0.5, Clock())
    assert parts.cost == 2 + 3
    parts.run(5, 0.5, over())
    assert parts.cost == 0
    assert parts.is_left.all()


@pytest.mark.parametrize("is_whole", [True, False])
def test_kernels_have_the_optimum_of_the_whole(is_whole):
    rng = np.random.default_rng(is_whole)
    for _ in range(200):
        size = int(rng.integers(1, 11))
        start, member = random_sets(rng, size, int(rng.integers(1, 12)))
        cost = costs_of(rng, size) if is_whole else rng.random(size) * 10.0 ** rng.integers(-3, 4, size)
        whole, step = whole_weights(cost, up=False)
        assert np.all(whole <= cost)
        assert np.all(cost - whole < step)
        kernel = kernel_of(HittingSet(whole, np.diff(start), member), step, ledger())
        sets = sets_of(start, member)
        assert len(kernel.node) == 0
        chosen = kernel.lifted(np.zeros(0, bool))
        assert all(chosen[each].any() for each in sets)
        assert kernel.cost == whole @ chosen == least_cover(whole, sets)


def test_kernels_of_which_parts_are_left_have_the_optimum_too(monkeypatch):
    monkeypatch.setattr("annealco.bounds.hitting_sets.MAX_PART", 0)
    rng, num_left = np.random.default_rng(3), 0
    for _ in range(300):
        size = int(rng.integers(6, 12))
        start, member = random_sets(rng, size, 14, most=3)
        cost = costs_of(rng, size)
        kernel = kernel_of(HittingSet(cost, np.diff(start), member), 2.0**-2, ledger())
        left = kernel.reduction.kernel.cost[kernel.node]
        assert kernel.cost + least_cover(left, sets_of(kernel.sets.start, kernel.sets.member)) == least_cover(
            cost, sets_of(start, member)
        )
        num_left += len(left) > 0
    assert num_left > 10


def test_weights_that_no_step_fits_are_refused():
    assert whole_weights(np.array([1e308, 1e308, 0.1]), up=True) is None
    assert whole_weights(np.array([5e-324, 1.5]), up=False) is not None
    assert whole_weights(np.zeros(2), up=True)[1] > 0


def test_many_small_parts_are_proven_at_once():
    """Dominating sets of a hundred graphs of 20 nodes side by side cost what they cost one by one."""
    parts = [random_graph(seed, 20, 0.15, weights="integer") for seed in range(100)]
    found = []
    for part in parts:
        book = ledger(step=1.0)
        prove_covering(covering(part), book)
        found.append(book.cost)
    edges = np.concatenate([part.edges + 20 * i for i, part in enumerate(parts)], axis=1)
    weight = np.concatenate([part.node_weight for part in parts])
    whole = Graph.from_edges(edges, 2000).with_weights(node_weight=weight)
    book = ledger(step=1.0)
    prove_covering(covering(whole), book)
    assert book.cost == sum(found)
    assert book.method == "reductions and small parts"


def test_nodes_too_heavy_for_a_cover_do_not_blur_a_proof():
    """The path 0-1-2-3-4 is covered by nodes 1 and 3, which have a part in 10^21 of all weight."""
    graph = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]], 5, node_weight=[1e12, 1e-9, 1e12 / 3, 2e-9, 1e12])
    instance = PROBLEMS["vertex_cover"].declare(graph)
    bound = prove_bound(instance, bounds="clique_cover", known=np.array([0, 1, 0, 1, 0]), time_limit=FAR)
    assert bound.value <= 3e-9
    assert bound.value == pytest.approx(3e-9, rel=1e-13)


def test_elements_too_heavy_for_a_hitting_set_do_not_blur_a_proof():
    """Three points hit all lines of the Fano plane, prices prove 7/3; one more point is on all lines, and heavy."""
    lines = [[0, 1, 2], [0, 3, 4], [0, 5, 6], [1, 3, 5], [1, 4, 6], [2, 3, 6], [2, 4, 5]]
    system = set_system([[*each, 7] for each in lines], labels="elements", element_costs=[*[1e-9] * 7, 1e12])
    found = solve(system, "hitting_set", bounds=["hitting_sets"], moves=100, time_limit=FAR)
    assert (found.value, found.optimal) == (pytest.approx(3e-9), True)
