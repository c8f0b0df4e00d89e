"""Signals end programs, so these are programs."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from annealco._core import StopFlag
from annealco.cli.exit_status import stopping_on_interrupt
from tests.waiting import PATIENCE

PROGRAM = """
import sys
from annealco._core import StopFlag
from annealco.cli.exit_status import stopping_on_interrupt

stop = StopFlag()
with stopping_on_interrupt(stop) as interrupted:
    assert not interrupted.is_set()
    print("ready", flush=True)
    while not stop.is_set():
        pass
    assert interrupted.is_set()
    print("best so far", flush=True)
    if WAIT:
        sys.stdin.read()
print("done", flush=True)
"""


def start(*, wait: bool) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.replace("WAIT", str(wait))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.processes
def test_the_first_interrupt_sets_the_event() -> None:
    process = start(wait=False)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (out, process.returncode) == ("best so far\ndone\n", 0)
    assert err == "annealco: stopping (Ctrl-C once more aborts)\n"


@pytest.mark.processes
def test_the_second_interrupt_ends_the_program() -> None:
    process = start(wait=True)
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    assert process.stdout.readline() == "best so far\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (out, process.returncode) == ("", 130)
    assert err.splitlines()[1:] == ["annealco: interrupted"]


def test_signals_are_as_before_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT)
    stop = StopFlag()
    with stopping_on_interrupt(stop) as interrupted:
        stop.set()
        assert not interrupted.is_set()
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_leave_signals_alone() -> None:
    before, found = signal.getsignal(signal.SIGINT), []

    def work() -> None:
        with stopping_on_interrupt(StopFlag()):
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [before]
