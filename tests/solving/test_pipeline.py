from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from annealco.bounds.prove import find_bounds
from annealco.errors import InputError
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.search import Found, SearchKind
from annealco.solving import pipeline as module
from annealco.solving.pipeline import attempt, bound_seconds
from annealco.solving.solver import Solver
from tests.bounds.references import random_graph
from tests.budgets import ANY_MOMENT, BRIEF, FAR, MOVES
from tests.problems.brute_force import best_score
from tests.problems.sums import ON_GRAPHS


def test_trees_are_proven_by_reductions():
    tree = Graph.from_edges([[0, 0, 1, 1, 2], [1, 2, 3, 4, 5]])
    solution = attempt(Solver(PROBLEMS["mis"], **BRIEF), tree, 7, 1)
    assert solution.optimal
    assert solution.method == "covering search + reductions"
    assert solution.graph == "7"


class IdleSearch:
    """A search that stays where it begins."""

    solved = False

    def __init__(self, instance, start):
        self.start, self.cost = start, float(instance.cost.value(start)[0])

    def run(self, budget, target, trace):
        return Found(0, self.start, self.cost)


class LateSearch(IdleSearch):
    """A search that has nothing left to look at after its second run."""

    runs = 0

    @property
    def solved(self):
        return self.runs == 2

    def run(self, budget, target, trace):
        self.runs += 1
        return super().run(budget, target, trace)


def test_a_search_that_ends_after_the_bound_proves_its_answer(monkeypatch):
    monkeypatch.setattr(module, "prove_bound", lambda *_args, **_settings: module.Bound(9.0, "weak"))
    late = replace(IDLE, name="late", begin=lambda instance, start, **_: LateSearch(instance, start))
    path = Graph.from_edges([[0, 1], [1, 2]])
    solver = Solver(PROBLEMS["mis"], search=late, **BRIEF)
    found = attempt(solver, path, 0, 1)
    assert (found.value, found.bound, found.optimal, found.method) == (2.0, 2.0, True, "no search + late")
    # Bounds that a user chose are the only ones.
    chosen = attempt(replace(solver, bounds=find_bounds("gains")), path, 0, 1)
    assert (chosen.bound, chosen.optimal) == (9.0, False)


IDLE = SearchKind(
    name="idle", title="no search", takes=lambda _: True, begin=lambda instance, start, **_: IdleSearch(instance, start)
)


@pytest.mark.parametrize(("seconds", "method"), [(0.0, "no search"), (10 * FAR, "decoding")])
def test_a_search_that_cannot_be_set_up_in_time_does_not_begin(seconds, method):
    idle = replace(IDLE, setup_seconds=lambda _: seconds)
    solver = Solver(PROBLEMS["mis"], search=idle, time_limit=FAR, bound=False)
    assert attempt(solver, random_graph(1, 30, 0.5), 0, 1).method == method


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), "long"])
def test_what_a_search_takes_to_be_set_up_must_be_seconds(seconds):
    odd = replace(IDLE, setup_seconds=lambda _: seconds)
    with pytest.raises(InputError, match=f"the search idle must say by setup_seconds .* it says {seconds!r}"):
        attempt(Solver(PROBLEMS["mis"], search=odd, **BRIEF), random_graph(1, 30, 0.5), 0, 1)


@pytest.mark.parametrize(("problem", "size"), [("clique", 30), ("max_cut", 12), ("max_cut", 30)])
def test_a_better_set_that_a_proof_finds_is_the_answer(problem, size):
    graph = random_graph(1, size, 0.5)
    solver = Solver(PROBLEMS[problem], search=IDLE, time_limit=FAR)
    found, decoded = attempt(solver, graph, 0, 1), attempt(replace(solver, bound=False), graph, 0, 1)
    assert found.optimal
    assert found.value == PROBLEMS[problem].score(graph, found.nodes) > decoded.value
    # What the clock may decide is no part of an answer that is limited by moves, or of one that is only decoded.
    for limited in (replace(solver, moves=10), replace(solver, polish=False)):
        assert attempt(limited, graph, 0, 1).value == decoded.value


