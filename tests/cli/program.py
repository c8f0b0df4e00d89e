"""Run the command line, as a program or in this process."""

from __future__ import annotations

import os
import subprocess
import sys
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


def read_terminal(reader: int) -> bytes:
    """Return all that is written to a terminal until it is closed, and close our side."""
    drawn = b""
    try:
        while part := os.read(reader, 4096):
            drawn += part
    except OSError:
        pass  # Linux reports the end of a terminal as an error.
    os.close(reader)
    return drawn


def assert_one_line(err: str) -> None:
    assert err.startswith("annealco: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert "Traceback" not in err
