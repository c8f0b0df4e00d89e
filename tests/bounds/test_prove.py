import itertools
import math
import threading
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco import solve
from annealco._core import StopFlag
from annealco.bounds import Bound, prove_bound
from annealco.bounds.certify import cost_slack, cost_step
from annealco.bounds.ledger import Ledger
from annealco.bounds.prove import BOUNDS, takers
from annealco.energy import AllPairs, Constraint, Cover, Instance, Linear, Pairs, Range
from annealco.energy.structure import structure_of
from annealco.errors import InputError
from annealco.graph.generators import barabasi_albert, generate
from annealco.graph.graph import Graph
from annealco.graph.operations import relabel
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from tests.bounds.references import random_graph
from tests.budgets import ANY_MOMENT, FAR
from tests.problems.brute_force import best_score
from tests.problems.sums import CUTS, PRICED, SUMS

SMALL = small_graphs(np.random.default_rng(5), num_random=24, max_nodes=7)


def options_of(name, graph, rng):
    """The problem as it is, and for a cut with boxes and seeds of many kinds."""
    choices = [{}]
    if name in CUTS and graph.num_nodes:
        volume = 2 * graph.num_edges
        lower = int(rng.integers(0, volume + 1))
        box = (lower, int(rng.integers(lower, volume + 1)))
        node = int(rng.integers(graph.num_nodes))
        choices += [{"volume": box}, {"seed_node": node}, {"volume": (lower, volume), "seed_node": node}]
    return choices


def cases(name, graphs, seed=0):
    """Instances that the declaration accepts and that some set satisfies, with their best scores."""
    rng = np.random.default_rng(seed)
    for graph in graphs:
        for options in options_of(name, graph, rng):
            problem = SUMS[name].with_options(**options)
            try:
                instance = problem.declare(graph)
            except InputError:
                continue
            best = best_score(problem, graph)
            if best is not None:
                yield instance, best


def without_constant(instance, best):
    """Return what provers see: proofs are about the terms."""
    constant = 0.0 if instance.constant is None else float(instance.constant[0])
    return replace(instance, constant=None), best - (constant if instance.sense == "min" else -constant)


def ledger_of(instance, seconds, target):
    step, slack = cost_step(instance), cost_slack(instance)
    return Ledger(seconds=seconds, target=target, step=step, slack=slack)


def provers(instance):
    """All bounds that take an instance, but enumeration."""
    kinds = [BOUNDS[name] for name in BOUNDS.own if name != "enumeration"]
    return takers(kinds, structure_of(instance), named=False)


def holds(bound, best, sense):
    return bound >= best if sense == "max" else bound <= best


@pytest.mark.parametrize("name", SUMS)
def test_no_bound_is_ever_wrong_without_enumeration(name):
    """Every prover on its own, on graphs of all shapes and weights, with and without a target."""
    for instance, best in itertools.starmap(without_constant, cases(name, SMALL)):
        sign = 1.0 if instance.sense == "min" else -1.0
        for target in (math.inf, sign * best):
            for kind in provers(instance):
                ledger = ledger_of(instance, ANY_MOMENT, target)
                kind.prove(instance, ledger, seed=0)
                assert ledger.cost <= sign * best, (ledger.method, ledger.cost, best)


@pytest.mark.parametrize("name", SUMS)
def test_small_graphs_are_proven_optimal(name):
    for instance, best in cases(name, SMALL, seed=1):
        bound = prove_bound(instance, time_limit=FAR)
        assert holds(bound.value, best, instance.sense)
        assert bound.value == pytest.approx(best, abs=1e-9, rel=1e-9)


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("weights", [None, "integer", "real"])
def test_bounds_of_twelve_nodes_hold_and_packings_and_covers_are_exact(name, weights):
    graphs = [random_graph(seed, 12, density, weights=weights) for seed, density in ((0, 0.2), (1, 0.5))]
    for instance, best in itertools.starmap(without_constant, cases(name, graphs, seed=2)):
        sign = 1.0 if instance.sense == "min" else -1.0
        exact = name in {"mis", "clique", "mds", "vertex_cover"}
        ledger = ledger_of(instance, FAR if exact else ANY_MOMENT, sign * best)
        for kind in provers(instance):
            kind.prove(instance, ledger, seed=0)
        assert ledger.cost <= sign * best
        if exact:
            assert ledger.closed


