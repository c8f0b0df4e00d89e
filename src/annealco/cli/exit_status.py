"""How a command ends: what its exit status says, and what Ctrl-C does.

0 done; 2 bad usage or bad input, with one line on stderr that names the file, the line and the rule; 1 anything else;
130 interrupted; 141 where the reader of a pipe left. The first Ctrl-C ends a search with what it has found, a second
one the program.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from annealco.errors import InputError
from annealco.optional import EXTRAS, missing
from annealco.terminal import PROGRAM

if TYPE_CHECKING:
    from annealco._core import StopFlag

BAD_INPUT = 2
FAILED = 1
INTERRUPTED = 130
BROKEN_PIPE = 141

CLEAR = "\r\x1b[2K\x1b[?25h"
"""What makes a terminal forget a progress bar: begin an empty line, and show the cursor again."""


def explain(error: Exception) -> tuple[int, str]:
    """Return the exit status of an error and what to say about it.

    Example:
        >>> explain(InputError("restarts must be at least 1, they are 0"))
        (2, 'restarts must be at least 1, they are 0')
    """
    if isinstance(error, InputError):
        return BAD_INPUT, str(error)
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        place = PROGRAM if context is None else context.command_path
        return BAD_INPUT, f"{' '.join(error.format_message().split())} (see '{place} --help')"
    if isinstance(error, (FileExistsError, FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)):
        return BAD_INPUT, _about_file(error)
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in EXTRAS:
        return BAD_INPUT, missing("this", error.name or "")
    if isinstance(error, OSError):
        return FAILED, _about_file(error) if error.filename else str(error)
    return FAILED, f"internal error: {type(error).__name__}: {error} (ANNEALCO_DEBUG=1 shows the traceback)"


def _about_file(error: OSError) -> str:
    return f"{error.filename}: {(error.strerror or '').lower()}"


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
