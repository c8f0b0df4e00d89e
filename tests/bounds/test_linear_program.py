import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings

from annealco._core import Clock, overfilled_cliques
from annealco.bounds.linear_program import SetList, neighbours_of, solve_linear_program, tighten
from annealco.bounds.packing import CliqueCover, certified_price, greedy_cover
from annealco.graph.operations import complement, induced_subgraph
from tests.bounds.references import joined_sets, ledger, over, random_graph, rows_of, sets_of
from tests.budgets import FAR
from tests.graph.strategies import graphs

PAIR = SetList(np.array([0, 2]), np.array([0, 1], np.int32))

HARD = """
import numpy as np
from annealco.bounds.linear_program import SetList

rng = np.random.default_rng(0)
members = np.concatenate([rng.choice(3000, 60, replace=False) for _ in range(3000)]).astype(np.int32)
PROGRAM = rng.uniform(1, 2, 3000), SetList(np.arange(0, 180_001, 60), members), rng.uniform(1, 2, 3000)
"""
"""A program that takes the solver minutes."""


def random_sets(rng, num_sets, num_columns):
    kept = rng.random((num_sets, num_columns)) < 0.4
    kept[0] = True
    start = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    return kept.astype(float), SetList(start, np.nonzero(kept)[1].astype(np.int32))


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_solution_and_prices_have_the_same_value(scale):
    rng = np.random.default_rng(0)
    for _ in range(10):
        matrix, sets = random_sets(rng, 8, 12)
        gain, limit = rng.uniform(0, 3, 12), rng.uniform(1, 4, 8)
        found = solve_linear_program(gain, sets, limit, scale=scale, seconds=FAR)
        assert (scale * matrix @ found.solution <= limit + 1e-6).all()
        assert (found.price @ matrix * scale >= gain - 1e-6).all()
        assert gain @ found.solution == pytest.approx(limit @ found.price)


def test_nothing_to_decide_or_no_time():
    nothing = SetList(np.zeros(4, np.int64), np.zeros(0, np.int32))
    empty = solve_linear_program(np.zeros(0), nothing, np.ones(3), seconds=FAR)
    assert empty.solution.shape == (0,)
    assert empty.price.tolist() == [0.0, 0.0, 0.0]
    assert solve_linear_program(np.ones(2), PAIR, np.ones(1), seconds=0) is None


def test_an_unbounded_program_gives_nothing():
    assert solve_linear_program(np.ones(3), PAIR, np.ones(1), seconds=FAR) is None


def test_errors_of_the_solver_reach_the_caller():
    with pytest.raises(ValueError, match=r"nan|NaN|inf"):
        solve_linear_program(np.array([np.nan, 1.0]), PAIR, np.ones(1), seconds=FAR)


