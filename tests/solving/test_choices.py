"""Searches and bounds are chosen by name, by place or as they are, also those of a user's own file or package."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

import annealco
import annealco.registry as registry_module
from annealco import BOUNDS, PROBLEMS, SEARCHES, check_bound, check_search, solve
from annealco.bounds import BoundKind, find_bounds, prove_bound
from annealco.bounds.ledger import Ledger
from annealco.clock import Budget
from annealco.energy import Instance
from annealco.energy.structure import structure_of
from annealco.errors import InputError
from annealco.graph.formats import write_graph
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.registry import Registry, load_place
from annealco.search import Found, SearchKind
from annealco.search.searches import Improver, default_search
from annealco.solving.pipeline import attempt
from annealco.solving.solver import Solver
from tests.budgets import BRIEF, BRIEF_OPTIONS
from tests.cli.program import Output, call
from tests.problems.sums import ON_GRAPHS

ROOT = Path(__file__).parents[2]
OWN_SEARCH, OWN_BOUND = (ROOT / "examples" / f"own_{name}.py" for name in ("search", "bound"))
CYCLE = Graph.from_edges([[0, 1, 2, 3, 0], [1, 2, 3, 4, 4]])
GRAPH = generate("er-small", count=1, seed=2)
TITLES = {
    "cliques": "clique search",
    "covering": "covering search",
    "alternating": "annealing and tabu search",
    "recombination": "annealing with recombination",
    "annealing": "simulated annealing",
    "tabu": "tabu search",
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_is_chosen_by_its_name(name: str) -> None:
    for problem in ON_GRAPHS:
        structure = structure_of(PROBLEMS[problem].declare(GRAPH))
        if SEARCHES[name].takes(structure):
            found = solve(GRAPH, problem, search=name, bound=False, moves=500, time_limit=60)
            assert found.method == TITLES[name]
            assert PROBLEMS[problem].score(GRAPH, found.nodes) == found.value
        else:
            with pytest.raises(InputError, match=f"^graph 0: the search {name} does not take this instance") as caught:
                solve(GRAPH, problem, search=name, moves=500)
            assert "choose one of" in str(caught.value)
            assert "\n" not in str(caught.value)


def test_the_default_is_the_first_of_the_package_that_takes_an_instance() -> None:
    for problem in ON_GRAPHS.values():
        instance = problem.declare(GRAPH)
        first = next(name for name in SEARCHES.own if SEARCHES[name].takes(structure_of(instance)))
        assert default_search(structure_of(instance)).name == first
        start = np.zeros(instance.num_nodes, bool)
        assert Improver(instance, start, seed=0).kind is SEARCHES[first]
    assert list(TITLES) == list(SEARCHES.own)
    assert {name: SEARCHES[name].title for name in SEARCHES.own} == TITLES
    assert all(SEARCHES[name].name == name for name in SEARCHES.own)
    assert all(BOUNDS[name].name == name for name in BOUNDS.own)


def test_the_same_search_by_name_and_by_default_does_the_same() -> None:
    one, two = (solve(GRAPH, "mds", search=each, bound=False, moves=900, time_limit=60) for each in (None, "covering"))
    assert (one.nodes, one.method) == (two.nodes, two.method)


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"search": "tabbu"}, "unknown search 'tabbu'; did you mean tabu"),
        ({"search": 3}, "this int is no search: it must be an annealco.search.SearchKind"),
        ({"search": "math:tau"}, "'math:tau' is no search"),
        ({"bounds": "cliques"}, "unknown bound 'cliques'"),
        ({"bounds": ["gains", "gain"]}, "unknown bound 'gain'; did you mean gains"),
        ({"bounds": 3}, "this int is no bound: it must be an annealco.bounds.BoundKind"),
        ({"bounds": [None]}, "this NoneType is no bound"),
        ({"bounds": ["quadratic"]}, r"^graph 0: this instance \(packing\) is not for the bounds quadratic; gains, "),
    ],
)
def test_what_cannot_be_chosen_is_told_in_one_line(options: dict, rule: str) -> None:
    with pytest.raises(InputError, match=rule) as caught:
        solve(GRAPH, "mis", **options)
    assert "\n" not in str(caught.value)


def test_bounds_are_chosen_by_name() -> None:
    for bounds, method in (
        ("gains", "sum of gains"),
        (["gains"], "sum of gains"),
        (BOUNDS["clique_cover"], "reductions and small parts"),
        ("gains,clique_cover", "reductions and small parts"),
        ("enumeration", "enumeration"),
    ):
        found = solve(CYCLE, "mis", bounds=bounds, **BRIEF)
        assert method in found.method
        assert found.bound >= 2
    assert solve(CYCLE, "mis", bounds="gains", **BRIEF).bound == 5
    for options in ({"bounds": "none"}, {"bounds": []}, {"bound": False}, {"bound": False, "bounds": "gains"}):
        assert solve(CYCLE, "mis", **options, **BRIEF).bound is None


def test_those_that_take_nothing_are_left_out_where_another_does() -> None:
    assert solve(CYCLE, "mis", bounds=["quadratic", "gains"], **BRIEF).bound == 5
    assert [each.name for each in find_bounds(["gains", "gains", BOUNDS["gains"]])] == ["gains"]
    quotient = solve(CYCLE, "conductance", bounds=["quadratic"], **BRIEF)
    assert quotient.bound == pytest.approx(quotient.value)


def test_chosen_bounds_alone_prove() -> None:
    path = [[0, 1, 2, 3], [1, 2, 3, 4]]
    assert "reductions" in solve(path, "mis", **BRIEF).method
    assert solve(path, "mis", bounds=["gains"], **BRIEF).bound == 5


def test_the_example_files_are_what_their_pages_show_and_keep_their_contracts() -> None:
    for file, page in ((OWN_SEARCH, "adding-a-search.md"), (OWN_BOUND, "adding-a-bound.md")):
        shown = (ROOT / "docs" / page).read_text(encoding="utf-8")
        assert f"```python\n{file.read_text(encoding='utf-8')}```" in shown
    check_search(f"{OWN_SEARCH}:SEARCH")
    check_bound(f"{OWN_BOUND}:BOUND")


def test_a_file_of_a_user_s_own_is_used_from_python_and_the_command_line(tmp_path: Path, capsys: Output) -> None:
    search, bound = f"{OWN_SEARCH}:SEARCH", f"{OWN_BOUND}:BOUND"
    found = solve(CYCLE, "vertex_cover", search=search, bounds=[bound], moves=50, time_limit=60)
    assert (found.value, found.bound, found.method) == (3, 2, "iterated local search + disjoint sets")
    write_graph(CYCLE, tmp_path / "cycle.npz")
    options = ["--search", search, "--bounds", f"gains,{bound}", "--json", "--moves", "50", "--time-limit", "60"]
    assert call("solve", "vertex_cover", tmp_path / "cycle.npz", *options) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["value"], printed["bound"], printed["method"]) == (found.value, found.bound, found.method)
    assert call("solve", "cut", tmp_path / "cycle.npz", "--search", search) == 2
    assert "the search iterated does not take this instance (ranged)" in capsys.readouterr().err
    assert call("solve", "mis", tmp_path / "cycle.npz", "--bounds", "none", "--json", *BRIEF_OPTIONS) == 0
    assert json.loads(capsys.readouterr().out)["bound"] is None


@pytest.fixture
def _plugins(monkeypatch: pytest.MonkeyPatch):
    """Entry points of a package that brings the examples."""
    places = {
        "annealco.searches": ("iterated", f"{OWN_SEARCH}:SEARCH"),
        "annealco.bounds": ("disjoint_sets", f"{OWN_BOUND}:BOUND"),
    }

    def points(group: str) -> list[EntryPoint]:
        return [EntryPoint(*places[group], group)] if group in places else []

    monkeypatch.setattr(registry_module, "entry_points", points)
    for registry in (SEARCHES, BOUNDS):
        registry.__dict__.pop("_foreign", None)
    yield
    for registry in (SEARCHES, BOUNDS):
        registry.__dict__.pop("_foreign", None)
        for name in [each for each in registry._loaded if each not in registry.own]:
            del registry._loaded[name]


@pytest.mark.usefixtures("_plugins")
def test_entry_points_bring_searches_and_bounds_that_are_listed_and_used_by_name(capsys: Output) -> None:
    assert list(SEARCHES)[-1] == "iterated"
    assert list(BOUNDS)[-1] == "disjoint_sets"
    found = solve(CYCLE, "vertex_cover", search="iterated", bounds=["disjoint_sets"], moves=50, time_limit=60)
    assert found.method == "iterated local search + disjoint sets"
    # By default they are not: neither to search, nor to prove.
    assert "disjoint" not in solve(CYCLE, "vertex_cover", **BRIEF).method
    assert "disjoint_sets" not in [each.name for each in find_bounds("all")]
    assert call("list", "searches") == 0
    assert "iterated local search" in capsys.readouterr().out
    assert call("list", "bounds") == 0
    assert "sets that share no node" in capsys.readouterr().out


class Odd:
    """A search that gives something else than it should."""

    solved = False

    def __init__(self, given) -> None:
        self.given = given

    def run(self, budget: Budget, target: float, trace) -> Found:
        return Found(1, self.given, -1e9)


def odd(given) -> SearchKind:
    return SearchKind("odd", "odd search", lambda structure: True, lambda *_, **__: Odd(given))


def test_what_a_search_claims_is_not_believed() -> None:
    everything = solve(CYCLE, "mis", search=odd(np.ones(5, bool)), bound=False, moves=9, time_limit=60)
    assert everything.value == 2
    for given in (np.ones(4, bool), np.ones(5), [1, 0, 0, 0, 0], None):
        with pytest.raises(InputError, match=r"the search odd must give \[5\] bools, it gives"):
            solve(CYCLE, "mis", search=odd(given), bound=False, moves=9, time_limit=60)


def test_a_search_that_makes_no_moves_ends_at_a_quotient_too() -> None:
    class Idle(Odd):
        def run(self, budget, target, trace):
            return Found(0, self.given, 0.0)

    idle = replace(odd(None), begin=lambda instance, start, **_: Idle(start))
    solver = Solver(PROBLEMS["conductance"], search=idle, moves=1000, time_limit=1e6, bound=False)
    assert attempt(solver, GRAPH, 0, 1).value < 1


def test_a_bound_that_offers_no_number_is_refused() -> None:
    for cost in (float("nan"), float("inf"), "3", None):
        kind = BoundKind(
            "odd", "odd", lambda structure: True, lambda _, ledger, *, seed, cost=cost: ledger.offer(cost, "x")
        )
        with pytest.raises(InputError, match="a bound must be a number, x offers"):
            prove_bound(PROBLEMS["mis"].declare(CYCLE), bounds=kind)
    nothing = BoundKind("odd", "odd", lambda structure: True, lambda _, ledger, *, seed: ledger.offer(-np.inf, "x"))
    assert prove_bound(PROBLEMS["mis"].declare(CYCLE), bounds=[nothing]) is None


def test_registries_are_public() -> None:
    assert isinstance(annealco.SEARCHES, Registry)
    assert isinstance(annealco.BOUNDS, Registry)
    assert load_place(f"{OWN_SEARCH}:SEARCH", "search").name == "iterated"


def test_a_bound_that_a_known_set_disproves_is_told() -> None:
    def prove(instance: Instance, ledger: Ledger, *, seed: int) -> None:
        ledger.offer(1e9, "a lie")

    lie = BoundKind("lie", "a bound that is none", lambda structure: True, prove)
    with pytest.raises(InputError, match=r"the bound lie is wrong: it says 1e\+09, but .* is known"):
        solve(generate("er-small", count=1, seed=1), "vertex_cover", bounds=[lie], **BRIEF)


def test_code_of_a_user_that_fails_is_named() -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("gone")

    graph = generate("er-small", count=1, seed=1)
    with pytest.raises(InputError, match="the search tabu failed: KeyError: 'gone'"):
        solve(graph, "mis", search=replace(SEARCHES["tabu"], begin=fail), **BRIEF)
    with pytest.raises(InputError, match="the search tabu failed: KeyError: 'gone'"):
        solve(graph, "mis", search=replace(SEARCHES["tabu"], takes=fail), **BRIEF)
    with pytest.raises(InputError, match="the bound bad failed: KeyError: 'gone'"):
        solve(graph, "mis", bounds=[BoundKind("bad", "fails", lambda structure: True, fail)], **BRIEF)
    with pytest.raises(InputError, match="the bound bad failed: KeyError: 'gone'"):
        solve(graph, "mis", bounds=[BoundKind("bad", "fails", fail, fail)], **BRIEF)
    with pytest.raises(InputError, match="graph 0: the model failed: KeyError: 'gone'"):
        solve(graph, "mis", model=fail, **BRIEF)


def test_a_search_may_go_on_in_the_array_that_it_gave() -> None:
    """The best so far stays what it was, whatever the search makes of its array."""

    class Careless(Odd):
        def run(self, budget, target, trace):
            worse = bool(self.given.any())
            self.given[:] = False if worse else [True, False, True, False, False]
            return Found(1, self.given, 0.0 if worse else -2.0)

    careless = replace(odd(None), begin=lambda instance, start, **_: Careless(np.zeros(5, bool)))
    improver = Improver(PROBLEMS["mis"].declare(CYCLE), np.zeros(5, bool), seed=0, search=careless)
    for _ in range(2):
        improver.improve(Budget(moves=1))
    assert (improver.cost, improver.assignment.tolist()) == (-2.0, [True, False, True, False, False])


def test_a_search_that_does_not_say_whether_it_is_solved_is_told() -> None:
    class Silent:
        def __init__(self, instance, start):
            self.answer = Found(0, start, float(instance.cost.value(start)[0]))

        def run(self, budget, target, trace):
            return self.answer

    silent = replace(odd(None), begin=lambda instance, start, **_: Silent(instance, start))
    with pytest.raises(
        InputError, match="the search odd failed: AttributeError: 'Silent' object has no attribute 'sol"
    ):
        solve(CYCLE, "mis", search=silent, **BRIEF)


def test_bounds_that_are_named_in_this_process_are_not_trusted_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    lie = BoundKind("lie", "a bound that is none", lambda structure: True, lambda *given, seed: pytest.fail("asked"))
    monkeypatch.setitem(BOUNDS, "lie", lie)
    assert lie not in find_bounds("all")
    assert solve(CYCLE, "mis", **BRIEF).optimal
    assert find_bounds("lie") == (lie,)
