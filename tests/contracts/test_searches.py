"""Every search keeps its contract, and a search that breaks a rule of it is told which."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from annealco import check_search
from annealco.clock import Budget
from annealco.problems import PROBLEMS
from annealco.search import SEARCHES, Found, SearchKind
from annealco.search.protocol import takes_all
from annealco.search.repair import finish
from annealco.solving.contract import SearchError


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
        return budget.moves


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
