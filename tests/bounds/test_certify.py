import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.bounds.certify import (
    EXACT,
    MOST_EXCUSED,
    Slack,
    ceil_to_grid,
    cost_parts,
    cost_slack,
    cost_step,
    grid_step,
    lower_sum,
    upper_sum,
)
from annealco.energy import AllPairs, Instance, Linear, Pairs
from annealco.energy.structure import structure_of
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.qubo import quadratic
from annealco.solving.solve import solve
from tests.bounds.references import random_graph
from tests.budgets import BRIEF
from tests.problems.sums import PRICED, SUMS

reals = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(reals, max_size=30))
def test_sums_enclose_the_exact_one(values):
    exact = sum((Fraction(value) for value in values), start=Fraction(0))
    low, high = lower_sum(np.array(values)), upper_sum(np.array(values))
    assert Fraction(low) <= exact <= Fraction(high)
    assert high <= math.nextafter(low, math.inf)


@pytest.mark.parametrize("spread", [0, 3, 100])
def test_long_sums_are_rounded_once(spread):
    rng = np.random.default_rng(spread)
    values = rng.normal(size=20_000) * 10.0 ** rng.integers(-spread, spread + 1, 20_000)
    exact = sum((Fraction(value) for value in values.tolist()), start=Fraction(0))
    assert Fraction(lower_sum(values)) <= exact <= Fraction(upper_sum(values))
    assert upper_sum(values) <= math.nextafter(lower_sum(values), math.inf)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=12))
def test_sums_of_the_largest_and_smallest_numbers_are_enclosed(values):
    exact = sum((Fraction(value) for value in values), start=Fraction(0))
    low, high = lower_sum(np.array(values)), upper_sum(np.array(values))
    assert math.isinf(low) or Fraction(low) <= exact
    assert math.isinf(high) or exact <= Fraction(high)


def test_a_sum_that_is_no_number_is_enclosed_by_infinities():
    for values in ([1e308, 1e308], [np.inf, 1.0], [np.nan, 1.0], [np.inf, -np.inf]):
        assert (lower_sum(np.array(values)), upper_sum(np.array(values))) == (-math.inf, math.inf)


def test_a_sum_that_is_a_float_is_returned_itself():
    assert lower_sum(np.array([0.5, 0.25, -3.0])) == -2.25
    assert lower_sum(np.zeros(0)) == 0.0


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=20), st.integers(0, 6))
def test_the_step_is_the_greatest_common_divisor(numbers, halvings):
    values = np.array(numbers) / 2**halvings
    divisor = math.gcd(*numbers)
    assert grid_step(values) == (divisor / 2**halvings if divisor else 1.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [[0.1, 1.0], [1e16, 1.0], [1e300, 1e-300], [5e-324, 1.0]])
def test_values_whose_sums_are_not_exact_have_no_step(values):
    assert grid_step(np.array(values)) == 0.0


@pytest.mark.filterwarnings("error")
def test_the_step_of_the_largest_and_of_the_least_numbers():
    assert grid_step(np.array([2.0**1000, 3 * 2.0**1000])) == 2.0**1000
    assert grid_step(np.array([5e-324, 1.5e-323])) == 5e-324
    assert grid_step(np.array([2.0**53 - 1, 0.0])) == 2.0**53 - 1


@given(reals, st.integers(1, 50), st.integers(0, 5))
def test_rounding_to_the_grid_never_passes_a_multiple(value, numerator, halvings):
    step = numerator / 2**halvings
    rounded = ceil_to_grid(value, step)
    exact = Fraction(value) / Fraction(step)
    assert Fraction(rounded) / Fraction(step) <= math.ceil(exact)
    assert rounded >= value - 1e-9 * (1 + abs(value))


def test_without_a_step_or_a_number_nothing_is_rounded():
    assert ceil_to_grid(1.3, 0.0) == 1.3
    assert ceil_to_grid(-math.inf, 1.0) == -math.inf


WEIGHTS_ALONE = [name for name in SUMS if name not in {PRICED, "qubo", "ising"}]
"""The problems whose costs are sums of the graph's weights, without prices."""


def weighted(graph, seed, draw):
    rng = np.random.default_rng(seed)
    return graph.with_weights(node_weight=draw(rng, graph.num_nodes), edge_weight=draw(rng, graph.num_edges))


