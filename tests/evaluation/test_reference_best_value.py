from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from annealco.baselines import METHODS, Method, Outcome
from annealco.errors import InputError
from annealco.evaluation.references import best_value as module
from annealco.evaluation.references.best_value import best_known, choose_exact, is_better
from annealco.evaluation.references.cases import Case
from annealco.evaluation.references.store import Reference
from annealco.graph.generators import generate
from annealco.graph.generators.presets import ring_with_chords
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.solving.solution import Solution
from annealco.solving.solver import Solver
from tests.budgets import FAR

MIS = PROBLEMS["mis"]
HARD = generate("er-small", count=1, seed=2)


@pytest.fixture(autouse=True)
def _moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let moves count instead of time."""
    monkeypatch.setattr(module, "Solver", partial(Solver, moves=1000))


@pytest.fixture
def _unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prove nothing."""
    monkeypatch.setattr(module, "Solver", partial(Solver, moves=1000, bound=False))


def solver(monkeypatch: pytest.MonkeyPatch, outcome: Outcome) -> Method:
    """An exact solver that says what it is told to, and remembers the start."""
    starts, budgets = [], []

    def run(problem, graph, *, start, budget, **rest):
        starts.append(start)
        budgets.append(budget)
        return outcome

    monkeypatch.setattr(module, "starts", starts, raising=False)
    monkeypatch.setattr(module, "budgets", budgets, raising=False)
    monkeypatch.setattr(module, "run", run, raising=False)
    return Method("oracle", "it knows", "annealco.evaluation.references.best_value:run")


def test_what_search_proves_needs_no_exact_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(4, MIS, Graph.from_edges([[0, 1], [1, 2]]))
    found = best_known(case, time_limit=FAR, exact=solver(monkeypatch, Outcome(None)))
    assert (found.case, found.value, found.proven, found.nodes) == (4, 2, True, (0, 2))
    assert found.volume is None
    assert not module.starts


@pytest.mark.usefixtures("_unproven")
def test_a_bound_of_the_exact_solver_proves_the_set(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = best_known(Case(0, MIS, HARD), time_limit=FAR, exact=None)
    assert not plain.proven
    asked = solver(monkeypatch, Outcome(None, bound=plain.value))
    found = best_known(Case(0, MIS, HARD), time_limit=FAR, exact=asked, known=plain)
    assert found.proven == (found.value == plain.value)
    assert found.method.endswith(" + oracle") == found.proven
    [start] = module.starts
    assert tuple(np.flatnonzero(start)) == found.nodes


@pytest.mark.parametrize(
    ("weight", "bound", "proven"), [(1e12, 1e12 + 1, False), (1e12, 1e12, True), (0.1, 0.11, False)]
)
def test_a_bound_that_differs_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, weight: float, bound: float, proven: bool
) -> None:
    graph = Graph.from_edges([[0], [1]], node_weight=[weight, weight])
    monkeypatch.setattr(module, "solve_each", lambda solver, graph: iter([solution(weight, None)]))
    found = best_known(Case(0, MIS, graph), time_limit=FAR, exact=solver(monkeypatch, Outcome(None, bound=bound)))
    assert found.proven == proven
    monkeypatch.setattr(module, "solve_each", lambda solver, graph: iter([solution(weight, bound)]))
    assert best_known(Case(0, MIS, graph), time_limit=FAR, exact=None).proven == proven


def solution(value: float, bound: float | None) -> Solution:
    return Solution("mis", [0], value, True, bound, None, False, "search", 0.5, 0, "0")


def test_a_better_set_of_the_exact_solver_counts_after_a_score(monkeypatch: pytest.MonkeyPatch) -> None:
    def little(solver, graph):
        yield Solution("mis", [0], 1.0, True, None, None, False, "search", 0.5, 0, "0")

    monkeypatch.setattr(module, "solve_each", little)
    cycle = Graph.from_edges([[0, 1, 2, 3, 0], [1, 2, 3, 4, 4]])
    better = Outcome(np.array([0, 1, 0, 1, 0], bool), bound=2.0, proven=True, seconds=0.25)
    asked = solver(monkeypatch, better)
    found = best_known(Case(3, MIS, cycle), time_limit=FAR, exact=asked, exact_limit=7)
    assert found == Reference(3, 2.0, True, "oracle", 0.75, (1, 3))
    assert module.starts[0].tolist() == [True, False, False, False, False]
    assert module.budgets == [7]


