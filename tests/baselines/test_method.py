from __future__ import annotations

import sys
import types

import numpy as np
import pytest

from annealco.baselines import METHODS, Method, Outcome, find_method
from annealco.baselines import method as module
from annealco.baselines.method import on_instance, only_for, problems_of, takes_all
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.budgets import FAR
from tests.fake_clock import FakeClock

PATH = Graph.from_edges([[0, 1], [1, 2]])
MIS = PROBLEMS["mis"]


@pytest.fixture
def everything(monkeypatch: pytest.MonkeyPatch) -> Method:
    """A method that returns all nodes, and notes what it was given."""

    def solve(problem, graph, *, budget, seed, threads, start):
        given = f"{problem.name} {budget} {seed} {threads} {start is None}"
        return Outcome(np.ones(graph.num_nodes, bool), note=given)

    module = types.ModuleType("somebodys_module")
    module.solve = solve
    monkeypatch.setitem(sys.modules, "somebodys_module", module)
    return Method("everything", "all nodes", "somebodys_module:solve", refuses=only_for("mds", "mis"))


def test_a_method_is_found_where_it_says_and_given_everything(everything: Method) -> None:
    found = everything.run(MIS, PATH, budget=25, seed=3, threads=4)
    assert found.assignment is not None
    assert found.assignment.tolist() == [True] * 3
    assert found.note == "mis 25 3 4 True"
    assert (found.bound, found.proven) == (None, False)


def test_what_a_method_refuses_is_not_run(everything: Method) -> None:
    with pytest.raises(InputError, match="everything cannot solve clique here: it is for mds, mis only"):
        everything.run(PROBLEMS["clique"], PATH, budget=FAR)
    assert takes_all(MIS, PATH) is None


@pytest.mark.parametrize("package", ["no_such_package", "no_such_package.inside"])
def test_a_missing_package_names_the_extra(package: str) -> None:
    method = Method("absent", "none", "no_such_module:solve", needs="exact", package=package)
    assert not method.is_installed
    with pytest.raises(InputError, match=rf"absent needs {package}: pip install 'annealco\[exact\]'"):
        method.run(MIS, PATH, budget=FAR)


def test_the_registry_is_by_name_and_says_what_there_is() -> None:
    for name, method in METHODS.items():
        assert method.name == name
        assert method.summary
        assert (method.needs is None) == (method.package is None)
    with pytest.raises(InputError, match=r"unknown method 'nothing'; choose one of "):
        find_method("nothing")


def test_a_function_of_the_instance_becomes_a_method(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, clock = [], FakeClock()
    monkeypatch.setattr(module, "time", clock)

    def find(instance, *, budget, seed, threads, moves):
        seen.append((instance.num_nodes, budget, seed, threads, moves))
        clock.now += 2
        return np.array([True, False, True])

    path = Graph.from_edges([[0, 1], [1, 2]])
    found = on_instance(find)(PROBLEMS["mis"], path, budget=FAR, seed=3, threads=4, start=np.zeros(3, bool))
    assert seen == [(3, FAR, 3, 4, None)]
    assert found.assignment is not None
    assert found.assignment.tolist() == [True, False, True]
    assert found.seconds == 2
    assert (found.bound, found.proven) == (None, False)


ALL = list(PROBLEMS)
SUMS = [name for name, problem in PROBLEMS.items() if problem.at_price is None]
INDEPENDENT = ["mis", "clique", "vertex_cover"]


def test_every_method_takes_what_it_is_for() -> None:
    taken = {name: problems_of(method) for name, method in METHODS.items()}
    for name in ("greedy", "mean_field", "search"):
        assert taken[name] == ALL
    for name in ("anneal", "sampling", "cp_sat", "highs", "scip", "gurobi"):
        assert taken[name] == SUMS
    for name in ("pagerank_nibble", "crd", "mqi", "simple_local"):
        assert taken[name] == ["cut", "conductance"]
    for name in ("online_mis", "redu_mis", "chils"):
        assert sorted(taken[name]) == sorted(INDEPENDENT)
    assert sorted(taken["greedy_fixed"]) == sorted([*INDEPENDENT, "mds", "set_cover", "hitting_set"])
    assert sorted(taken["dwave"]) == sorted([*INDEPENDENT, "max_cut", "qubo", "ising"])
    assert sorted(taken["networkx"]) == sorted(["mis", "clique", "mds"])