def test_forced_graphs_are_proven_optimal():
    for graph in generate("rb-small", count=4, seed=7):
        size = float(graph.graph_data["planted_size"][0])
        instance = PROBLEMS["mis"].declare(graph)
        known = prove_bound(instance, time_limit=FAR, target=size, known=graph.node_data["planted"])
        assert known.value == size
        assert prove_bound(instance, time_limit=ANY_MOMENT).value >= size


def test_a_known_set_alone_is_a_target():
    graph = generate("rb-small-complement", count=1, seed=7)
    instance = PROBLEMS["clique"].declare(graph)
    bound = prove_bound(instance, time_limit=FAR, known=graph.node_data["planted"])
    assert bound.value == np.count_nonzero(graph.node_data["planted"])


@pytest.mark.parametrize("name", ["mis", "clique", "vertex_cover"])
def test_bounds_of_large_forced_graphs_never_cut_off_the_planted_set(name):
    family = "rb-large-complement" if name == "clique" else "rb-large"
    graph = generate(family, count=1, seed=3)
    chosen = graph.node_data["planted"] ^ (name == "vertex_cover")
    for limit in (0.0, ANY_MOMENT, 8 * ANY_MOMENT):
        bound = prove_bound(SUMS[name].declare(graph), time_limit=limit)
        assert holds(bound.value, np.count_nonzero(chosen), SUMS[name].sense)


@given(st.integers(0, 1000))
@settings(max_examples=10)
def test_numbering_the_nodes_anew_keeps_an_exact_bound(seed):
    graph = random_graph(seed, 9, 0.5, weights="integer")
    other = relabel(graph, np.random.default_rng(seed).permutation(9))
    for problem in SUMS.values():
        both = [prove_bound(problem.declare(each), time_limit=FAR).value for each in (graph, other)]
        assert both[0] == both[1]


def test_the_sense_turns_the_bound_around():
    ptr = np.array([0, 2])
    apart = Constraint(Pairs(ptr, np.array([[0], [1]]), np.ones(1)), np.ones(1))
    gains = (Linear(ptr, -np.array([2.0, 3.0])),)
    assert prove_bound(Instance(ptr, gains, (apart,), sense="max")).value == 3.0
    assert prove_bound(Instance(ptr, gains, (apart,), sense="min")).value == -3.0


def test_a_graph_without_nodes_is_worth_nothing():
    empty = Graph.from_edges(np.zeros((2, 0), np.int32), 0)
    for problem in SUMS.values():
        for limit in (0.0, FAR):
            bound = prove_bound(problem.declare(empty), time_limit=limit)
            assert bound.value == 0.0
            assert math.copysign(1.0, bound.value) == 1.0


def test_terms_that_are_not_understood_give_none_unless_all_can_be_tried():
    ptr = np.array([0, 40])
    instance = Instance(ptr, (Linear(ptr, np.ones(40)), AllPairs(ptr, np.ones(40))))
    assert prove_bound(instance, time_limit=FAR) is None
    small = Instance(np.array([0, 3]), (AllPairs(np.array([0, 3]), np.ones(3)),))
    assert prove_bound(small) == Bound(0.0, "enumeration") or abs(prove_bound(small).value) < 1e-12


def test_constraints_that_are_not_understood_are_left_out():
    ptr = np.array([0, 40])
    box = Constraint(Range(ptr, np.ones(40), np.array([3.0]), np.array([5.0]), np.ones(1)), np.ones(1))
    bound = prove_bound(Instance(ptr, (Linear(ptr, -np.ones(40)),), (box,), sense="max"), time_limit=FAR)
    assert bound == Bound(40.0, "sum of gains")


