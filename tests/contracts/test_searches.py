"""Every search keeps its contract, and a search that breaks a rule of it is told which."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import numpy as np
import pytest

from annealco import check_search
from annealco.clock import Budget
from annealco.errors import InputError
from annealco.problems import PROBLEMS
from annealco.search import SEARCHES, Found, SearchKind
from annealco.search.protocol import takes_all
from annealco.search.repair import finish
from annealco.solving.contract import SearchError
from tests.waiting import give_up_when


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("seed", [0, 1])
def test_every_search_keeps_the_contract(name: str, seed: int) -> None:
    check_search(name, seed=seed)


class Still:
    """A search that stays where it begins, which is allowed."""

    solved = False

    def __init__(self, instance, start, seed):
        self.instance, self.best, self.seed = instance, finish(instance, start, num_threads=1), seed

    def run(self, budget, target, trace):
        return Found(self.moves(budget), self.best, float(self.instance.cost.value(self.best)[0]))

    def moves(self, budget: Budget) -> int:
        return 0 if budget.stop is not None else budget.moves or 0


def kind(search: type) -> SearchKind:
    return SearchKind(
        "own",
        "a search of one's own",
        takes_all,
        lambda instance, start, *, seed, seconds, stop: search(instance, start, seed),
    )


def test_a_search_that_stays_is_a_search() -> None:
    check_search(kind(Still))


class Infeasible(Still):
    def run(self, budget, target, trace):
        everything = np.ones(len(self.best), bool)
        return Found(0, everything, float(self.instance.cost.value(everything)[0]))


class Worse(Still):
    def run(self, budget, target, trace):
        other = finish(self.instance, ~self.best, num_threads=1)
        feasible = self.instance.violations(other)[0] == 0
        best = other if feasible and budget.moves else self.best
        return Found(0, best, float(self.instance.cost.value(best)[0]))


class Boastful(Still):
    def run(self, budget, target, trace):
        return super().run(budget, target, trace)._replace(cost=-1e6)


class Hasty(Still):
    def moves(self, budget):
        return 1


class Restless(Still):
    def moves(self, budget):
        return budget.moves or 0


class Random(Still):
    draws = np.random.default_rng(0)

    def moves(self, budget):
        return int(self.draws.integers(0, (budget.moves or 0) + 1)) if budget.stop is None else 0


class Settled(Still):
    solved = True


class Numbers(Still):
    def run(self, budget, target, trace):
        return super().run(budget, target, trace)._replace(assignment=self.best.astype(int))


class Greedy(Still):
    def __init__(self, instance, start, seed):
        super().__init__(instance, start, seed)
        start[:] = True


@pytest.mark.parametrize(
    ("search", "rule"),
    [
        (Worse, "the start has"),
        (Boastful, "costs -1e[+]06, it costs"),
        (Hasty, "it makes 1 moves of a budget of 0"),
        (Restless, "moves though the stop flag is set"),
        (Random, "the same seed and moves give something else"),
        (Settled, "it says solved at"),
        (Numbers, "it gives .* of int64, not .* bools"),
        (Greedy, "the start is changed"),
    ],
)
def test_a_broken_rule_is_named(search: type, rule: str) -> None:
    with pytest.raises(SearchError, match=f"own: .*{rule}.* nodes, edges"):
        check_search(kind(search))


def test_what_is_not_feasible_is_told_on_problems_of_one_s_own() -> None:
    with pytest.raises(SearchError, match=r"own: it gives \[0, 1\], which is not feasible \(mis on 2 nodes"):
        check_search(kind(Infeasible), problems=[PROBLEMS["mis"]])


def test_a_search_that_takes_nothing_is_told() -> None:
    with pytest.raises(SearchError, match="takes none of the instances"):
        check_search(replace(kind(Still), takes=lambda structure: False))


def test_a_good_search_that_says_solved_before_it_has_searched_is_told() -> None:
    class Sure:
        solved = True

        def __init__(self, search):
            self.run = search.run

    tabu = SEARCHES["tabu"]
    sure = replace(tabu, name="sure", begin=lambda *given, **options: Sure(tabu.begin(*given, **options)))
    with pytest.raises(SearchError, match="it says solved at"):
        check_search(sure)


class Endless(Still):
    """It says that it waits, and does so until the test is over, whatever it is told."""

    waits, is_over = Event(), Event()

    def run(self, budget, target, trace):
        self.waits.set()
        self.is_over.wait()
        return super().run(budget, target, trace)


class Impatient(Endless):
    """It minds moves alone."""

    def run(self, budget, target, trace):
        return (
            Endless.run(self, budget, target, trace) if budget.moves is None else Still.run(self, budget, target, trace)
        )


class Deaf(Endless):
    """It minds moves and seconds, but no flag."""

    def run(self, budget, target, trace):
        waits = budget.stop is not None
        return Endless.run(self, budget, target, trace) if waits else Still.run(self, budget, target, trace)


class LookingOnce(Endless):
    """It looks at the flag when it begins, and not again."""

    def run(self, budget, target, trace):
        waits = budget.stop is not None and not budget.stop.is_set()
        return Endless.run(self, budget, target, trace) if waits else Still.run(self, budget, target, trace)


@pytest.fixture
def _given_up(monkeypatch: pytest.MonkeyPatch):
    """Give up what says that it waits, instead of what takes long."""
    give_up_when(monkeypatch, Endless.waits.is_set)
    Endless.waits.clear()
    Endless.is_over.clear()
    yield
    Endless.is_over.set()


@pytest.mark.usefixtures("_given_up")
@pytest.mark.parametrize(
    ("search", "rule"),
    [
        (Endless, "asked to search for 0 moves it did not return within 0 seconds"),
        (Impatient, "asked to search for 0 seconds it did not return within 0 seconds"),
        (Deaf, "asked to search for 100,000 moves it did not return within 0 seconds, though its stop flag is set"),
        (LookingOnce, "1e[+]06 seconds it did not return within 0 seconds, though its stop flag was set meanwhile"),
    ],
)
def test_a_search_that_does_not_end_is_told(search: type, rule: str) -> None:
    with pytest.raises(InputError, match=rf"own: .*{rule} \(mis on"):
        check_search(kind(search), problems="mis", patience=0.0)


def failing(step: str) -> SearchKind:
    """Return a search that divides by 0 when it is asked for something."""

    class Failing(Still):
        def __init__(self, instance, start, seed):
            super().__init__(instance, start, seed)
            self.fail("begin")

        def run(self, budget, target, trace):
            self.fail("seconds" if budget.moves is None else "moves")
            return super().run(budget, target, trace)

        @property
        def solved(self):
            self.fail("solved")
            return False

        def fail(self, now):
            if now == step:
                raise ZeroDivisionError("on purpose")

    def takes(structure):
        return step != "takes" or 1 / 0

    return replace(kind(Failing), takes=takes)


@pytest.mark.parametrize(
    ("step", "asked"),
    [
        ("takes", "asked what it takes it failed: ZeroDivisionError: division by zero"),
        ("begin", "asked to begin it failed: ZeroDivisionError: on purpose"),
        ("moves", "asked to search for 0 moves it failed: ZeroDivisionError: on purpose"),
        ("seconds", "asked to search for 0 seconds it failed: ZeroDivisionError: on purpose"),
        ("solved", "asked whether it is solved it failed: ZeroDivisionError: on purpose"),
    ],
)
def test_what_a_search_raises_is_told_with_the_step(step: str, asked: str) -> None:
    with pytest.raises(InputError, match=rf"own: {asked} \(mis on 0 nodes") as caught:
        check_search(failing(step))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_what_is_given_must_be_moves_an_assignment_and_a_cost() -> None:
    class Pair(Still):
        def run(self, budget, target, trace):
            return super().run(budget, target, trace)[:2]

    with pytest.raises(SearchError, match=r"asked to search for 0 moves it failed: ValueError: not enough values"):
        check_search(kind(Pair))


def test_a_search_must_not_have_the_name_of_one_of_the_package() -> None:
    with pytest.raises(InputError, match="this search is named 'tabu' as a search of annealco is: give it another"):
        check_search(replace(kind(Still), name="tabu"))
    check_search(SEARCHES["tabu"], problems=["mis"])


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"name": "a,b"}, "the name of a search must be text without spaces, colons, commas and =, it is 'a,b'"),
        ({"name": 3}, "the name of a search must be text"),
        ({"title": None}, "the search own: what it is must be said in text, it is None"),
        ({"takes": True}, "the search own: takes must be a function, it is True"),
        ({"begin": None}, "the search own: begin must be a function, it is None"),
    ],
)
def test_declarations_are_checked(changes, rule) -> None:
    with pytest.raises(InputError, match=rule):
        replace(kind(Still), **changes)


def test_a_search_must_not_change_the_instance() -> None:
    class Meddling(Still):
        def run(self, budget, target, trace):
            found = super().run(budget, target, trace)
            self.instance.constraints[0].penalty[:] = 7.0
            return found

    with pytest.raises(SearchError, match="own: the instance is changed"):
        check_search(kind(Meddling), problems="mis")


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"seed": -1}, "seed must be at least 0, not -1"),
        ({"seed": 1.5}, "seed must be an integer, not 1.5"),
        ({"patience": float("nan")}, "patience must be a finite number of seconds from 0 on, it is nan"),
        ({"problems": 3}, "this int is no problem"),
        ({"problems": ["mos"]}, "unknown problem 'mos'; did you mean mis"),
    ],
)
def test_arguments_of_the_check_are_checked(given, rule) -> None:
    with pytest.raises(InputError, match=rule):
        check_search("tabu", **given)