@pytest.mark.usefixtures("_unproven")
def test_a_claim_that_does_not_score_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = Outcome(np.ones(HARD.num_nodes, bool), bound=None, proven=True)
    lies = best_known(Case(0, MIS, HARD), time_limit=FAR, exact=solver(monkeypatch, claims))
    assert not lies.proven
    assert MIS.score(HARD, lies.nodes) == lies.value


@pytest.mark.usefixtures("_unproven")
def test_what_was_known_or_planted_is_kept_where_it_is_better() -> None:
    low = Reference(0, 1e9, False, "far too good", 1.0, (1, 2))
    found = best_known(Case(0, MIS, HARD), time_limit=FAR, exact=None, known=low)
    assert (found.value, found.nodes) == (1e9, (1, 2))
    assert found.method.startswith("far too good (")
    forced = generate("rb-large", count=1, seed=3)
    hidden = tuple(np.flatnonzero(forced.node_data["planted"]).tolist())
    plain = Graph(forced.node_ptr, forced.edges, forced.node_weight, forced.edge_weight)
    found = best_known(Case(0, MIS, plain, planted=hidden), time_limit=FAR, exact=None)
    assert found.value == len(hidden)


def test_cuts_tell_their_volume() -> None:
    square = Graph.from_edges([[0, 1, 2, 3, 0], [1, 2, 3, 0, 2]])
    case = Case(7, PROBLEMS["cut"].with_options(volume=(2, 5), seed_node=1), square, has_volume=True)
    found = best_known(case, time_limit=FAR, exact=None)
    assert (found.value, found.proven, found.nodes, found.volume) == (2, True, (1,), 2)


def test_the_preferred_solver_of_those_installed_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_exact("none") is None
    with pytest.raises(
        InputError, match="unknown exact solver 'cplex'; choose one of cp_sat, scip, highs, gurobi, none"
    ):
        choose_exact("cplex")
    there = {"scip", "highs"}
    monkeypatch.setattr(Method, "is_installed", property(lambda method: method.name in there))
    assert choose_exact(None) is METHODS["scip"]
    assert choose_exact("highs") is METHODS["highs"]
    with pytest.raises(InputError, match=r"cp_sat needs ortools: pip install 'annealco\[exact\]'"):
        choose_exact("cp_sat")
    there.clear()
    assert choose_exact(None) is None


def test_better_is_by_the_problem_s_sense() -> None:
    assert is_better(MIS, 2, 1)
    assert not is_better(MIS, 1, 1)
    assert is_better(PROBLEMS["mds"], 1, 2)


@pytest.mark.usefixtures("_unproven")
def test_alone_the_limit_is_of_cpu_seconds(monkeypatch):
    given = []

    def run_for_cpu(run, limit):
        given.append(limit)
        return run(limit), limit, limit

    monkeypatch.setattr("annealco.evaluation.references.best_value.run_for_cpu", run_for_cpu)
    best_known(Case(0, MIS, HARD), time_limit=FAR, exact=None)
    assert not given
    found = best_known(Case(0, MIS, HARD), time_limit=FAR, exact=None, alone=True)
    assert given == [FAR]
    assert MIS.score(HARD, found.nodes) == found.value


@pytest.mark.usefixtures("_unproven")
def test_exact_solvers_are_not_asked_for_quotients(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = ring_with_chords()
    exact = solver(monkeypatch, Outcome(None, bound=0.0, proven=True))
    found = best_known(Case(0, PROBLEMS["conductance"], graph), time_limit=FAR, exact=exact)
    assert not found.proven
    assert module.starts == []
    assert found.value == PROBLEMS["conductance"].score(graph, found.nodes or ())