def test_packing_and_covering_at_once_take_the_better():
    ptr = np.array([0, 40])
    pairs = np.array([np.arange(0, 40, 2), np.arange(1, 40, 2)])
    apart = Constraint(Pairs(ptr, pairs, np.ones(20)), np.ones(20))
    sets = Constraint(Cover(ptr, np.array([0, 3]), np.array([0, 2, 4]), np.ones(1)), np.ones(1))
    instance = Instance(ptr, (Linear(ptr, -np.ones(40)),), (apart, sets), sense="max")
    assert prove_bound(instance, time_limit=FAR, target=20.0).value == 20.0


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({"time_limit": -1}, "the time limit must be a number of seconds from 0, it is -1"),
        ({"time_limit": math.nan}, "the time limit must be a number of seconds from 0, it is nan"),
        ({"time_limit": math.inf}, "the time limit must be a number of seconds from 0, it is inf"),
        ({"target": math.nan}, "the target must be finite, it is nan"),
        ({"known": np.ones(4)}, r"known must be \[3\] bits, it has shape \[4\]"),
        ({"known": np.array([0, 2, 0])}, r"known must be \[3\] bits"),
        ({"known": np.array([1, 1, 0])}, "known must be feasible, it violates the constraints by 1"),
    ],
)
def test_bad_arguments(arguments, rule):
    path = Graph.from_edges([[0, 1], [1, 2]])
    with pytest.raises(InputError, match=rule):
        prove_bound(PROBLEMS["mis"].declare(path), **arguments)


def test_a_batch_is_refused():
    both = Graph.batch([random_graph(0, 3, 0.5), random_graph(1, 3, 0.5)])
    with pytest.raises(InputError, match="a bound is of one graph, this instance has 2"):
        prove_bound(PROBLEMS["mis"].declare(both))


@pytest.mark.processes
@pytest.mark.parametrize(
    ("name", "family"), [("mis", "rb-large"), ("clique", "rb-large"), ("mds", "ba-large"), ("max_cut", "er-small")]
)
@pytest.mark.parametrize("part", [1, 3, 4])
def test_a_bound_ends_when_it_is_told_to_stop(name, family, part, monkeypatch):
    instance, stop = SUMS[name].declare(generate(family, count=1, seed=0)), StopFlag()
    parts, reached, make_clock = [], threading.Event(), Ledger.clock

    def clock_of_next_part(*arguments):
        parts.append(arguments)
        if len(parts) == part:
            reached.set()
        return make_clock(*arguments)

    def stop_once_reached():
        reached.wait()
        stop.set()

    monkeypatch.setattr(Ledger, "clock", clock_of_next_part)
    other = threading.Thread(target=stop_once_reached)
    other.start()
    # Were it not for the flag, this would take an hour.
    try:
        bound = prove_bound(instance, time_limit=3600, stop=stop)
    finally:
        is_reached = reached.is_set()
        reached.set()
        other.join()
    assert is_reached
    # At worst all gains together.
    assert math.isfinite(bound.value)


@pytest.mark.parametrize("name", SUMS)
def test_told_to_stop_beforehand_a_bound_is_returned_all_the_same(name):
    stop = StopFlag()
    stop.set()
    instance = SUMS[name].declare(generate("er-large", count=1, seed=0))
    bound = prove_bound(instance, time_limit=3600, stop=stop)
    quick = prove_bound(instance, time_limit=0)
    assert holds(bound.value, quick.value, instance.sense)


def test_no_time_gives_the_quick_bound_and_the_same_every_time():
    graph = generate("er-large", count=1, seed=0)
    for problem in SUMS.values():
        bounds = [prove_bound(problem.declare(graph), time_limit=0, seed=seed) for seed in range(3)]
        assert bounds[0] == bounds[1] == bounds[2]
        assert bounds[0] is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", SUMS)
