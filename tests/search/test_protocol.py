import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from annealco._core import StopFlag
from annealco.clock import Budget, Trace
from annealco.energy import Constraint, Instance, Linear, Range
from annealco.errors import InputError
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.search.annealing import AnnealingSearch
from annealco.search.protocol import count_threads, rescored, result_of
from annealco.search.repair import finish
from annealco.search.tabu import AlternatingSearch, TabuSearch
from tests.problems.sums import SUMS
from tests.search.instances import cost_of
from tests.waiting import PATIENCE

EDGE = PROBLEMS["mis"].declare(Graph.from_edges([[0], [1]], node_weight=[2, 3]))


@pytest.mark.parametrize(("bits", "cost", "feasible"), [([0, 1], -3, True), ([1, 1], -5, False), ([0, 0], 0, True)])
def test_cost_and_feasibility_are_evaluated_anew(bits, cost, feasible):
    result = rescored(EDGE, np.array(bits, bool), moves=7, seconds=0.5, trace=())
    assert (result.cost, result.feasible, result.moves) == (cost, feasible, 7)
    with pytest.raises(AttributeError):
        result.cost = 2.0


SEARCHES = (AnnealingSearch, TabuSearch, AlternatingSearch)


def empty(instance: Instance) -> np.ndarray:
    return np.zeros(instance.num_nodes, bool)


@pytest.mark.parametrize("make", SEARCHES)
@pytest.mark.parametrize("name", SUMS)
def test_slices_of_any_length_leave_a_state_to_go_on_from(make, name):
    instance = SUMS[name].declare(generate("ba-small", count=1, seed=1))
    search, trace, costs = make(instance, empty(instance), 0), Trace(), []
    for number in range(60):
        budget = Budget(seconds=1e-5 * number) if number % 3 else Budget(moves=100 * number)
        _, best, cost = search.run(budget, -np.inf, trace)
        assert cost_of(instance, best)[0] == pytest.approx(cost)
        assert instance.violations(best)[0] == 0
        costs.append(cost)
    assert trace.points[-1][1] == min(costs)


@pytest.mark.parametrize("make", SEARCHES)
@pytest.mark.parametrize("name", ["max_cut", "cut"])
def test_no_move_is_made_without_time_or_after_a_stop(make, name):
    instance = PROBLEMS[name].declare(generate("ba-small", count=1, seed=1))
    search, stop = make(instance, empty(instance), 0), StopFlag()
    stop.set()
    start = finish(instance, empty(instance))
    for budget in (Budget(seconds=0), Budget(seconds=60, stop=stop), Budget(moves=100, stop=stop)):
        moves, best, cost = search.run(budget, -np.inf, Trace())
        assert moves == 0
        assert np.array_equal(best, start)
        assert cost == cost_of(instance, start)[0]


@pytest.mark.parametrize("make", SEARCHES)
def test_the_start_is_repaired_and_never_lost(make):
    graph = Graph.from_edges([[0, 1, 2], [1, 2, 3]], 4, node_weight=[1, 2, 4, 8])
    instance = PROBLEMS["mis"].declare(graph)
    for start in (np.ones(4, bool), [1, 1, 1, 1], np.ones(4)):
        _, best, cost = make(instance, start, 0).run(Budget(moves=0), -np.inf, Trace())
        assert PROBLEMS["mis"].score(graph, np.flatnonzero(best)) == -cost
    _, best, cost = make(instance, [0, 1, 0, 1], 0).run(Budget(moves=7), -np.inf, Trace())
    assert (best.tolist(), cost) == ([False, True, False, True], -10)


@pytest.mark.parametrize("make", SEARCHES)
def test_what_cannot_be_made_feasible_costs_infinitely_much(make):
    ptr = np.array([0, 2])
    # No number of nodes lies between a quarter and a half.
    never = Range(ptr, np.ones(2), np.array([0.25]), np.array([0.5]), np.ones(1))
    hopeless = Instance(ptr, (Linear(ptr, -np.ones(2)),), (Constraint(never, np.ones(1)),))
    trace = Trace()
    assert make(hopeless, [0, 0], 0).run(Budget(moves=2000), -np.inf, trace)[2] == np.inf
    assert not trace.points


@pytest.mark.parametrize("make", SEARCHES)
def test_starts_that_do_not_fit_are_refused(make):
    edge = Graph.from_edges([[0], [1]])
    with pytest.raises(InputError, match="a search is of one graph, this instance has 2"):
        make(PROBLEMS["mis"].declare(Graph.batch([edge, edge])), np.zeros(4, bool), 0)
    for start in ([0], [0, 2], [[0, 1]], [0.5, 1], [np.nan, 0]):
        with pytest.raises(InputError, match="0 or 1 for each of 2 nodes"):
            make(PROBLEMS["mis"].declare(edge), start, 0)


@pytest.mark.parametrize("make", SEARCHES)
def test_seeds_may_be_of_any_size_and_all_of_it_counts(make):
    instance = PROBLEMS["max_cut"].declare(generate("er-small", count=1, seed=1))

    def walked(seed: int) -> bytes:
        search = make(instance, empty(instance), seed)
        search.run(Budget(moves=3000), -np.inf, Trace())
        return search.core.present.tobytes()

    seeds = (0, 1, 2**64, 2**64 + 1, 2**200)
    assert len({walked(seed) for seed in seeds}) == len(seeds)
    assert walked(2**200) == walked(2**200)


def test_the_number_of_threads_is_checked():
    assert count_threads(3) == 3
    assert count_threads(None) >= 1
    with pytest.raises(InputError, match="at least 1, it is 0"):
        count_threads(0)


@pytest.mark.processes
def test_a_signal_that_another_thread_receives_is_answered():
    answered = threading.Event()

    def work():
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        return answered.wait(PATIENCE)

    before = signal.signal(signal.SIGINT, lambda *_: answered.set())
    try:
        with ThreadPoolExecutor(1) as pool:
            assert result_of(pool.submit(work))
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_error_of_a_task_is_raised_also_a_timeout():
    def fail():
        raise TimeoutError("its own")

    with ThreadPoolExecutor(1) as pool, pytest.raises(TimeoutError, match="its own"):
        result_of(pool.submit(fail))
