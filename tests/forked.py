"""Run a function in a process of its own that may be killed or interrupted.

The processes come from a fork server that has imported the training engine once: each costs no more than what it does.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

PRELOADED = ["annealco.training.train", "annealco.experiments.reproduce", "annealco.cli", "tests.training.dying"]


class Ended(NamedTuple):
    """How a process ended, negative for a signal, and what it printed."""

    status: int | None
    out: str
    err: str


def start_forked(function: Callable[..., Any], *arguments: Any) -> BaseProcess:
    """Start a function of a module in a process of its own; what it returns is the exit status."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    process = context.Process(target=function, args=arguments)
    process.start()
    return process


def run_forked(function: Callable[..., Any], *arguments: Any, err: str | None = None) -> Ended:
    """Run a function in a process of its own, and return how it ended.

    Args:
        function: of a module; a number that it returns is the exit status.
        *arguments: of the function.
        err: the file that its error stream goes to, a terminal say, instead of what is returned.
    """
    with tempfile.TemporaryDirectory() as folder:
        streams = [f"{folder}/out", err or f"{folder}/err"]
        process = start_forked(_redirected, streams, function, arguments)
        process.join()
        out, said = (Path(folder, name) for name in ("out", "err"))
        return Ended(process.exitcode, out.read_text("utf-8"), said.read_text("utf-8") if said.exists() else "")


def _redirected(streams: list[str], function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    for number, name in enumerate(streams, 1):
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOCTTY, 0o600)
        os.dup2(file, number)
        os.close(file)
    sys.exit(function(*arguments))
