"""Quotients: their costs, and the search for the least by Dinkelbach's method, against enumeration."""

import numpy as np
import pytest

from annealco._core import StopFlag
from annealco.clock import Budget
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS, check_problem
from annealco.problems.small_graphs import small_graphs
from annealco.search import ratio
from annealco.search.decode import decode
from annealco.search.ratio import QuotientImprover, decode_quotient, is_better
from tests.bounds.references import random_graph
from tests.search.instances import all_assignments
from tests.search.quotients import DENSEST, quotient_of

CONDUCTANCE = PROBLEMS["conductance"]


@pytest.mark.parametrize("problem", [CONDUCTANCE.with_options(volume=(0, 8)), DENSEST], ids=lambda each: each.name)
@pytest.mark.parametrize("unit", [1.0, 1e-300, 1e200])
def test_costs_are_the_plain_scores_whatever_the_unit(problem, unit):
    sign = 1.0 if problem.sense == "min" else -1.0
    graphs = [each for each in small_graphs(np.random.default_rng(0), num_random=10) if each.num_edges]
    for graph in (each.with_weights(edge_weight=unit * each.edge_weight) for each in graphs):
        rows = all_assignments(graph.num_nodes)
        scores = [problem.score(graph, np.flatnonzero(row).tolist()) for row in rows]
        expected = [np.inf if each is None else sign * each for each in scores]
        found = quotient_of(problem, graph).costs(rows)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-13 * np.abs(graph.edge_weight).max())


def test_what_is_better_than_a_quotient_costs_less_than_0_at_its_price():
    graph = small_graphs(np.random.default_rng(1))[-1]
    for problem in (CONDUCTANCE, DENSEST):
        quotient = quotient_of(problem, graph)
        rows = all_assignments(graph.num_nodes)
        costs = quotient.costs(rows)
        middle = float(np.median(costs[np.isfinite(costs)]))
        instance = quotient.at(middle)
        sign = 1.0 if problem.sense == "min" else -1.0
        at_price = sign * instance.value(rows)[:, 0]
        better = np.isfinite(costs) & (costs < middle - 1e-9)
        assert better.any()
        assert np.array_equal(better, np.isfinite(costs) & (at_price < -1e-9))


def test_rounding_makes_nothing_better():
    assert is_better(0.2, 0.3)
    assert is_better(-0.3, -0.2)
    assert is_better(5.0, np.inf)
    assert not is_better(0.3, 0.1 + 0.2)
    assert not is_better(np.inf, np.inf)
    assert not is_better(0.0, 0.0)


def test_decoding_again_never_hurts_and_helps_somewhere():
    rng, helped = np.random.default_rng(3), 0
    for _ in range(20):
        low, high = np.triu_indices(14, 1)
        kept = rng.random(len(low)) < 0.3
        graph = Graph.from_edges(np.stack([low[kept], high[kept]]), 14)
        quotient, rows = quotient_of(CONDUCTANCE, graph), rng.random((3, 14))
        once = quotient.costs(decode(quotient.numerator, rows))
        again = quotient.costs(decode_quotient(quotient, rows))
        assert np.all(np.isfinite(again))
        assert np.all(again <= once)
        helped += bool(np.any(again < once))
    assert helped >= 3


def test_the_densest_subgraph_keeps_the_contract():
    check_problem(DENSEST)


@pytest.mark.parametrize("problem", [CONDUCTANCE, DENSEST], ids=lambda each: each.name)
@pytest.mark.parametrize("weights", [None, "integer", "real"])
def test_the_least_of_all_sets_is_found(problem, weights):
    for seed in range(8):
        quotient = quotient_of(problem, random_graph(seed, 11, 0.35, weights=weights))
        costs = quotient.costs(all_assignments(11))
        worst = np.where(np.isfinite(costs), costs, -np.inf).argmax()
        search = QuotientImprover(quotient, all_assignments(11)[worst], seed=seed)
        assert search.cost == costs.max(where=np.isfinite(costs), initial=-np.inf)
        search.improve(Budget(moves=20_000))
        assert search.cost == pytest.approx(costs.min(), rel=1e-12)
        found = [cost for _, cost in search.trace.points]
        assert found == sorted(found, reverse=True)
        assert found[-1] == search.cost == quotient.costs(search.assignment[None])[0]


def test_a_start_that_is_not_feasible_is_left_behind():
    quotient = quotient_of(CONDUCTANCE, random_graph(0, 11, 0.35))
    search = QuotientImprover(quotient, np.zeros(11, bool), seed=0)
    assert (search.cost, search.method) == (np.inf, "decoding")
    search.improve(Budget(moves=5000))
    assert search.cost < np.inf
    assert search.method == "annealing and tabu search"


def test_moves_are_counted_and_repeatable_however_they_are_cut():
    quotient = quotient_of(CONDUCTANCE, generate("ba-small", count=1, seed=1))
    start = np.random.default_rng(0).random(quotient.numerator.num_nodes) < 0.3
    whole, again = (QuotientImprover(quotient, start, seed=4) for _ in range(2))
    for each in (whole, again):
        each.improve(Budget(moves=70_001))
        assert each.moves == 70_001
    assert np.array_equal(whole.assignment, again.assignment)
    none = QuotientImprover(quotient, start, seed=4)
    none.improve(Budget(moves=0))
    assert (none.moves, none.method) == (0, "decoding")


def test_a_target_a_clock_and_a_stop_end_the_search():
    quotient = quotient_of(CONDUCTANCE, generate("ba-large", count=1, seed=1))
    start = np.random.default_rng(0).random(quotient.numerator.num_nodes) < 0.3
    search = QuotientImprover(quotient, start, seed=0)
    search.improve(Budget(moves=1000))
    before, stop = search.moves, StopFlag()
    search.improve(Budget(seconds=60), target=search.cost)
    assert search.moves == before
    search.improve(Budget(seconds=0))
    assert search.moves == before
    stop.set()
    search.improve(Budget(seconds=60, stop=stop))
    assert search.moves == before


def test_graphs_of_one_edge_have_one_quotient():
    quotient = quotient_of(CONDUCTANCE.with_options(volume=(1, 1)), random_graph(0, 2, 1.1))
    search = QuotientImprover(quotient, np.array([True, False]), seed=0)
    search.improve(Budget(moves=2000))
    assert search.cost == 1.0


def test_a_search_begins_even_if_the_process_had_to_wait_while_the_start_was_scored(monkeypatch):
    """To score took ten seconds by the clock: most of the fifty are left, and a beginning takes none of them."""
    readings = iter([0.0, 10.0])
    monkeypatch.setattr(ratio, "now", lambda: next(readings, 10.0))
    quotient = quotient_of(PROBLEMS["conductance"], generate("ba-small", count=1, seed=1))
    start = decode(quotient.numerator, np.full(quotient.numerator.num_nodes, 0.5), num_threads=1)
    search = QuotientImprover(quotient, start, seed=0)
    search.improve(Budget(seconds=50, moves=2000))
    assert search.moves == 2000
