"""Run an experiment in a process of its own, and kill it when it begins a step."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
from annealco.experiments import EXPERIMENTS
from annealco.experiments.reproduce import reproduce
from tests.experiments import tiny
EXPERIMENTS["tiny"] = getattr(tiny, sys.argv[1])
reproduce("tiny", tiny.TINY, sys.argv[2])
"""


def run_and_kill(experiment: str, out: Path, *, at: str) -> None:
    """Kill the run of an experiment of `tiny` by SIGKILL as soon as it says what begins with ``at``."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, experiment, str(out)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if line.startswith(f"annealco: {at}"):
                process.kill()
                break
        else:
            raise AssertionError("".join(said))
