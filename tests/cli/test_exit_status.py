from __future__ import annotations

import errno

import pytest

from annealco.cli.exit_status import explain
from annealco.errors import GraphFileError, InputError


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (InputError("restarts must be at least 1"), 2, "restarts must be at least 1"),
        (GraphFileError("a.col", "node 9 is outside 1..5", line=3), 2, "a.col:3: node 9 is outside 1..5"),
        (PermissionError(13, "Permission denied", "a.col"), 2, "a.col: permission denied"),
        (OSError("the disk is full"), 1, "the disk is full"),
        (OSError(errno.ENOSPC, "No space left on device", "a.png"), 1, "a.png: no space left on device"),
        (
            ZeroDivisionError("division by zero"),
            1,
            "internal error: ZeroDivisionError: division by zero (ANNEALCO_DEBUG=1 shows the traceback)",
        ),
    ],
)
def test_errors_are_explained(error: Exception, status: int, message: str) -> None:
    assert explain(error) == (status, message)
