"""Let Ctrl-C end a search with what it has found, and a second Ctrl-C end the program."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from annealco._core import StopFlag
from annealco.cli.exit_status import INTERRUPTED
from annealco.terminal import PROGRAM

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


def _abort() -> NoReturn:
    # Threads inside compiled code cannot be interrupted, and an ordinary exit would wait for them.
    _tell("interrupted")
    os._exit(INTERRUPTED)


def _tell(message: str) -> None:
    """Print a line on stderr past its buffer, which the handler may have interrupted."""
    start = CLEAR if sys.stderr.isatty() else ""
    with suppress(OSError):
        os.write(2, f"{start}{PROGRAM}: {message}\n".encode())
