from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from annealco.evaluation.bench import isolation
from annealco.evaluation.bench.comparison import Bench, Comparison
from annealco.evaluation.bench.entries import parse_entries, parse_entry
from annealco.evaluation.bench.isolation import end_child, run_safely
from annealco.evaluation.bench.rows import Key
from annealco.evaluation.bench.tasks import Task, run_task, task_to_line
from annealco.evaluation.references.cases import Case
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.budgets import FAR
from tests.waiting import wait_until

pytestmark = pytest.mark.processes

PATH = Graph.from_edges([[0, 1], [1, 2]])
ENDINGS = {
    "os._exit(11)": "the solver crashed: exit status 11",
    "os.kill(os.getpid(), 11)": "the solver crashed: SIGSEGV",
    "os.kill(os.getpid(), 9)": "the solver crashed: SIGKILL",
}


@pytest.fixture(autouse=True)
def _fresh():
    end_child()
    yield
    end_child()


def task_of(method: str, number: int = 0) -> Task:
    key = Key("rb-small", "mis", number, method, 0, FAR, None, 1)
    return Task(key, parse_entry(method), Case(number, PROBLEMS["mis"], PATH), number, None)


def put_package(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Put a pyscipopt before the real one that does this when it is imported in another process."""
    code = f"import os, signal\nif os.getpid() != {os.getpid()}:\n    {body}\n"
    (folder / "pyscipopt.py").write_text(code, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.syspath_prepend(str(folder))


def test_solvers_of_others_run_elsewhere_and_give_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("networkx")
    here = run_task(task_of("networkx"))
    monkeypatch.setattr(isolation, "run_task", None)
    there = run_safely(task_of("networkx"))
    assert {**there, "wall": 0, "cpu": 0, "budget": 0} == {**here, "wall": 0, "cpu": 0, "budget": 0}
    [child] = isolation._child
    assert 0 < there["cpu"] <= child.cpu
    run_safely(task_of("networkx", 1))
    assert isolation._child == [child]


def test_own_methods_run_here() -> None:
    assert run_safely(task_of("greedy"))["value"] == 2.0
    assert not isolation._child


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_crash_costs_one_row(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_package(tmp_path, monkeypatch, ending)
    row = run_safely(task_of("scip"))
    assert (row["note"], row["value"], row["feasible"], row["proven"]) == (ENDINGS[ending], None, False, False)
    assert row["wall"] >= 0
    assert row["cpu"] > 0
    # Another process takes its place.
    pytest.importorskip("networkx")
    assert run_safely(task_of("networkx"))["feasible"]


def test_a_comparison_goes_on_after_every_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_package(tmp_path, monkeypatch, "os._exit(11)")
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "cache"))
    bench = Bench("rb-small", "mis", tuple(parse_entries("scip,greedy")), limit=2, seconds=FAR)
    rows = list(Comparison(bench, tmp_path / "out").rows())
    assert [row["feasible"] for row in rows] == [False, True, False, True]
    assert not Comparison(bench, tmp_path / "out").missing


def test_an_interrupt_ends_the_other_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_package(tmp_path, monkeypatch, "open('stuck', 'w').close(); signal.pause()")
    monkeypatch.chdir(tmp_path)
    asked = []

    def interrupted(child: isolation.Child, task: Task) -> None:
        process = child._process
        process.stdin.write(task_to_line(task) + "\n")
        process.stdin.flush()
        wait_until((tmp_path / "stuck").exists, lambda: process.poll() is None)
        asked.append(process)
        raise KeyboardInterrupt

    monkeypatch.setattr(isolation.Child, "ask", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_safely(task_of("scip"))
    assert not isolation._child
    assert asked[0].poll() == -signal.SIGKILL
