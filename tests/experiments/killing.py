"""Run an experiment in a process of its own, and kill it when it begins a step."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.waiting import PATIENCE

PROGRAM = """
import signal, sys
from annealco.experiments import EXPERIMENTS
from annealco.experiments.reproduce import reproduce
from tests.experiments import tiny
from tests.signalling import signal_when_told
signal_when_told(f"annealco: {sys.argv[3]}", signal.SIGKILL)
EXPERIMENTS["tiny"] = getattr(tiny, sys.argv[1])
reproduce("tiny", tiny.TINY, sys.argv[2])
"""


def run_and_kill(experiment: str, out: Path, *, at: str) -> None:
    """Kill the run of an experiment of `tiny` by SIGKILL as soon as it says what begins with ``at``."""
    command = [sys.executable, "-c", PROGRAM, experiment, str(out), at]
    done = subprocess.run(
        command, stderr=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2], timeout=PATIENCE, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
