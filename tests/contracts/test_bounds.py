"""No bound is ever wrong: over all problems, against brute force and planted optima."""

from dataclasses import replace
from threading import Event

import numpy as np
import pytest

from annealco import check_bound
from annealco.bounds import BOUNDS, BoundKind, prove_bound
from annealco.energy.structure import structure_of
from annealco.errors import InputError
from annealco.graph.generators import generate
from annealco.problems.small_graphs import small_graphs
from annealco.solving.contract import BoundError
from tests.budgets import ANY_MOMENT, FAR
from tests.problems.sums import CUTS, SUMS
from tests.solving.test_solver import best_value, random_graphs
from tests.waiting import give_up_when


def check(problem, graph, best, **hints):
    """Return whether the bound is the best value; it must never be beyond."""
    instance = problem.declare(graph)
    bound = prove_bound(instance, **hints)
    if bound is None:
        return False
    sign = 1 if instance.sense == "max" else -1
    assert sign * bound.value >= sign * best - 1e-9 * max(1, abs(best)), (graph.edges.tolist(), bound, best)
    return bound.value == pytest.approx(best)


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("seed", [0, 1])
def test_bounds_hold_on_small_graphs(name, seed):
    graphs = [*small_graphs(np.random.default_rng(seed), num_random=25), *random_graphs(seed, 25)]
    proven = 0
    for graph in graphs:
        best = best_value(SUMS[name], graph)
        check(SUMS[name], graph, best, time_limit=ANY_MOMENT)
        proven += check(SUMS[name], graph, best, time_limit=FAR, target=best)
    assert proven > len(graphs) // 2


def test_bounds_hold_for_volume_boxes_and_seed_nodes():
    rng = np.random.default_rng(3)
    for graph in random_graphs(4, 40):
        if graph.num_edges < 3:
            continue
        lower = int(rng.integers(0, graph.num_edges))
        options = {"volume": (lower, lower + int(graph.degree.max()) + 2)}
        if rng.random() < 0.5:
            options["seed_node"] = int(np.argmin(graph.degree))
        for name in CUTS:
            problem = SUMS[name].with_options(**options)
            check(problem, graph, best_value(problem, graph), time_limit=ANY_MOMENT)


@pytest.mark.parametrize(("name", "preset"), [("mis", "rb-small"), ("clique", "rb-small-complement")])
def test_planted_optima_are_mostly_proven_and_never_undercut(name, preset):
    graphs = generate(preset, count=12, seed=21)
    proven = 0
    for graph in graphs:
        planted = float(graph.graph_data["planted_size"][0])
        known = graph.node_data["planted"]
        bound = prove_bound(SUMS[name].declare(graph), time_limit=FAR, target=planted, known=known)
        assert bound.value >= planted
        proven += bound.value == planted
    assert proven >= 0.8 * len(graphs)


@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_every_bound_keeps_the_contract(name, seed):
    check_bound(name, seed=seed)


def kind(cost, *, method="own", complete=False):
    def prove(instance, ledger, *, seed):
        ledger.offer(cost(structure_of(instance)), method, complete=complete)

    return BoundKind("own", "a bound of one's own", lambda structure: structure.is_linear, prove, brief=True)


def gains(structure):
    return float(np.minimum(structure.node_cost, 0).sum()) - 1e-9


@pytest.mark.parametrize(
    ("bound", "rule"),
    [
        (kind(lambda structure: gains(structure) + 1.5), "it proves a cost of .* at least, .* is possible"),
        (kind(lambda structure: float("nan")), "a bound must be a number, own offers nan"),
        (kind(lambda structure: float("inf")), "a bound must be a number, own offers inf"),
        (kind(lambda structure: "3"), "a bound must be a number, own offers '3'"),
        (kind(lambda structure: np.zeros(1)), "a bound must be a number, own offers array"),
        (kind(gains, complete=True), "it calls .* complete, the least cost is"),
        (kind(gains, method=""), "it does not say by what method"),
    ],
)
def test_a_broken_rule_is_named(bound, rule):
    with pytest.raises(BoundError, match=f"own: .*{rule}"):
        check_bound(bound)


def test_a_weak_bound_is_a_bound_and_one_that_takes_nothing_is_told():
    check_bound(kind(gains))
    check_bound(kind(lambda structure: -np.inf))
    with pytest.raises(BoundError, match="takes none of the instances"):
        check_bound(BoundKind("own", "none", lambda structure: False, kind(gains).prove))


def endless(*, minds):
    """Return a bound that waits, until the test is over, unless it minds what it is given."""
    waits, is_over = Event(), Event()

    def prove(instance, ledger, *, seed):
        if not minds(ledger):
            waits.set()
            is_over.wait()

    return BoundKind("own", "a bound without an end", lambda structure: True, prove), waits, is_over


@pytest.mark.parametrize(
    ("minds", "rule"),
    [
        (lambda ledger: False, "asked to prove within 60 seconds it did not return within 0 seconds"),
        (lambda ledger: not ledger.is_quick, "asked to prove within 0 seconds it did not return"),
        (lambda ledger: ledger.stop is None, "1e[+]06 seconds it did not return .*, though its stop flag is set"),
        (lambda ledger: ledger.stop is None or ledger.stop.is_set(), "though its stop flag was set meanwhile"),
    ],
)
def test_a_bound_that_does_not_end_is_told(minds, rule, monkeypatch):
    bound, waits, is_over = endless(minds=minds)
    give_up_when(monkeypatch, waits.is_set)
    try:
        with pytest.raises(InputError, match=rf"own: .*{rule}"):
            check_bound(bound, problems=["mis"], seconds=FAR, patience=0.0)
    finally:
        is_over.set()


def test_what_a_bound_raises_is_told_with_the_step():
    def fail(*given, **options):
        raise ZeroDivisionError("on purpose")

    weak = kind(gains)
    for bound, asked in (
        (replace(weak, takes=fail), "asked what it takes it failed: ZeroDivisionError: on purpose"),
        (replace(weak, prove=fail), "asked to prove within 0.02 seconds it failed: ZeroDivisionError: on purpose"),
    ):
        with pytest.raises(InputError, match=rf"own: {asked} \(mis on 0 nodes") as caught:
            check_bound(bound)
        assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_bound_has_a_name_of_its_own():
    with pytest.raises(InputError, match="this bound is named 'gains' as a bound of annealco is: give it another name"):
        check_bound(replace(kind(gains), name="gains"))
    check_bound(BOUNDS["gains"], problems="mis")
    for name in ("all", "none"):
        with pytest.raises(InputError, match=f"a bound must not be called '{name}'"):
            replace(kind(gains), name=name)
    with pytest.raises(InputError, match="the bound own: prove must be a function, it is 3"):
        replace(kind(gains), prove=3)


def test_a_bound_must_not_change_the_instance():
    def prove(instance, ledger, *, seed):
        instance.constraints[0].penalty[:] = 7.0

    with pytest.raises(BoundError, match="own: the instance is changed"):
        check_bound(replace(kind(gains), prove=prove), problems="mis")


def test_arguments_of_the_check_are_checked():
    for given, rule in (
        ({"seed": "a"}, "seed must be an integer, not 'a'"),
        ({"seconds": -1}, "seconds must be a finite number of seconds from 0 on, it is -1"),
        ({"patience": None}, "patience must be a finite number of seconds from 0 on, it is None"),
    ):
        with pytest.raises(InputError, match=rule):
            check_bound("gains", **given)
