"""Let Ctrl-C end a search with what it has found, and a second Ctrl-C end the program."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

from annealco.cli.exit_status import INTERRUPTED
from annealco.terminal import PROGRAM

if TYPE_CHECKING:
    from annealco._core import StopFlag

CLEAR = "\r\x1b[2K\x1b[?25h"
"""What makes a terminal forget a progress bar: begin an empty line, and show the cursor again."""


@contextmanager
def stopping_on_interrupt(stop: StopFlag) -> Iterator[threading.Event]:
    """Set an event at the first interrupt instead of raising, and leave the program at the second.

    Args:
        stop: set at the first interrupt; others may set it too.

    Yields:
        An event that only an interrupt sets.
    """
    interrupted = threading.Event()

    def handle(_signal: int, _frame: Any) -> None:
        if interrupted.is_set():
            _abort()
        interrupted.set()
        stop.set()
        _tell("stopping (Ctrl-C once more aborts)")

    if threading.current_thread() is not threading.main_thread():
        # Only the main thread hears of signals, and only it may say what they do.
        yield interrupted
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def leaving_on_interrupt() -> Iterator[None]:
    """End the program at an interrupt that nothing inside handles."""
    try:
        yield
    except KeyboardInterrupt:
        _tell("interrupted")
        leave()


def leave() -> NoReturn:
    """End an interrupted program at once, with all its output but without the interpreter's clean-up.

    The clean-up takes as long as the answer to Ctrl-C, waits for threads inside compiled code, and aborts where a
    linear program still runs in one of them: its solver keeps threads that must not outlive it.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(INTERRUPTED)


def _abort() -> NoReturn:
    # The stream's buffer may be what was interrupted: it is not flushed.
    _tell("interrupted")
    os._exit(INTERRUPTED)


def _tell(message: str) -> None:
    """Print a line on stderr past its buffer, which the handler may have interrupted."""
    start = CLEAR if sys.stderr.isatty() else ""
    with suppress(OSError):
        os.write(2, f"{start}{PROGRAM}: {message}\n".encode())
