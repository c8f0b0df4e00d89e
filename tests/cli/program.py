"""Run the command line, as a program or in this process."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from annealco.cli import main
from tests.waiting import PATIENCE

ENVIRONMENT = {key: value for key, value in os.environ.items() if key not in {"FORCE_COLOR", "ANNEALCO_DEBUG"}}
ENVIRONMENT["COLUMNS"] = "40"

Output = pytest.CaptureFixture[str]


def run(*arguments: str | Path, program: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["-m", "annealco"] if program is None else ["-c", program]
    return subprocess.run(
        [sys.executable, *command, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env=ENVIRONMENT | environment,
    )


def call(*arguments: str | Path) -> int:
    return main([str(argument) for argument in arguments])


class Terminal:
    """A terminal for other processes: what they write is read at once, for a full one would make them wait.

    Attributes:
        file: what they write to.
        drawn: all that was written, when they have ended and the terminal was left.
    """

    def __enter__(self) -> Terminal:
        self._reader, self.file = pty.openpty()
        self.drawn = b""
        self._thread = threading.Thread(target=self._read)
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        os.close(self.file)
        self._thread.join()
        os.close(self._reader)

    def _read(self) -> None:
        # Linux reports the end of a terminal as an error.
        with suppress(OSError):
            while part := os.read(self._reader, 4096):
                self.drawn += part


def assert_one_line(err: str) -> None:
    assert err.startswith("annealco: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert "Traceback" not in err
