"""`annealco solve` while it runs: interrupts and progress."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from annealco.cli.solve import _run
from annealco.graph.formats import write_graph
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.solution import Solution
from annealco.solving import Solver
from tests.cli.program import ENVIRONMENT, read_terminal, run, without_note


def hard_file(tmp_path: Path) -> Path:
    """Write a graph that is solved at once, and two that keep every search busy."""
    pair = Graph.from_edges([[0], [1]])
    write_graph(Graph.batch([pair, generate("er-large", count=2, seed=0)]), tmp_path / "hard.npz")
    return tmp_path / "hard.npz"


def test_an_interrupt_prints_the_best_so_far_and_skips_the_rest(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "annealco", "solve", "mis", str(hard_file(tmp_path)), "--json", "--threads", "1"]
    with subprocess.Popen(
        [*command, "--time-limit", "100"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = json.loads(process.stdout.readline())
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        asked = time.perf_counter()
        rest = [json.loads(line) for line in process.stdout]
        took = time.perf_counter() - asked
        err = process.stderr.read()
    assert process.returncode == 130
    assert (first["graph"], first["value"]) == ("hard#0", 1)
    assert [each["graph"] for each in rest] == ["hard#1"]
    assert took < 10
    assert "interrupted: 2 of 3 graphs have a solution" in err
    assert "Traceback" not in err


IMPOSSIBLE = """
import os, signal, sys
from threading import Timer
import numpy as np
from annealco.cli import main
from annealco.energy import Constraint, Instance, Linear, Range
from annealco.problems import PROBLEMS, Problem

timer = Timer(2.0, os.kill, (os.getpid(), signal.SIGINT))

def declare(graph):
    # Not before solving has begun, however busy the machine is.
    if not timer.ident:
        timer.start()
    never = Range(graph.node_ptr, np.full(graph.num_nodes, 2.0), np.ones(1), np.ones(1), np.ones(1))
    constraint = Constraint(never, np.ones(1))
    return Instance(graph.node_ptr, (Linear(graph.node_ptr, np.ones(graph.num_nodes)),), (constraint,))

PROBLEMS["never"] = Problem("never", "what no set can be", "min", declare, lambda graph, nodes: None)
sys.exit(main(["solve", "never", *sys.argv[1:], "--time-limit", "60"]))
"""


def test_an_interrupt_before_anything_feasible_is_no_bad_input(tmp_path: Path) -> None:
    write_graph(Graph.from_edges([range(99), range(1, 100)]), tmp_path / "path.npz")
    done = run(tmp_path / "path.npz", program=IMPOSSIBLE)
    assert done.returncode == 130
    assert "interrupted: 0 of 1 graphs have a solution" in done.stderr


@dataclass(frozen=True)
class Interrupted(Solver):
    """A solver whose user loses patience before the first graph."""

    def solve_each(self, graphs: Graph) -> Iterator[Solution]:
        signal.raise_signal(signal.SIGINT)
        return super().solve_each(graphs)


def test_an_interrupt_before_the_first_set_shows_no_empty_table(capfd: pytest.CaptureFixture[str]) -> None:
    graph = Graph.from_edges([[0], [1]])
    assert _run(Interrupted(PROBLEMS["mis"]), graph, as_json=False) == ([], True)
    out, err = capfd.readouterr()
    assert (out, without_note(err)) == ("", "annealco: stopping (Ctrl-C once more aborts)\n")


def test_progress_is_shown_on_a_terminal_and_results_are_not_disturbed(tmp_path: Path) -> None:
    write_graph(Graph.batch([Graph.from_edges([[0], [1]])] * 40), tmp_path / "pairs.npz")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "annealco", "solve", "mis", str(tmp_path / "pairs.npz"), "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, text=True, env=ENVIRONMENT | {"TERM": "xterm"}
    ) as process:
        os.close(theirs)
        assert process.stdout is not None
        values = [json.loads(line)["value"] for line in process.stdout]
        drawn = read_terminal(ours)
    assert (process.returncode, values) == (0, [1] * 40)
    assert b"solving" in drawn