def test_a_million_nodes(name):
    graph = barabasi_albert(np.random.default_rng(0), num_nodes=1_000_000, attachment=4)
    bound = prove_bound(SUMS[name].declare(graph), time_limit=0)
    # A graph stands for a function of its weights: what is wanted least, with no pair at odds.
    weights = float(graph.node_weight.sum() + graph.edge_weight.sum())
    greedy = {"mis": 500_100, "clique": 5, "mds": 60_000, "cut": 0, "vertex_cover": 499_900, "max_cut": graph.num_edges}
    greedy |= {"qubo": -weights, "ising": -weights}
    # What all volume would earn, if nothing were cut.
    greedy[PRICED] = -SUMS[PRICED].option_values["price"] * 2 * graph.num_edges
    assert holds(greedy[name], bound.value, SUMS[name].sense)


def test_cliques_of_a_hundred_thousand_nodes_need_no_dense_array():
    graph = barabasi_albert(np.random.default_rng(0), num_nodes=100_000, attachment=4)
    bound = prove_bound(PROBLEMS["clique"].declare(graph), time_limit=0)
    assert 3 <= bound.value <= 5


AT_ONCE = 1e-9
"""Seconds that are over before anything begins."""


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("weights", [None, "integer", "real"])
def test_however_short_the_time_a_bound_is_the_greedy_one_at_least(name, weights):
    for seed in range(3):
        instance = SUMS[name].declare(random_graph(seed, 60, 0.2, weights=weights))
        greedy, hurried = (prove_bound(instance, time_limit=limit) for limit in (0.0, AT_ONCE))
        assert holds(greedy.value, hurried.value, instance.sense)


@pytest.mark.parametrize("name", PROBLEMS.own)
def test_however_short_the_time_an_answer_has_the_greedy_bound_at_least(name):
    """All problems, those of set systems and quotients too, through `solve`."""
    problem = PROBLEMS[name]
    graphs = [
        random_graph(seed, 40, 0.2, weights=weights) for seed in range(2) for weights in (None, "integer", "real")
    ]
    if problem.examples is not None:
        graphs = problem.examples(np.random.default_rng(3))
    if problem.at_price is not None:
        graphs = [graph.with_weights(edge_weight=np.abs(graph.edge_weight)) for graph in graphs]
    for graph in graphs:
        found = solve(graph, problem, time_limit=AT_ONCE, num_threads=1)
        # A quotient of weights that are not negative is none either.
        least = prove_bound(problem.declare(graph), time_limit=0).value if problem.at_price is None else 0.0
        # A bound that is met may be lower by what rounding explains.
        assert found.optimal or holds(least, found.bound, problem.sense)


@pytest.mark.parametrize("name", ["mis", "clique", "vertex_cover", "mds"])
def test_on_a_large_graph_a_short_time_gives_the_bound_of_one_pass(name, monkeypatch):
    monkeypatch.setattr("annealco.bounds.ledger.QUICK_WORK", 0)
    monkeypatch.setattr("annealco.bounds.packing.QUICK_WORK", 0)
    for seed, weights in product(range(4), (None, "integer", "real")):
        graph = random_graph(seed, 12, 0.4, weights=weights)
        instance, best = SUMS[name].declare(graph), best_score(PROBLEMS[name], graph)
        bound = prove_bound(instance, bounds="clique_cover,hitting_sets", time_limit=AT_ONCE)
        assert bound.method in {"pairs", "neighbourhoods", "set packing, greedy"}
        assert holds(bound.value, best, instance.sense)
        weight = graph.node_weight
        # What is known by hand: a maximal matching, all neighbours of a node, nothing at all.
        low, high = graph.edges
        left = weight.copy()
        for u, v in zip(low.tolist(), high.tolist(), strict=True):
            left[[u, v]] -= min(left[u], left[v])
        matching = (weight.sum() - left.sum()) / 2
        around = max(weight[node] + weight[np.append(low[high == node], high[low == node])].sum() for node in range(12))
        known = {"mis": weight.sum() - matching, "vertex_cover": matching, "clique": around, "mds": weight.min()}
        assert holds(known[name], bound.value, instance.sense) or bound.value == pytest.approx(known[name])
