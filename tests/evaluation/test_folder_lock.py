from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from annealco.evaluation.folder_lock import held
from annealco.graph.errors import GraphFileError

HOLDER = """
import sys
from pathlib import Path
from annealco.evaluation.folder_lock import held

with held(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_folder_is_held_once_and_then_free_again(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "rows"
    with held(folder), pytest.raises(GraphFileError, match="rows: another run is writing to this folder"), held(folder):
        pass
    with held(folder):
        pass


@pytest.mark.processes
def test_a_process_that_is_killed_holds_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, tmp_path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(GraphFileError, match="another run"), held(tmp_path):
            pass
        process.kill()
        process.wait()
        with held(tmp_path):
            pass


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(GraphFileError, match="file: cannot be written"), held(tmp_path / "file"):
        pass
