"""Wait for another process or thread: by what it says or writes, never by a guess of how long it takes.

This is the only module of the tests that may read a clock. It only bounds how long a test hangs that is going to fail.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any

import pytest

from annealco.solving import contract

PATIENCE = 600.0
"""Seconds after which something that never happened is a failure. It must not be reached on the busiest machine."""

PAUSE = 0.005
"""Seconds between two looks at a condition."""


def wait_until(condition: Callable[[], bool], is_alive: Callable[[], bool] = lambda: True) -> None:
    """Return as soon as a condition holds; fail where the process that should bring it about has ended without.

    Args:
        condition: what is waited for.
        is_alive: whether that process still runs.
    """
    deadline = time.monotonic() + PATIENCE
    while not condition():
        # What was done just before the end counts.
        assert is_alive() or condition(), "the process ended before what was waited for"
        assert time.monotonic() < deadline, "what was waited for did not happen"
        time.sleep(PAUSE)


def give_up_when(patch: pytest.MonkeyPatch, is_waiting: Callable[[], bool]) -> None:
    """Let checks of contracts give up a call when it says that it waits, instead of when it takes long."""
    begin = contract.wait_for

    def wait_for(call: Callable[[], Any], patience: float) -> Future[Any]:
        task = begin(call, 0.0)
        wait_until(lambda: task.done() or is_waiting())
        return task

    patch.setattr(contract, "wait_for", wait_for)


def read_until(stream: Iterable[str], beginning: str) -> list[str]:
    """Return the lines of a stream up to the first one that begins like this; fail where the stream ends before."""
    lines = []
    for line in stream:
        lines.append(line)
        if line.startswith(beginning):
            return lines
    raise AssertionError(f"nobody said {beginning!r}, only {''.join(lines)!r}")