def test_names_of_graphs_are_kept():
    named = Graph.from_edges([[0], [1]], graph_data={"name": np.array(["karate"])})
    assert attempt(Solver(PROBLEMS["mis"], **BRIEF), named, 0, 1).graph == "karate"


@pytest.mark.processes
def test_proven_optima_end_the_search_early():
    graph = generate("rb-small", count=1, seed=1)
    # Nothing but a proof would end it: the limit is of days.
    solution = attempt(Solver(PROBLEMS["mis"], time_limit=1e6), graph, 0, 1)
    assert solution.optimal
    assert solution.value == graph.graph_data["planted_size"][0]


def test_without_a_bound_nothing_is_claimed():
    graph = generate("rb-small", count=1, seed=1)
    solution = attempt(Solver(PROBLEMS["mis"], **BRIEF, bound=False), graph, 0, 1)
    assert (solution.bound, solution.gap, solution.optimal) == (None, None, False)


@pytest.mark.parametrize("threads", [1, 3])
def test_restarts_share_a_trace_whose_last_value_is_the_best(threads):
    graph = generate("rb-small-unforced", count=1, seed=1)
    solution = attempt(Solver(PROBLEMS["mis"], **BRIEF, bound=False, restarts=5), graph, 0, threads)
    values = [value for _, value in solution.trace]
    assert values == sorted(values)
    assert values[-1] == solution.value


PROVABLE = [name for name, problem in ON_GRAPHS.items() if problem.at_price is None]

WIDE = [[1e-9, 1e9], [1e-10, 1e10], [1e300, 1], [1e-200, 1, 2], [1e-300, 1e-300, 5e-324], [1, 1e299], [1e300, 1e-300]]


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("name", ["mis", "clique", "vertex_cover", "mds"])
@pytest.mark.parametrize("weights", WIDE, ids=str)
def test_weights_of_very_different_size_are_no_trouble(name, weights):
    ring = np.arange(12)
    graph = Graph.from_edges([np.tile(ring, 2), np.concatenate([(ring + 1) % 12, (ring + 2) % 12])])
    graph = graph.with_weights(node_weight=np.resize(weights, 12))
    best = best_score(PROBLEMS[name], graph)
    solution = attempt(Solver(PROBLEMS[name], **BRIEF), graph, 0, 1)
    assert solution.value == pytest.approx(best, rel=1e-9, abs=0)
    if solution.bound is not None:
        assert (solution.bound >= best) if PROBLEMS[name].sense == "max" else (solution.bound <= best)


@pytest.mark.parametrize("name", ["max_cut", "cut"])
@pytest.mark.parametrize("unit", [5e-324, 1e-320, 1e-310, 1e160, 1e298])
@pytest.mark.parametrize("size", [9, 30])
@pytest.mark.filterwarnings("error")
def test_cuts_of_the_smallest_and_largest_weights(name, unit, size):
    graph = random_graph(1, size, 0.3)
    graph = graph.with_weights(edge_weight=unit * np.random.default_rng(0).integers(1, 4, graph.num_edges))
    # Of the larger graph nothing is asserted that would need a proof.
    budget = BRIEF if size == 9 else {"time_limit": ANY_MOMENT}
    solution = attempt(Solver(PROBLEMS[name], **budget, penalty_scale=3.0), graph, 0, 1)
    sign = 1 if PROBLEMS[name].sense == "min" else -1
    assert solution.bound is None or sign * solution.bound <= sign * solution.value
    if size == 9:
        assert solution.value == pytest.approx(best_score(PROBLEMS[name], graph), rel=1e-12, abs=0)


@pytest.mark.filterwarnings("error")
def test_edges_of_the_least_weight_are_cut():
    path = Graph.from_edges([[0, 1], [1, 2]], edge_weight=[5e-324, 5e-324])
    assert attempt(Solver(PROBLEMS["max_cut"], **BRIEF), path, 0, 1).value == 1e-323
    assert attempt(Solver(PROBLEMS["cut"], **BRIEF), path, 0, 1).value == 5e-324


