"""Methods that break a rule of the contract are refused, and the rule is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest

from annealco import Graph, check_method
from annealco.baselines import METHODS, Method, MethodError, Outcome, find_method
from annealco.baselines.method import only_for
from annealco.errors import InputError
from annealco.problems import PROBLEMS

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
    "no outcome": (method(lambda graph: {0}), "it returns a set, not an Outcome"),
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


@pytest.mark.parametrize("wrong", [{"bound": float("nan")}, {"seconds": -5.0}, {"seconds": float("nan")}])
def test_outcomes_that_no_row_could_hold_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=f"the {next(iter(wrong))} of a method must"):
        Outcome(np.zeros(3, bool), **wrong)
