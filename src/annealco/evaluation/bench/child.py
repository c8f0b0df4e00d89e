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

from annealco.evaluation.bench.tasks import answer_task, task_from_line


def serve(tasks: TextIO, answers: TextIO) -> None:
    """Answer tasks until there are no more, or nobody listens."""
    for line in tasks:
        row = answer_task(task_from_line(line))
        answers.write(json.dumps([row, time.process_time()]) + "\n")
        answers.flush()


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
