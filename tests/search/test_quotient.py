import numpy as np
import pytest

from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.decode import decode
from annealco.search.quotient import decode_quotient, is_better
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
