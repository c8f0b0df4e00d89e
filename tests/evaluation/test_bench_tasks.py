from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines import Outcome
from annealco.evaluation.bench.entries import Entry, parse_entry
from annealco.evaluation.bench.rows import Key
from annealco.evaluation.bench.tasks import Task, ratio, run_task, task_from_line, task_to_line
from annealco.evaluation.references.cases import Case
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.budgets import FAR

PATH = Graph.from_edges([[0, 1], [1, 2]])


def test_a_row_has_the_plain_score_and_the_ratio() -> None:
    case = Case(7, PROBLEMS["mds"], PATH)
    key = Key("ba-small", "mds", 7, "greedy", 0, 1.0, None, 1)
    row = run_task(Task(key, parse_entry("greedy"), case, 7, (1.0, "optimum")))
    assert (row["case"], row["graph"], row["value"], row["feasible"]) == (7, 7, 1.0, True)
    assert (row["reference"], row["reference_kind"], row["ratio"]) == (1.0, "optimum", 1.0)
    assert "conductance" not in row
    cut = PROBLEMS["cut"].with_options(volume=(2, 3), seed_node=0)
    row = run_task(Task(key, parse_entry("greedy"), Case(7, cut, PATH, has_volume=True), 0, None))
    assert (row["reference"], row["ratio"], row["conductance"], row["volume"]) == (None, None, pytest.approx(1 / 3), 3)


def test_a_row_tells_when_a_search_improved() -> None:
    case = Case(0, PROBLEMS["mis"], PATH)
    key = Key("rb-small", "mis", 0, "search", 0, FAR, 100, 1)
    row = run_task(Task(key, parse_entry("search"), case, 0, (2.0, "optimum")))
    assert row["trace"][-1][1] == row["value"] == 2.0
    assert "trace" not in run_task(Task(key, parse_entry("greedy"), case, 0, (2.0, "optimum")))


class Half:
    """An entry that says it took all the time that it is given, and used none."""

    label = name = "half"

    def __init__(self) -> None:
        self.given = []

    def run(self, problem, graph, *, budget, **_):
        self.given.append(budget)
        return Outcome(None, seconds=budget)


def test_limits_are_of_cpu_seconds_unless_moves_or_several_threads_count() -> None:
    key = Key("ba-small", "mds", 7, "half", 0, 10.0, None, 1)
    for changed, stretched in (({}, True), ({"moves": 5}, False), ({"threads": 2}, False)):
        entry = Half()
        row = run_task(Task(key._replace(**changed), entry, Case(7, PROBLEMS["mds"], PATH), 7, None))
        # The first call of each is to load it.
        assert (row["budget"] > 10.0) == stretched
        assert row["budget"] == pytest.approx(entry.given[-1], abs=1e-6)


def test_ratios() -> None:
    assert ratio(PROBLEMS["mds"], 0.0, 0.0) == 1.0
    assert ratio(PROBLEMS["cut"], 4.0, 0.0) == 0.0
    assert ratio(PROBLEMS["mis"], 0.0, 4.0) == 0.0


def test_a_task_comes_back_as_it_was() -> None:
    graph = Graph.from_edges([[0, 1, 1], [1, 2, 3]], 5).with_weights(
        node_weight=np.array([0.1, 2, 3, 4, 5]), edge_weight=np.array([1 / 3, -1, 7])
    )
    key = Key("twitter", "cut", 3, "scip", 1, 0.5, None, 2)
    cut = PROBLEMS["cut"].with_options(volume=(2.0, 4.0), seed_node=1)
    for reference in (None, (1.5, "optimum")):
        task = Task(key, Entry("scip", "scip"), Case(3, cut, graph, (0, 2), True), 1, reference)
        line = task_to_line(task)
        assert "\n" not in line
        back = task_from_line(line)
        assert (back.key, back.entry, back.graph, back.reference) == (key, task.entry, 1, reference)
        assert (back.case.number, back.case.planted, back.case.has_volume) == (3, (0, 2), True)
        for name in ("node_ptr", "edges", "node_weight", "edge_weight"):
            assert np.array_equal(getattr(back.case.graph, name), getattr(graph, name))
        for nodes in ([1], [1, 2], [0, 2], [1, 3, 4]):
            assert back.case.problem.score(back.case.graph, nodes) == cut.score(graph, nodes)


def test_a_problem_without_options_is_the_registered_one() -> None:
    key = Key("rb-small", "mis", 0, "greedy", 0, 1.0, 100, 1)
    task = Task(key, Entry("greedy", "greedy"), Case(0, PROBLEMS["mis"], Graph.from_edges([[], []], 0)), 0, None)
    back = task_from_line(task_to_line(task))
    assert back.case.problem is PROBLEMS["mis"]
    assert back.case.graph.num_nodes == 0