@pytest.mark.processes
def test_a_program_that_takes_long_is_left_alone_once_stop_is_set():
    # In a process of its own, which ends without waiting: the solver would go on beside the tests that follow.
    program = (
        HARD
        + """
import os, threading
from annealco._core import StopFlag
from annealco.bounds.linear_program import solve_linear_program

stop = StopFlag()

def solver_runs():
    return any(each.name == "annealco-linear-program" for each in threading.enumerate())

def stop_once_it_runs():
    while not solver_runs():
        pass
    stop.set()

threading.Thread(target=stop_once_it_runs).start()
# Were it not for the flag, this would take an hour.
found = solve_linear_program(*PROGRAM, seconds=3600, stop=stop)
# It was begun, and not merely refused.
print(found, solver_runs(), flush=True)
os._exit(0)
"""
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["None", "True"]


@pytest.mark.processes
def test_a_process_ends_well_while_a_solver_that_was_left_alone_still_runs():
    program = (
        HARD
        + """
from annealco.bounds.linear_program import solve_linear_program
solve_linear_program(np.ones(2), SetList(np.array([0, 2]), np.array([0, 1], np.int32)), np.ones(1), seconds=60)
print(solve_linear_program(*PROGRAM, seconds=1.0))
"""
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout.split(), done.stderr) == (["None"], "")


@pytest.mark.processes
def test_ctrl_c_ends_a_program_without_waiting_for_a_solver_that_was_left_alone():
    program = (
        HARD
        + """
import signal
from annealco._core import StopFlag
from annealco.bounds.linear_program import _Task, solve_linear_program

stop, solve = StopFlag(), _Task._solve

def stop_and_solve(self):
    stop.set()
    return solve(self)

_Task._solve = stop_and_solve
print(solve_linear_program(*PROGRAM, seconds=3600, stop=stop))
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.raise_signal(signal.SIGINT)
"""
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "None\n")
    assert done.stderr.endswith("KeyboardInterrupt\n")


def test_without_time_for_it_the_solver_is_not_even_imported():
    program = """
import sys
import numpy as np
from annealco.bounds.linear_program import SetList
from annealco.bounds.linear_program import solve_linear_program
pair = SetList(np.array([0, 2]), np.array([0, 1], np.int32))
for seconds in (0.05, 60):
    found = solve_linear_program(np.ones(2), pair, np.ones(1), seconds=seconds)
    print(found is not None, "scipy.optimize" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True", "True"]


CYCLE = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]], np.int32)


def some_sets(solution, sign):
    """The pairs of a cycle of five that a solution violates."""
    violated = CYCLE[sign * solution[CYCLE].sum(axis=1) > sign + 1e-6]
    return SetList(2 * np.arange(len(violated) + 1), violated.ravel())


@pytest.mark.parametrize(("kind", "sign"), [("packing", 1.0), ("covering", -1.0)])
def test_sets_join_until_none_is_violated(kind, sign):
    offers = []
    first = SetList(np.array([0, 1, 2, 3, 4, 5]), np.arange(5, dtype=np.int32))
    if kind == "covering":
        first = SetList(np.array([0, 2]), np.array([0, 1], np.int32))
    tighten(
        kind,
        np.ones(5),
        first,
        ledger(),
        separate=lambda solution: some_sets(solution, sign),
        offer=lambda sets, price: offers.append((len(sets.start) - 1, price.sum())),
    )
    values = [value for _, value in offers]
    assert values[-1] == pytest.approx(2.5)
    assert values == sorted(values, reverse=kind == "packing")


def test_every_offer_is_a_cover_by_cliques():
    graph = random_graph(0, 40, 0.4)
    rows, weight = rows_of(graph), np.random.default_rng(1).uniform(1, 3, 40)
    (greedy, _), bounds = greedy_cover(rows, weight, Clock()), []

    def offer(sets, price):
        assert {node for each in sets_of(sets.start, sets.member) for node in each} == set(range(40))
        bounds.append(certified_price(CliqueCover(sets.start, sets.member, price), weight))

    tighten(
        "packing",
        weight,
        SetList(greedy.start, greedy.member),
        ledger(),
        separate=lambda solution: SetList(*overfilled_cliques(rows, solution, 2, 1000, Clock())),
        offer=offer,
    )
    assert bounds[0] <= greedy.price.sum() + 1e-9
    assert min(bounds) < bounds[0]


def test_no_time_means_no_offer():
    sets = SetList(np.array([0, 1]), np.zeros(1, np.int32))
    tighten("packing", np.ones(1), sets, ledger(), separate=None, offer=None, seconds=0)
    tighten("packing", np.ones(1), sets, ledger(seconds=0), separate=None, offer=None)


def same(one, other):
    return one.start.tolist() == other.start.tolist() and one.node.tolist() == other.node.tolist()


@given(graphs(max_nodes=7))
@settings(max_examples=50)
def test_rows_hold_the_neighbours_in_ascending_order(graph):
    rows = rows_of(graph)
    assert sets_of(rows.start, rows.node) == [sorted(each) for each in joined_sets(graph)]
    assert (rows.num_nodes, rows.num_entries) == (graph.num_nodes, 2 * graph.num_edges)


def test_pairs_in_any_order_and_direction_listed_twice_count_once():
    graph = random_graph(1, 12, 0.5)
    rng = np.random.default_rng(0)
    twice = np.concatenate([graph.edges, graph.edges[::-1]], axis=1)[:, rng.permutation(2 * graph.num_edges)]
    assert same(neighbours_of(twice, 12), rows_of(graph))


@pytest.mark.parametrize("pairs", [[[0], [0]], [[0], [3]], [[-1], [1]], [[0, 1], [1, 1]]])
def test_pairs_must_be_of_different_nodes_that_exist(pairs):
    with pytest.raises(ValueError, match="pairs must be of different nodes from 0 to num_nodes"):
        neighbours_of(np.array(pairs), 3)


def test_induced_rows_are_those_of_the_induced_subgraph():
    graph = random_graph(4, 12, 0.4)
    for seed in range(5):
        kept = np.random.default_rng(seed).random(12) < 0.6
        expected = rows_of(induced_subgraph(graph, np.flatnonzero(kept)))
        assert same(rows_of(graph).induced(kept, Clock()), expected)


@given(graphs(max_nodes=8))
@settings(max_examples=30)
def test_the_complement_is_that_of_the_graph(graph):
    assert same(rows_of(graph).complement(Clock()), rows_of(complement(graph)))


def test_without_time_there_are_no_rows():
    rows = rows_of(random_graph(4, 12, 0.4))
    assert rows.induced(np.arange(12) < 5, over()) is None
    assert rows.complement(over()) is None
