"""Run solvers of others in a process of their own: one that takes its process down costs one row, not the comparison.

Native code may end a process without a word: by a fault, by an exit of its own, or because it asked for more memory
than there is. The process is a program of its own, as in `annealco.datasets.cache`; it serves task after task,
and another one takes its place when it is lost. What is written in this package runs here, and so does whatever solves
a problem that was given as an object, and a method that was named in this process: another one could not find them.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from annealco.baselines import Outcome
from annealco.evaluation.bench.rows import Row
from annealco.evaluation.bench.tasks import Task, answer_task, row_of, run_task, task_to_line

SOURCE = Path(__file__).parents[3]


class Child:
    """A process that runs tasks.

    Attributes:
        cpu: its CPU seconds up to its last answer.
    """

    def __init__(self) -> None:
        before = os.environ.get("PYTHONPATH")
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(SOURCE), *filter(None, [before])])}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "annealco.evaluation.bench.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=environment,
        )
        self.cpu = 0.0

    def ask(self, task: Task) -> Row | None:
        """Return the row of a task, or None where the process was lost."""
        process = self._process
        assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 (both are pipes)
        try:
            process.stdin.write(task_to_line(task) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            return None
        answer = process.stdout.readline()
        if not answer.endswith("\n"):
            return None
        row, self.cpu = json.loads(answer)
        return dict(row)

    def end(self) -> tuple[str, float]:
        """End the process, and return how it ended and its CPU seconds since its last answer."""
        before = _seconds_of_children()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        status = self._process.wait()
        return _in_words(status), max(0.0, _seconds_of_children() - before - self.cpu)

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self.end()


_child: list[Child] = []
"""The process of this one, if there is any."""


def run_safely(task: Task) -> Row:
    """Return the row of a task, whatever its solver does to its process."""
    if not task.entry.is_foreign:
        return run_task(task)
    if task.place is None or task.entry.is_only_here:
        return answer_task(task)
    if not _child:
        _child.append(Child())
    begun = time.perf_counter()
    try:
        row = _child[0].ask(task)
    except BaseException:
        end_child()
        raise
    if row is not None:
        return row
    how, cpu = _child.pop().end()
    lost = Outcome(None, note=f"the solver crashed: {how}", seconds=time.perf_counter() - begun)
    return row_of(task, lost, cpu=cpu, budget=task.key.limit)


@atexit.register
def end_child() -> None:
    """End the process of this one, if there is any."""
    while _child:
        _child.pop().kill()


def _in_words(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def _seconds_of_children() -> float:
    """Return the CPU seconds of all processes that this one started and that have ended."""
    times = os.times()
    return times.children_user + times.children_system