@pytest.mark.parametrize("name", SUMS)
def test_nothing_is_excused_where_sums_are_exact(name):
    graph = weighted(random_graph(1, 20, 0.4), 0, lambda rng, count: rng.integers(10**11, 10**12, count) / 4)
    instance = SUMS[name].declare(graph)
    assert cost_step(instance) > 0
    assert cost_slack(instance) == EXACT
    assert cost_slack(instance).excused(1e12) == 0


@pytest.mark.parametrize("name", WEIGHTS_ALONE)
def test_sums_of_whole_weights_are_exact_up_to_the_last(name):
    graph = Graph.from_edges([[0, 1], [1, 2]], node_weight=[2.0**52, 1.0, 1.0], edge_weight=[2.0**52, 1.0])
    assert cost_step(SUMS[name].declare(graph)) == 1
    large = graph.with_weights(node_weight=[2.0**53, 1.0, 1.0], edge_weight=[2.0**53, 1.0])
    assert cost_step(SUMS[name].declare(large)) == 0


@pytest.mark.parametrize("name", WEIGHTS_ALONE)
def test_what_is_excused_is_no_less_than_the_rounding_of_scores_and_little_more(name):
    for seed in range(20):
        graph = weighted(random_graph(seed, 12, 0.4), seed, lambda rng, count: rng.random(count))
        problem = SUMS[name].with_options(volume=(0, 1000)) if name == "cut" else SUMS[name]
        slack, rng = cost_slack(problem.declare(graph)), np.random.default_rng(seed)
        for _ in range(20):
            chosen = np.flatnonzero(rng.random(12) < 0.5).tolist()
            value = problem.score(graph, chosen)
            if value:
                assert abs(Fraction(value) - exact(name, graph, chosen)) <= slack.at(value)
                assert 0 < slack.excused(value) < 1e-12 * value


def exact(name, graph, chosen):
    if "cut" not in name:
        return sum(Fraction(graph.node_weight[node]) for node in chosen)
    crossing = np.isin(graph.edges[0], chosen) != np.isin(graph.edges[1], chosen)
    return sum(map(Fraction, graph.edge_weight[crossing].tolist()))


def test_the_weights_of_what_is_not_chosen_excuse_nothing():
    heavy = Graph.from_edges([[0, 0], [1, 2]], node_weight=[0.1, 1e8, 0.3])
    assert cost_slack(PROBLEMS["vertex_cover"].declare(heavy)).excused(0.1) < 1e-14


def test_long_sums_excuse_no_more_than_a_fixed_share():
    assert Slack(share=1e-6).excused(-7.0) == MOST_EXCUSED * 7
    assert Slack(share=1e-6, constant=1e-6, cancelled=9.0).excused(-7.0) == MOST_EXCUSED * 9


@pytest.mark.parametrize("seed", range(5))
def test_an_optimum_of_zero_is_proven_where_parts_cancel(seed):
    """As in a penalty (Σ a x − b)² that some set meets: its value is 0, and what is added up is not."""
    rng = np.random.default_rng(seed)
    weight, chosen = rng.random(8), rng.random(8) < 0.5
    total = float(weight[chosen].sum())
    matrix = np.triu(2 * np.outer(weight, weight), 1) + np.diag(weight**2 - 2 * total * weight)
    found = solve(quadratic(matrix, offset=total**2), "qubo", **BRIEF)
    assert found.value == pytest.approx(0, abs=1e-12)
    assert found.optimal


def test_a_cut_is_a_sum_of_edges_and_what_is_no_cut_is_not():
    graph = weighted(random_graph(3, 9, 0.5), 0, lambda rng, count: rng.random(count))
    structure = structure_of(PROBLEMS["max_cut"].declare(graph))
    inside, across, doubt = cost_parts(structure)
    assert (inside.any(), doubt) == (False, 0.0)
    assert np.array_equal(across, -graph.edge_weight)
    ptr, pair = np.array([0, 2]), np.array([[0], [1]])
    other = Instance(ptr, (Linear(ptr, np.array([0.1, 0.2])), Pairs(ptr, pair, np.array([-0.6]))))
    inside, across, doubt = cost_parts(structure_of(other))
    assert inside == pytest.approx([-0.2, -0.1])
    assert across.tolist() == [0.3]
    assert 0 < doubt < 1e-14


def test_objectives_of_other_terms_have_a_slack_too():
    ptr = np.array([0, 3])
    instance = Instance(ptr, (AllPairs(ptr, np.array([0.1, 0.2, 0.7])),))
    assert cost_step(instance) == 0
    assert 0 < cost_slack(instance).at(0.0) < 1e-13
    assert math.isfinite(cost_slack(instance).excused(0.4))
