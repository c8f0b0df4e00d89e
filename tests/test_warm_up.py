"""What a problem needs is compiled before the first time limit, and loaded before every other."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annealco import warm_up as module
from annealco._core import StopFlag
from annealco.energy import Instance
from annealco.graph.graph import Graph
from annealco.graph.segments import FloatArray
from annealco.problems import PROBLEMS
from annealco.solving import Solver
from annealco.warm_up import warm_up

GRAPHS = Path(__file__).parents[1] / "examples" / "graphs"
FILES = {
    "mis": ("queens.col", "forced.npz"),
    "clique": ("friends.graphml",),
    "mds": ("streets.graph",),
    "cut": ("regions.edges",),
    "conductance": ("regions.edges",),
    "vertex_cover": ("rooms.gr",),
    "max_cut": ("spins.mtx",),
}
"""The example graphs of each problem, as in examples/demo.py."""

NOTING = """
opened = set()
load = jit.LazyCache.load_overload

def note(cache, signature, context):
    opened.add(f"{cache._function.__module__}.{cache._function.__name__}")
    return load(cache, signature, context)

jit.LazyCache.load_overload = note
"""
"""Notes which kernels are asked for from here on."""

OPENED = (
    """
import sys
from pathlib import Path
from annealco import PROBLEMS, jit, read_graph, solve, warm_up
from annealco.solving import Solver

problem, *files = sys.argv[1:]
if problem == "first ever":
    problem, *files = files
else:
    # As if something had been compiled on the first graph, and nothing more in the next round.
    counts = iter([0, 1, 1, 1])
    warm_up.num_compiled = lambda: next(counts)
    # Which kernels these graphs reach is the question here, not how long a busy machine takes to get there.
    warm_up.BOUND_SECONDS = 1.0
    warm_up._mark = lambda what: None
warm_up.warm_up(Solver(PROBLEMS[problem]))
"""
    + NOTING
    + """for file in files:
    for graph in read_graph(Path(file)):
        solve(graph, problem, time_limit=1.0)
print(*sorted(opened))
"""
)


def opened_after_warming_up(problem: str, *flags: str, **variables: str) -> list[str]:
    """Return the kernels that solving the example graphs asks for after the warm-up, in a new process."""
    command = [sys.executable, "-c", OPENED, *flags, problem, *(str(GRAPHS / file) for file in FILES[problem])]
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("problem", ["mis", *(pytest.param(each, marks=pytest.mark.slow) for each in [*FILES][1:])])
def test_the_graphs_of_the_first_run_reach_every_kernel_that_the_examples_need(problem: str) -> None:
    # A busy machine may take the time away in which a round would have got to the last kernels.
    assert opened_after_warming_up(problem) == [] or opened_after_warming_up(problem) == []


LATER = (
    """
import sys
from annealco import PROBLEMS, generate, jit, solve, warm_up
from annealco.solving import Solver

warm_up.num_compiled = lambda: 0
warm_up._mark = lambda what: None
warm_up.warm_up(Solver(PROBLEMS[sys.argv[1]]))
"""
    + NOTING
    + """solve(generate("er-small", count=1, seed=1), sys.argv[1], time_limit=0.5)
print(*sorted(opened))
"""
)


@pytest.mark.parametrize("problem", ["cut", "max_cut"])
def test_searches_and_first_bounds_of_cuts_are_loaded_in_every_process(problem: str) -> None:
    """The vectors of the semidefinite relaxation may be loaded later: small kernels for what few graphs need."""
    done = subprocess.run([sys.executable, "-c", LATER, problem], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {
        "annealco.bounds.mixing.mix",
        "annealco.bounds.positive_definite._eliminate",
        "annealco.bounds.cycle_separation.short_cycles",
    }


@pytest.mark.slow
@pytest.mark.parametrize("problem", FILES)
def test_nothing_is_compiled_after_the_first_warm_up_ever(problem: str, tmp_path: Path) -> None:
    assert opened_after_warming_up(problem, "first ever", NUMBA_CACHE_DIR=str(tmp_path)) == []


def test_every_problem_has_an_example() -> None:
    assert set(FILES) == set(PROBLEMS)


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the graphs that are tried."""
    sizes: list[int] = []
    real = module.attempt

    def counted(solver, graph, number, threads):
        sizes.append(graph.num_nodes)
        return real(solver, graph, number, threads)

    monkeypatch.setattr(module, "attempt", counted)
    monkeypatch.setattr(module, "_done", set())
    monkeypatch.setattr(module, "_mark", lambda _: None)
    return sizes


