"""Run an experiment in a process of its own, and kill it when it begins a step."""

from __future__ import annotations

import signal
from pathlib import Path

from annealco.experiments import EXPERIMENTS
from annealco.experiments.reproduce import reproduce
from tests.experiments import tiny
from tests.forked import run_forked
from tests.signalling import signal_when_told


def _run(experiment: str, out: Path, at: str) -> None:
    signal_when_told(f"annealco: {at}", signal.SIGKILL)
    EXPERIMENTS["tiny"] = getattr(tiny, experiment)
    reproduce("tiny", tiny.TINY, out)


def run_and_kill(experiment: str, out: Path, *, at: str) -> None:
    """Kill the run of an experiment of `tiny` by SIGKILL as soon as it says what begins with ``at``."""
    ended = run_forked(_run, experiment, out, at)
    assert ended.status == -signal.SIGKILL, ended.err
