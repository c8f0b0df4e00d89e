"""What every assignment costs besides the terms is counted by everything that tells a cost.

Nodes left out of an independent set are a vertex cover: the one problem with a constant must tell what the other tells.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pytest
import torch

from annealco import check_problem
from annealco.baselines.exact import Answer, read_answer
from annealco.baselines.exact.lowering import lower
from annealco.baselines.external import as_quadratic_form
from annealco.bounds import BOUNDS, prove_bound
from annealco.bounds.certify import cost_slack, cost_step
from annealco.clock import Budget, Trace
from annealco.energy import Instance, Linear
from annealco.errors import InputError
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.models.compiled_field import in_graph_units
from annealco.problems import PROBLEMS, Problem
from annealco.problems.small_graphs import small_graphs
from annealco.search.annealing import simulated_annealing
from annealco.search.ratio import Quotient
from annealco.search.searches import SEARCHES, choose_search
from annealco.solving.solve import solve
from annealco.training.published_losses import smooth_cut
from tests.budgets import ANY_MOMENT, BRIEF, FAR
from tests.problems.brute_force import best_score


def declare(graph: Graph) -> Instance:
    weight = np.array([each.node_weight.sum() for each in graph])
    return replace(PROBLEMS["mis"].declare(graph), sense="min", constant=weight)


def score(graph: Graph, nodes: Collection[int]) -> float | None:
    rest = [node for node in range(graph.num_nodes) if node not in set(nodes)]
    return PROBLEMS["vertex_cover"].score(graph, rest)


LEFT_OUT = Problem("left_out", "cheapest nodes to leave out of an independent set", "min", declare, score)
GRAPHS = small_graphs(np.random.default_rng(7), num_random=10)
ASSIGNMENTS = (np.arange(2**5)[:, None] >> np.arange(5) & 1).astype(bool)


def test_the_contract_of_problems_holds() -> None:
    check_problem(LEFT_OUT)


def test_a_wrong_constant_breaks_it() -> None:
    wrong = replace(LEFT_OUT, declare=lambda graph: replace(declare(graph), constant=np.zeros(graph.num_graphs)))
    with pytest.raises(AssertionError, match="the objective of"):
        check_problem(wrong)


@pytest.mark.parametrize("constant", [np.zeros(2), np.array([np.nan]), np.array([np.inf]), 3.0, np.array(["a"])])
def test_a_constant_is_a_finite_number_a_graph(constant) -> None:
    ptr = np.array([0, 2])
    with pytest.raises(InputError, match=r"Instance.constant must be \[1\] finite numbers"):
        Instance(ptr, (Linear(ptr, np.ones(2)),), constant=constant)


@pytest.mark.parametrize("sense", ["min", "max"])
def test_bounds_count_it(sense: str) -> None:
    """Each on its own, against the best of all assignments, in both senses and for constants of all sizes."""
    for number, graph in enumerate(GRAPHS):
        for name in ("mis", "mds", "max_cut"):
            plain = PROBLEMS[name].declare(graph)
            shift = (0.1, -7.0, 1e6, 1 / 3)[number % 4]
            instance = replace(plain, sense=sense, constant=np.array([shift]))
            bits = (np.arange(2**graph.num_nodes)[:, None] >> np.arange(graph.num_nodes) & 1).astype(bool)
            feasible = instance.violations(bits)[:, 0] == 0
            costs = plain.cost.value(bits)[feasible, 0] + shift
            for bound in ("all", *BOUNDS.own):
                try:
                    found = prove_bound(instance, bounds=bound, time_limit=ANY_MOMENT)
                except InputError:
                    continue
                assert found is not None
                cost = found.value if sense == "min" else -found.value
                assert cost <= costs.min()
                if bound == "all":
                    assert cost == pytest.approx(costs.min(), abs=1e-9, rel=1e-9)


def test_steps_and_slacks_count_it() -> None:
    ptr = np.array([0, 2])
    whole = Instance(ptr, (Linear(ptr, np.array([2.0, 4.0])),))
    assert cost_step(whole) == 2.0
    assert cost_step(replace(whole, constant=np.array([3.0]))) == 1.0
    tenth = replace(whole, constant=np.array([0.1]))
    assert cost_step(tenth) == 0.0
    assert 0 < cost_slack(tenth).at(2.1) < 1e-14


@pytest.mark.parametrize("graph", GRAPHS[:20])
def test_solutions_and_proofs_are_those_of_vertex_covers(graph: Graph) -> None:
    found, other = solve(graph, LEFT_OUT, **BRIEF), solve(graph, "vertex_cover", **BRIEF)
    assert found.value == pytest.approx(other.value) == pytest.approx(best_score(PROBLEMS["vertex_cover"], graph))
    assert (found.optimal, other.optimal) == (True, True)
    assert found.bound == pytest.approx(found.value)
    assert found.trace[-1][1] == pytest.approx(found.value)


@pytest.mark.parametrize("name", SEARCHES)
def test_searches_count_it(name: str) -> None:
    graph = generate("er-small", count=1, seed=3)
    for problem in ("mis", "clique", "max_cut"):
        plain = PROBLEMS[problem].declare(graph)
        lifted = replace(plain, constant=np.array([1000.0]))
        start, costs, lasts = np.zeros(graph.num_nodes, bool), [], []
        for instance in (plain, lifted):
            try:
                search = choose_search(instance, start, 0, search=SEARCHES[name])
            except InputError:
                break
            trace = Trace()
            _, assignment, cost = search.run(Budget(moves=2000), -math.inf, trace)
            assert cost == instance.cost.value(assignment)[0]
            costs.append(cost)
            # Which costs on the way are noted depends on the clock; the last is the best.
            lasts.append(trace.points[-1][1])
        if costs:
            assert costs[1] == costs[0] + 1000
            assert lasts == costs
            # A target is a cost with the constant.
            again = choose_search(lifted, start, 0, search=SEARCHES[name])
            assert again.run(Budget(moves=10**6), costs[1], Trace()).moves < 10**6


def test_annealing_counts_it() -> None:
    instance = declare(Graph.from_edges([[0, 1], [1, 2]]))
    assert simulated_annealing(instance, budget=Budget(moves=100)).cost == 1.0


def test_exact_solvers_count_it() -> None:
    graph = Graph.from_edges([[0, 0, 1], [1, 2, 2]], 3)
    instance = declare(graph)
    program = lower(instance)
    answer = Answer(np.array([1.0, 0, 0]), bound=-1.0, optimal=True)
    assert (program.constant, program.step) == (3.0, 1.0)
    assert (read_answer(instance, program, answer).bound, read_answer(instance, program, answer).proven) == (2.0, True)
    unproven = read_answer(instance, program, Answer(None, bound=-1.5))
    assert unproven.bound == 2.0


def test_quadratic_forms_and_units_count_it() -> None:
    graph = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]], node_weight=np.full(5, 64.0))
    instance = declare(graph)
    form = as_quadratic_form(instance.energy())
    low, high = form.pairs
    values = ASSIGNMENTS @ form.linear + (ASSIGNMENTS[:, low] & ASSIGNMENTS[:, high]) @ form.value + form.constant
    assert values == pytest.approx(instance.energy().value(ASSIGNMENTS)[:, 0])
    units = in_graph_units(instance)
    assert 64 * units.energy().value(ASSIGNMENTS) == pytest.approx(instance.energy().value(ASSIGNMENTS))


def test_losses_count_it() -> None:
    plain = PROBLEMS["max_cut"].declare(Graph.from_edges([[0, 1], [1, 2]]))
    lifted, logits = replace(plain, constant=np.array([5.0])), torch.tensor([1.0, -2.0, 0.5])
    for loss in (Instance.energy, lambda each: smooth_cut(each, power=1)):
        one, two = (loss(each).expectation(logits).item() for each in (plain, lifted))
        assert two == pytest.approx(one + 5)
    both = torch.stack([logits, logits], dim=1)
    assert lifted.energy().expectation(both).shape == (1, 2)
    assert torch.equal(lifted.energy().field(logits), plain.energy().field(logits))


def test_quotients_of_sums_with_constants() -> None:
    ptr = np.array([0, 2])
    above, below = np.array([1.0, 2.0]), np.array([1.0, 5.0])

    def at_price(price: float) -> Instance:
        return Instance(ptr, (Linear(ptr, above - price * below),), constant=np.array([4.0 - 3.0 * price]))

    quotient = Quotient(at_price(0.0), at_price)
    bits = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], bool)
    assert quotient.costs(bits) == pytest.approx([4 / 3, 5 / 4, 6 / 8, 7 / 9])


def test_large_graphs_are_proven_alike() -> None:
    graph = generate("rb-small", count=1, seed=5)
    found = prove_bound(declare(graph), time_limit=0)
    other = prove_bound(PROBLEMS["mis"].declare(graph), time_limit=0)
    assert found.value == graph.num_nodes - other.value
    assert solve(graph, LEFT_OUT, moves=10**6, time_limit=FAR).optimal
