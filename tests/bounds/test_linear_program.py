import subprocess
import sys
import threading

import numpy as np
import pytest

from annealco._core import StopFlag
from annealco.bounds.cutting_plane import SetList
from annealco.bounds.linear_program import solve_linear_program
from tests.budgets import FAR
from tests.waiting import wait_until

PAIR = SetList(np.array([0, 2]), np.array([0, 1], np.int32))

HARD = """
import numpy as np
from annealco.bounds.cutting_plane import SetList

rng = np.random.default_rng(0)
members = np.concatenate([rng.choice(3000, 60, replace=False) for _ in range(3000)]).astype(np.int32)
PROGRAM = rng.uniform(1, 2, 3000), SetList(np.arange(0, 180_001, 60), members), rng.uniform(1, 2, 3000)
"""
"""A program that takes the solver minutes."""


def hard_program():
    scope = {}
    exec(HARD, scope)
    return scope["PROGRAM"]


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
    stop, program, before = StopFlag(), hard_program(), set(threading.enumerate())

    def solver_runs():
        return any(each.name == "annealco-linear-program" for each in set(threading.enumerate()) - before)

    def stop_once_it_runs():
        try:
            wait_until(solver_runs)
        finally:
            stop.set()

    other = threading.Thread(target=stop_once_it_runs)
    other.start()
    # Were it not for the flag, this would take an hour.
    assert solve_linear_program(*program, seconds=3600, stop=stop) is None
    # It was begun, and not merely refused.
    assert solver_runs()
    other.join()


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
from annealco.bounds.cutting_plane import SetList
from annealco.bounds.linear_program import solve_linear_program
pair = SetList(np.array([0, 2]), np.array([0, 1], np.int32))
for seconds in (0.05, 60):
    found = solve_linear_program(np.ones(2), pair, np.ones(1), seconds=seconds)
    print(found is not None, "scipy.optimize" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True", "True"]