@pytest.mark.parametrize("name", list(ON_GRAPHS))
def test_small_weights_prove_no_more_than_large_ones(name):
    graph = random_graph(1, 30, 0.2)
    small = graph.with_weights(node_weight=np.full(graph.num_nodes, 1e-11), edge_weight=np.full(graph.num_edges, 1e-11))
    unit, tiny = (attempt(Solver(PROBLEMS[name], **BRIEF), each, 0, 1) for each in (graph, small))
    assert tiny.optimal is False or (unit.optimal and tiny.value == pytest.approx(1e-11 * unit.value))


def test_bounds_by_reductions_are_rounded_outward():
    star = Graph.from_edges([[0] * 9, range(1, 10)])
    rng, reduced = np.random.default_rng(0), 0
    for _ in range(50):
        weight = rng.choice([1 / 3, 2 / 3, 0.1, 0.2, 1.0], 10)
        for name in ("mis", "mds", "vertex_cover"):
            graph = star.with_weights(node_weight=weight)
            solution = attempt(Solver(PROBLEMS[name], **BRIEF), graph, 0, 1)
            exact = sum(Fraction(weight[node]) for node in solution.nodes)
            reduced += solution.method.endswith("reductions")
            assert solution.optimal
            if PROBLEMS[name].sense == "max":
                assert Fraction(solution.bound) >= exact
                assert solution.bound >= solution.value
            else:
                assert Fraction(solution.bound) <= exact
                assert solution.bound <= solution.value
    assert reduced > 50


@pytest.mark.parametrize("weight", [1e12, 2.0**51])
def test_whole_values_that_differ_from_the_bound_are_not_optimal(weight):
    pair = Graph.from_edges([[0], [1]], node_weight=[weight, weight + 1])
    solver = Solver(PROBLEMS["mis"], polish=False, model=lambda graph, instance: np.array([5.0, -5.0]))
    solution = attempt(solver, pair, 0, 1)
    assert (solution.value, solution.bound) == (weight, weight + 1)
    assert not solution.optimal
    assert solution.gap == pytest.approx(1 / weight, rel=1e-9, abs=0)
    searched = attempt(Solver(PROBLEMS["mis"], **BRIEF), pair, 0, 1)
    assert (searched.value, searched.gap, searched.optimal) == (weight + 1, 0.0, True)


@pytest.mark.parametrize("name", PROVABLE)
def test_a_search_does_not_stop_short_of_a_large_optimum(name):
    """Differences of 1 in weights of 1e12: whoever says optimal is."""
    proven = 0
    for seed in range(6):
        graph, rng = random_graph(seed, 11, 0.35), np.random.default_rng(seed)
        node, edge = (10**12 + rng.integers(0, 5, count) for count in (graph.num_nodes, graph.num_edges))
        graph = graph.with_weights(node_weight=node, edge_weight=edge)
        solution = attempt(Solver(PROBLEMS[name], **BRIEF), graph, 0, 1)
        proven += solution.optimal
        assert solution.optimal == (solution.value == solution.bound)
        assert not solution.optimal or solution.value == best_score(PROBLEMS[name], graph)
    assert proven >= 4


@pytest.mark.parametrize("name", PROVABLE)
@pytest.mark.parametrize("draw", ["random", "exponential"])
@pytest.mark.processes
def test_weights_off_any_grid_keep_their_proofs(name, draw):
    """On graphs that are enumerated, every optimum is proven, and the time limit of days is not waited for."""
    for seed in range(6):
        graph, rng = random_graph(seed, 11, 0.3), np.random.default_rng(seed)
        node, edge = (getattr(rng, draw)(size=count) for count in (graph.num_nodes, graph.num_edges))
        graph = graph.with_weights(node_weight=node, edge_weight=edge)
        solution = attempt(Solver(PROBLEMS[name], moves=MOVES, time_limit=1e6), graph, 0, 1)
        assert solution.optimal
        assert solution.value == pytest.approx(best_score(PROBLEMS[name], graph), rel=1e-12)


