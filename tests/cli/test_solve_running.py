"""`annealco solve` while it runs: interrupts and progress."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from annealco.cli.solve import _run
from annealco.graph.formats import write_graph
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.solving import solve
from annealco.solving.solution import Solution
from annealco.solving.solver import Solver
from tests.cli.program import ENVIRONMENT, Terminal, run
from tests.waiting import PATIENCE, read_until

TELLING = """
import sys
from annealco.solving.pipeline import Improver
from annealco.cli import main

improve = Improver.improve

def tell_and_improve(self, *given, **options):
    if self.instance.num_nodes > 2:
        print("searching", file=sys.stderr, flush=True)
    improve(self, *given, **options)

Improver.improve = tell_and_improve
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.processes
def test_an_interrupt_prints_the_best_so_far_and_skips_the_rest(tmp_path: Path) -> None:
    # One graph is solved at once. Two would be searched for days.
    pair = Graph.from_edges([[0], [1]])
    write_graph(Graph.batch([pair, generate("er-small", count=2, seed=0)]), tmp_path / "hard.npz")
    options = ["--json", "--threads", "1", "--time-limit", "1e6", "--no-bound"]
    command = [sys.executable, "-c", TELLING, "solve", "mis", str(tmp_path / "hard.npz"), *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = json.loads(process.stdout.readline())
        read_until(process.stderr, "searching")
        process.send_signal(signal.SIGINT)
        rest, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert (first["graph"], first["value"]) == ("hard#0", 1)
    assert [json.loads(line)["graph"] for line in rest.splitlines()] == ["hard#1"]
    assert "interrupted: 2 of 3 graphs have a solution" in err
    assert "Traceback" not in err


PROGRAMMING = """
import sys
from annealco.__main__ import main
from annealco.bounds.linear_program import _Task

solve = _Task._solve

def tell_and_solve(self):
    print("solving", file=sys.stderr, flush=True)
    return solve(self)

_Task._solve = tell_and_solve
sys.exit(main())
"""


@pytest.mark.processes
def test_an_interrupt_during_a_linear_program_is_no_abort(tmp_path: Path) -> None:
    write_graph(generate("ba-large", count=1, seed=0), tmp_path / "graph.npz")
    command = [sys.executable, "-c", PROGRAMMING, "solve", "mds", str(tmp_path / "graph.npz"), "--time-limit", "1e6"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stderr is not None
        read_until(process.stderr, "solving")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "optimal" in out
    assert "interrupted: 1 of 1 graphs have a solution" in err


IMPOSSIBLE = """
import os, signal, sys
import numpy as np
from annealco.solving.pipeline import Improver
from annealco.cli import main
from annealco.energy import Constraint, Instance, Linear, Range
from annealco.problems import PROBLEMS, Problem

improve = Improver.improve

def declare(graph):
    never = Range(graph.node_ptr, np.full(graph.num_nodes, 2.0), np.ones(1), np.ones(1), np.ones(1))
    constraint = Constraint(never, np.ones(1))
    return Instance(graph.node_ptr, (Linear(graph.node_ptr, np.ones(graph.num_nodes)),), (constraint,))

def improve_interrupted(self, *given, **options):
    Improver.improve = improve
    os.kill(os.getpid(), signal.SIGINT)
    improve(self, *given, **options)

Improver.improve = improve_interrupted
PROBLEMS._own["never"] = Problem("never", "what no set can be", "min", declare, lambda graph, nodes: None)
sys.exit(main(["solve", "never", *sys.argv[1:], "--time-limit", "1e6"]))
"""


@pytest.mark.processes
def test_an_interrupt_before_anything_feasible_is_no_bad_input(tmp_path: Path) -> None:
    write_graph(Graph.from_edges([range(99), range(1, 100)]), tmp_path / "path.npz")
    done = run(tmp_path / "path.npz", program=IMPOSSIBLE)
    assert done.returncode == 130
    assert "interrupted: 0 of 1 graphs have a solution" in done.stderr


@pytest.mark.processes
def test_an_interrupt_before_the_first_set_shows_no_empty_table(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = solve.solve_each

    def interrupted(solver: Solver, graphs: Graph, *starts: object) -> Iterator[Solution]:
        """Solve for a user who loses patience before the first graph."""
        signal.raise_signal(signal.SIGINT)
        return real(solver, graphs, *starts)

    monkeypatch.setattr(solve, "solve_each", interrupted)
    graph = Graph.from_edges([[0], [1]])
    assert _run(Solver(PROBLEMS["mis"]), graph, as_json=False) == ([], True)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "annealco: stopping (Ctrl-C once more aborts)\n")


@pytest.mark.processes
def test_progress_is_shown_on_a_terminal_and_results_are_not_disturbed(tmp_path: Path) -> None:
    write_graph(Graph.batch([Graph.from_edges([[0], [1]])] * 40), tmp_path / "pairs.npz")
    command = [sys.executable, "-m", "annealco", "solve", "mis", str(tmp_path / "pairs.npz"), "--json"]
    with Terminal() as terminal:
        environment = ENVIRONMENT | {"TERM": "xterm"}
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal.file, check=True, env=environment)
    assert [json.loads(line)["value"] for line in done.stdout.splitlines()] == [1] * 40
    assert b"solving" in terminal.drawn
