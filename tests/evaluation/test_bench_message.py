from __future__ import annotations

import numpy as np

from annealco.evaluation.bench_entry import Entry
from annealco.evaluation.bench_message import task_from_line, task_to_line
from annealco.evaluation.bench_rows import Key
from annealco.evaluation.bench_task import Task
from annealco.evaluation.reference_cases import Case
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS


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
