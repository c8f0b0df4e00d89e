from __future__ import annotations

import sys
import types

import numpy as np
import pytest

from annealco.baselines import METHODS, Method, Outcome, find_method
from annealco.baselines.method import only_for, takes_all
from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.budgets import FAR

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
