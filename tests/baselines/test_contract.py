"""Methods that break a rule of the contract are refused, and the rule is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from threading import Event
from typing import Any

import numpy as np
import pytest

from annealco import Graph, check_method
from annealco.baselines import METHODS, Method, MethodError, Outcome, find_method
from annealco.baselines.method import only_for
from annealco.errors import InputError
from annealco.problems import PROBLEMS
from tests.budgets import FAR
from tests.waiting import give_up_when

PATH = Graph.from_edges([[0, 1], [1, 2]])
MIS = PROBLEMS["mis"]


def method(answer: Callable[[Graph], Any], **changes: Any) -> Method:
    """Return a method for independent sets that answers by the graph alone."""

    def solve(problem: Any, graph: Graph, **given: Any) -> Any:
        return answer(graph)

    return Method("mine", "an example", solve, **{"refuses": only_for("mis"), **changes})


def nothing(graph: Graph) -> Outcome:
    return Outcome(np.zeros(graph.num_nodes, bool))


NUMBERS = count()


def alternating(graph: Graph) -> Outcome:
    bits = np.zeros(graph.num_nodes, bool)
    bits[:1] = next(NUMBERS) % 2
    return Outcome(bits)


def complain(graph: Graph) -> Outcome:
    raise InputError("not today")


def unsteady(problem: Any, graph: Graph) -> str | None:
    return "not now" if next(NUMBERS) % 2 else None


BROKEN = {
    "infeasible": (method(lambda graph: Outcome(np.ones(graph.num_nodes, bool))), "the set is not feasible"),
    "no set, no note": (method(lambda graph: Outcome(None)), "there is no feasible set, and no note says why"),
    "numbers": (method(lambda graph: Outcome(np.zeros(graph.num_nodes))), "the assignment must be \\[0\\] bools"),
    "too short": (method(lambda graph: Outcome(np.zeros(0, bool))), "the assignment must be \\[1\\] bools"),
    "a false bound": (
        method(lambda graph: replace(nothing(graph), bound=graph.node_weight.sum() / 2)),
        "its bound is 0.5, but the optimum is 1",
    ),
    "a false proof": (
        method(lambda graph: replace(nothing(graph), proven=True)),
        "it calls 0.0 proven, and the optimum",
    ),
    "no outcome": (method(lambda graph: {0}), "must return an Outcome, it returned a set"),
    "not repeatable": (method(alternating, repeatable=True), "two runs with the seed 0 give two sets"),
    "raises": (method(complain), "it takes the problem and then raises: .*not today"),
    "unsteady": (method(nothing, refuses=unsteady), "it refuses at one time and takes at another"),
    "silent": (method(nothing, refuses=lambda problem, graph: ""), "a refusal must say why"),
    "takes nothing": (method(nothing, refuses=only_for("tsp")), "it takes none of mis, clique, mds"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_methods_are_refused(name: str) -> None:
    broken, rule = BROKEN[name]
    with pytest.raises(MethodError, match=rule):
        check_method(broken)


def test_good_methods_pass() -> None:
    check_method(method(nothing))
    check_method(method(nothing, repeatable=True), [MIS], [PATH])
    note = "it gave up"
    check_method(method(lambda graph: Outcome(None, note=note)))


def test_what_is_checked_is_told_in_the_error() -> None:
    with pytest.raises(MethodError, match=r"mine: .* \(mis on 3 nodes, edges \[\[0, 1\], \[1, 2\]\], node weights \["):
        check_method(BROKEN["infeasible"][0], [MIS], [PATH])
    with pytest.raises(MethodError, match="single graphs of at most 12 nodes"):
        check_method(METHODS["greedy"], [MIS], [Graph.from_edges([[], []], 13)])


def test_methods_are_found_by_place(tmp_path: Any) -> None:
    text = "from dataclasses import replace\nfrom annealco.baselines import METHODS\n"
    (tmp_path / "mine.py").write_text(text + "MINE = replace(METHODS['greedy'], name='mine')\n")
    assert find_method(f"{tmp_path}/mine.py:MINE").name == "mine"
    assert find_method(METHODS["greedy"]) is METHODS["greedy"]
    with pytest.raises(InputError, match=r"is no method: it is of type function, not annealco.baselines.Method"):
        find_method(f"{tmp_path}/mine.py:replace")
    with pytest.raises(InputError, match=r"unknown method 'gredy'; did you mean greedy\?"):
        find_method("gredy")


@pytest.mark.parametrize(
    "wrong",
    [
        *({"bound": each} for each in (float("nan"), float("inf"), "3", True)),
        *({"seconds": each} for each in (-5.0, float("nan"), "1", None)),
        *({"note": each} for each in (None, 3, b"x")),
        *({"trace": each} for each in (3, (1, 2), ((0.1, float("nan")),), ((0.1,),), ((-0.1, 2),))),
    ],
    ids=repr,
)
def test_outcomes_that_no_row_could_hold_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"the {next(iter(wrong))} of a method must"):
        Outcome(np.zeros(3, bool), **wrong)


def test_numbers_of_numpy_in_outcomes_can_be_written() -> None:
    point = (np.float32(0.5), np.int64(2))
    found = Outcome(None, np.float32(2), np.True_, "none", np.float64(1), (point,))  # type: ignore[arg-type]
    assert json.dumps([found.bound, found.proven, found.seconds, found.trace]) == "[2.0, true, 1.0, [[0.5, 2.0]]]"
    with pytest.raises(InputError, match="has proven something must be True or False, it is 1"):
        Outcome(None, proven=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"seed": -1}, "seed must be at least 0, not -1"),
        ({"budget": float("nan")}, "budget must be a finite number of seconds from 0 on, it is nan"),
        ({"patience": "x"}, "patience must be a finite number of seconds from 0 on, it is 'x'"),
        ({"graphs": []}, r"graphs must be a list of graphs to check on, they are \[\]"),
        ({"problems": 3}, "this int is no problem"),
    ],
)
def test_arguments_of_the_check_are_checked(given: dict[str, Any], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        check_method("greedy", **given)


def test_what_a_method_raises_is_told_with_the_step() -> None:
    def fail(*given: Any) -> Any:
        raise ZeroDivisionError("on purpose")

    for broken, asked in (
        (method(fail), "asked to solve within 0.05 seconds or 200 moves it failed: ZeroDivisionError: on purpose"),
        (method(nothing, refuses=fail), "asked what it takes it failed: ZeroDivisionError: on purpose"),
    ):
        with pytest.raises(InputError, match=rf"mine: {asked} \(mis on 0 nodes") as caught:
            check_method(broken)
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
        with pytest.raises(InputError, match="the method mine failed: ZeroDivisionError: on purpose"):
            broken.run(MIS, PATH, budget=FAR)


def test_a_method_that_does_not_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    waits, is_over = Event(), Event()

    def wait(graph: Graph) -> Outcome:
        waits.set()
        is_over.wait()
        return nothing(graph)

    give_up_when(monkeypatch, waits.is_set)
    try:
        with pytest.raises(MethodError, match=r"mine: asked to solve within .* it did not return within 0 seconds"):
            check_method(method(wait), patience=0.0)
    finally:
        is_over.set()


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (lambda graph: {0}, "the method mine must return an Outcome, it returned a set"),
        (lambda graph: Outcome(np.zeros(2, bool)), r"must be \[3\] bools, it is \[2\] of bool"),
        (lambda graph: Outcome(np.full(3, 0.5)), r"must be \[3\] bools, it is \[3\] of float64"),
        (lambda graph: Outcome([True, False, True]), r"must be \[3\] bools, it is list"),
    ],
)
def test_what_is_no_answer_is_refused_by_every_run(answer: Any, rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        method(answer).run(MIS, PATH, budget=FAR)


def test_methods_are_checked_by_name_and_have_names_of_their_own() -> None:
    check_method("greedy", "mis", [[[0, 1], [1, 2]]])
    with pytest.raises(InputError, match="this method is named 'greedy' as a method of annealco is: give it another"):
        check_method(replace(method(nothing), name="greedy"))
    with pytest.raises(InputError, match="annealed=DIR is a way to use a network: give it another name"):
        check_method(replace(method(nothing), name="annealed"))
    for changes, rule in (
        ({"name": "a,b"}, "the name of a method must be text without spaces, colons, commas and ="),
        ({"solve": 3}, "the method mine: solve must be a function, it is 3"),
        ({"refuses": None}, "the method mine: refuses must be a function, it is None"),
    ):
        with pytest.raises(InputError, match=rule):
            replace(method(nothing), **changes)