@pytest.mark.parametrize("name", ["clique", "cut", "mis"])
@pytest.mark.processes
def test_restarts_that_do_not_fit_into_the_time_are_left_out(name, monkeypatch):
    searched = []
    improve = module.Improver.improve
    monkeypatch.setattr(
        module.Improver, "improve", lambda self, *_, **__: searched.append(self) or improve(self, *_, **__)
    )
    graph = generate("rb-small", count=1, seed=1)
    # There is no time at all, and the first restart has its turn.
    many = attempt(Solver(PROBLEMS[name], time_limit=1e-9, bound=False, restarts=200), graph, 0, 1)
    assert many.feasible
    assert 1 <= len(searched) < 200


def test_restarts_are_all_searched_where_moves_count():
    graph = generate("rb-small", count=1, seed=1)
    few, many = (
        attempt(Solver(PROBLEMS["mis"], time_limit=FAR, moves=200, bound=False, restarts=count), graph, 0, 1)
        for count in (1, 40)
    )
    assert many.value > few.value


@pytest.mark.parametrize("exponent", [0, 44, 48, 52, 60, 830])
@pytest.mark.parametrize("price", [0.3, 2.0, -0.7])
def test_a_price_beside_huge_weights_is_not_lost_from_the_bound(exponent, price):
    for seed in range(4):
        graph = random_graph(seed, 7, 0.5)
        graph = graph.with_weights(
            edge_weight=2.0**exponent * np.random.default_rng(seed).integers(1, 4, graph.num_edges)
        )
        problem = PROBLEMS["cut"].with_options(volume=(0, 2 * graph.num_edges), price=price)
        solution = attempt(Solver(problem, **BRIEF), graph, 0, 1)
        rate = Fraction(price) * graph.degree.sum().item()
        # All nodes, or none, cut nothing.
        assert Fraction(solution.bound) <= min(-rate, 0)
        assert solution.bound <= solution.value


@pytest.mark.parametrize("problem", ["cut", "conductance"])
@pytest.mark.parametrize("polish", [True, False])
def test_boxes_of_a_single_volume_are_met_where_a_set_can(problem, polish):
    sides = np.meshgrid(np.arange(133), 133 + np.arange(267))
    graph = Graph.from_edges([sides[0].ravel(), sides[1].ravel()])
    for some, others in ((40, 100), (133, 1), (17, 266)):
        volume = 267 * some + 133 * others
        posed = PROBLEMS[problem].with_options(volume=(volume, volume))
        solution = attempt(Solver(posed, **BRIEF, bound=False, polish=polish), graph, 0, 1)
        assert graph.degree[solution.nodes].sum() == volume


def test_weights_that_no_quotient_holds_are_cooled_all_the_same():
    star = Graph.from_edges([[0] * 300, range(1, 301)], edge_weight=10.0 ** ((np.arange(300) % 13 - 6) * 45))
    solution = attempt(Solver(PROBLEMS["cut"], **BRIEF, bound=False), star, 0, 1)
    assert solution.feasible


def test_a_bound_leaves_the_first_descent_to_the_search():
    """On 10⁶ nodes and with 2 seconds, a bound that takes its share at once leaves the search no time to peel."""
    solver = Solver(PROBLEMS["mis"], time_limit=8)
    small, large, larger = (bound_seconds(solver, 8.0, setup) for setup in (0.0, 1.0, 2.0))
    assert small > large > larger
    assert large == pytest.approx(small / 4)
    # The quick bounds are always finished, whatever they are given.
    assert larger == bound_seconds(solver, 8.0, 100.0) > 0
    assert bound_seconds(Solver(PROBLEMS["mis"], time_limit=8, polish=False), 8.0, 2.0) == 8.0
