"""The program that runs solvers of others for a comparison: a line of a task comes in, a line of its row goes out.

Each answer is ``[row, CPU seconds of this process so far]``. What solvers print goes to the error stream.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from contextlib import suppress
from typing import TextIO

from annealco.baselines import Outcome
from annealco.evaluation.bench.rows import Row
from annealco.evaluation.bench.tasks import Task, row_of, run_task, task_from_line


def serve(tasks: TextIO, answers: TextIO) -> None:
    """Answer tasks until there are no more, or nobody listens."""
    for line in tasks:
        row = answer(task_from_line(line))
        answers.write(json.dumps([row, time.process_time()]) + "\n")
        answers.flush()


def answer(task: Task) -> Row:
    """Return the row of a task, with a note where its solver raised an error."""
    try:
        return run_task(task)
    except Exception as error:  # noqa: BLE001 (solvers raise whatever they like)
        said = " ".join(str(error).split())
        failed = Outcome(None, note=f"the solver failed: {type(error).__name__}: {said}")
        return row_of(task, failed, cpu=0.0, budget=task.key.limit)


def main() -> None:
    """Answer on what was the output stream."""
    # An interrupt is for the caller to explain, who then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Who listened may have been killed meanwhile.
    with suppress(BrokenPipeError), os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        serve(sys.stdin, answers)


if __name__ == "__main__":
    main()
