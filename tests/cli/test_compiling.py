from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba

from annealco.cli.compiling import compilation_note
from tests.cli.program import Output

NOTE = "annealco: note: compiling the search kernels, this happens once\n"


def test_one_note_however_much_is_compiled(capsys: Output) -> None:
    add, double = numba.njit(lambda x: x + 1), numba.njit(lambda x: 2 * x)
    with compilation_note():
        assert (add(1), double(2), add(1.5)) == (2, 4, 2.5)
    assert capsys.readouterr() == ("", NOTE)
    with compilation_note():
        assert add(1) == 2
    assert capsys.readouterr() == ("", "")


def test_nobody_listens_afterwards(capsys: Output) -> None:
    with compilation_note():
        pass
    assert numba.njit(lambda x: x - 1)(1) == 0
    assert capsys.readouterr() == ("", "")


def test_what_is_cached_is_silent(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(
        "from numba import njit\n"
        "from annealco.cli.compiling import compilation_note\n"
        "@njit(cache=True)\n"
        "def add(x):\n"
        "    return x + 1\n"
        "with compilation_note():\n"
        "    print(add(1))\n"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    runs = [
        subprocess.run(
            [sys.executable, str(tmp_path / "kernel.py")], capture_output=True, text=True, check=True, env=environment
        )
        for _ in range(2)
    ]
    assert [(run.stdout, run.stderr) for run in runs] == [("2\n", NOTE), ("2\n", "")]