def test_where_all_is_cached_one_small_graph_is_tried_once(attempts, monkeypatch) -> None:
    monkeypatch.setattr(module, "num_compiled", lambda: 5)
    for _ in range(2):
        warm_up(Solver(PROBLEMS["mis"]))
    assert attempts == [module.FIRST]


class Network:
    """Proposes nothing in particular, and notes the sizes of the graphs it sees."""

    name, problem = "noting", "mis"

    def __init__(self) -> None:
        self.seen: list[int] = []

    def with_settings(self, **_: object) -> "Network":
        return self

    def __call__(self, graph: Graph, instance: Instance) -> FloatArray:
        self.seen.append(graph.num_nodes)
        return np.zeros(graph.num_nodes)


@pytest.mark.usefixtures("attempts")
def test_a_network_runs_once_before_the_first_time_limit(monkeypatch) -> None:
    monkeypatch.setattr(module, "_networks", set())
    network = Network()
    for _ in range(2):
        warm_up(Solver(PROBLEMS["mis"], model=network))
    assert network.seen == [module.FIRST]


@pytest.mark.usefixtures("attempts")
def test_a_function_sees_no_graph_but_the_callers() -> None:
    network = Network()
    warm_up(Solver(PROBLEMS["mis"], model=network.__call__))
    assert network.seen == []


def test_rounds_go_on_until_nothing_is_compiled(attempts, monkeypatch) -> None:
    counts = iter([0, 3, 3, 4, 4, 4])
    monkeypatch.setattr(module, "num_compiled", lambda: next(counts))
    warm_up(Solver(PROBLEMS["mis"], bound=False))
    a_round = [module.SMALL] * 4 + [module.LARGE]
    assert attempts == [module.FIRST, *a_round, *a_round]


def test_without_a_mark_a_round_is_made_though_nothing_was_compiled(attempts, monkeypatch, tmp_path) -> None:
    """Kernels that two problems share may be there while others of the second are not."""
    mark = tmp_path / "mark"
    monkeypatch.setattr(module, "num_compiled", lambda: 5)
    monkeypatch.setattr(module, "_mark", lambda _: mark)
    warm_up(Solver(PROBLEMS["mis"], bound=False))
    assert attempts == [module.FIRST, *[module.SMALL] * 4, module.LARGE]
    assert mark.exists()
    module._done.clear()
    attempts.clear()
    warm_up(Solver(PROBLEMS["mis"], bound=False))
    assert attempts == [module.FIRST]


def test_a_mark_is_of_a_problem_and_of_what_is_asked_for() -> None:
    marks = {
        module._mark((name, polish, bound)) for name in PROBLEMS for polish in (False, True) for bound in (False, True)
    }
    assert len(marks) == 4 * len(PROBLEMS) or marks == {None}


def test_bounds_without_a_search_are_loaded_in_no_time(attempts) -> None:
    """The bound of a set that was only decoded would be worked on until the limit of the warm-up."""
    warm_up(Solver(PROBLEMS["clique"]))
    begun = time.process_time()
    warm_up(Solver(PROBLEMS["clique"], polish=False))
    assert time.process_time() - begun < 2
    assert attempts == [module.FIRST] * 2


def test_an_interrupted_warm_up_ends_and_is_not_taken_for_done(attempts, monkeypatch) -> None:
    monkeypatch.setattr(module, "num_compiled", lambda: len(attempts))
    stop = StopFlag()
    stop.set()
    warm_up(Solver(PROBLEMS["mis"], stop=stop))
    assert attempts == [module.FIRST]
    assert not module._done


def test_problems_of_one_s_own_are_left_alone(attempts) -> None:
    warm_up(Solver(replace(PROBLEMS["mis"], declare=PROBLEMS["mds"].declare)))
    assert attempts == []
