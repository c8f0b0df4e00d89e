from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import Any, NoReturn

import pytest

from annealco.evaluation.bench.child import serve
from annealco.evaluation.bench.entries import Entry
from annealco.evaluation.bench.rows import Key
from annealco.evaluation.bench.tasks import Task, task_to_line
from annealco.evaluation.bench.tasks import answer_task as answer
from annealco.evaluation.references.cases import Case
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS


def test_every_task_is_answered_by_its_row_and_the_time_so_far() -> None:
    case = Case(0, PROBLEMS["mis"], Graph.from_edges([[0, 1], [1, 2]]))
    tasks = [
        Task(Key("rb-small", "mis", number, "greedy", 0, 1.0, None, 1), Entry("greedy", "greedy"), case, number, None)
        for number in range(2)
    ]
    answers = io.StringIO()
    serve(io.StringIO("".join(task_to_line(task) + "\n" for task in tasks)), answers)
    (one, first), (two, second) = map(json.loads, answers.getvalue().splitlines())
    assert (one["case"], one["value"], two["case"], two["value"]) == (0, 2.0, 1, 2.0)
    assert 0 < first <= second


@pytest.mark.processes
def test_where_nobody_listens_any_more_it_ends_without_a_word() -> None:
    case = Case(0, PROBLEMS["mis"], Graph.from_edges([[0, 1], [1, 2]]))
    task = Task(Key("rb-small", "mis", 0, "greedy", 0, 1.0, None, 1), Entry("greedy", "greedy"), case, 0, None)
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "annealco.evaluation.bench.child"]
    given = task_to_line(task) + "\n"
    done = subprocess.run(command, input=given, stdout=writer, stderr=subprocess.PIPE, text=True, check=True)
    os.close(writer)
    assert done.stderr == ""


def test_an_error_of_a_solver_is_told_in_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> NoReturn:
        raise OverflowError("too large\nfor it")

    monkeypatch.setattr(Entry, "run", fail)
    case = Case(0, PROBLEMS["mis"], Graph.from_edges([[0, 1], [1, 2]]))
    row = answer(Task(Key("rb-small", "mis", 0, "x", 0, 1.0, None, 1), Entry("x", "cp_sat"), case, 0, None))
    assert row["note"] == "the solver failed: OverflowError: too large for it"
    assert not row["feasible"]
