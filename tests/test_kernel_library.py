"""Code that is loaded does its work without its bitcode, which is read once another function takes it in."""

import subprocess
import sys
from pathlib import Path

TEXT = """
import sys
import numpy as np
from annealco.jit import compiled, kernel
@kernel
def last(array):
    return array[-1]
@compiled
def last_square(size):
    return last(np.arange(size)) ** 2
def was_read(function):
    return function.overloads[function.signatures[0]].library._shared_module is not None
if __name__ == "__main__":
    print(last(np.arange(4)), was_read(last), end=" ")
    if "late" in sys.argv:
        print(last_square(5), was_read(last))
"""


def run(folder: Path, *arguments: str) -> list[str]:
    command = [sys.executable, "late.py", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.split()


def test_bitcode_is_read_when_it_is_compiled_into_another_function_and_not_before(tmp_path: Path):
    (tmp_path / "late.py").write_text(TEXT)
    # The first process compiles, and has all at hand.
    assert run(tmp_path)[0] == "3"
    assert run(tmp_path) == ["3", "False"]
    assert run(tmp_path, "late") == ["3", "False", "16", "True"]
    assert run(tmp_path, "late") == ["3", "False", "16", "False"]
