from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from time_limits import DELAYS, TELLING, _is_reached, make_graph

from annealco.graph.formats import write_graph


def test_the_program_tells_every_phase(tmp_path: Path) -> None:
    file = tmp_path / "graph.col"
    write_graph(make_graph(300), file)
    told, telling = os.pipe()
    command = [sys.executable, "-c", TELLING.replace("TOLD", str(telling)), "solve", "max_cut", str(file)]
    done = subprocess.run([*command, "--moves=1000"], capture_output=True, pass_fds=[telling], check=False)
    os.close(telling)
    with os.fdopen(told) as phases:
        found = phases.read().split("\n")
    assert done.returncode == 0, done.stderr
    assert set(DELAYS) - {"loading"} <= set(found)


def test_a_program_that_tells_nothing_is_an_error() -> None:
    assert _is_reached("search", iter(["reading\n", "search\n"]))
    assert not _is_reached("bound", iter(["reading\n"]))
    with pytest.raises(RuntimeError, match="told no phase"):
        _is_reached("bound", iter([]))
