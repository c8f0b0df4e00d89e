"""Kernels are compiled without reference counts and cannot allocate."""

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import NumbaError

from annealco.jit import KernelCache, compiled, inlined, kernel, num_compiled, prefetch


class Arrays(NamedTuple):
    one: np.ndarray
    other: np.ndarray


@inlined
def read(arrays, k):
    return arrays.one[k] + arrays.other[k]


@kernel
def total(arrays):
    found = 0.0
    for k in range(len(arrays.one)):
        for _ in range(2):
            found += read(arrays, k)
    return found


def test_kernels_compute_and_count_no_references():
    assert total(Arrays(np.arange(3.0), np.ones(3))) == 12.0
    assert "NRT_incref" not in total.inspect_llvm(total.signatures[0])


@kernel
def sum_ahead(values, order):
    total = 0.0
    for k in range(len(order)):
        prefetch(values, order[k] + 1_000)
        prefetch(order, k + 8)
        total += values[order[k], 1]
    return total


def test_what_is_asked_for_early_changes_nothing_inside_and_outside_an_array():
    rng = np.random.default_rng(0)
    values, order = rng.random((500, 3)), rng.permutation(500).astype(np.int32)
    assert sum_ahead(values, order) == pytest.approx(values[:, 1].sum())


def test_a_kernel_that_allocates_does_not_compile():
    @kernel
    def allocate(size):
        return np.zeros(size)

    with pytest.raises((NumbaError, NotImplementedError, RuntimeError)):
        allocate(3)


def test_processes_that_compile_at_once_take_no_file_of_each_other(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))

    def double(x):
        return 2 * x

    one, other = KernelCache(double)._cache_file, KernelCache(double)._cache_file
    one_save = one._save_data
    # The other process saves everything between the index and the code of the first, of which it has not heard.
    monkeypatch.setattr(other, "_load_index", dict)
    monkeypatch.setattr(one, "_save_data", lambda *code: (other.save("float", "for float"), one_save(*code)))
    one.save("int", "for int")
    reader = KernelCache(double)._cache_file
    assert reader.load("float") == "for float"
    assert reader.load("int") in {None, "for int"}


HELPER = "from annealco.jit import compiled\nSTEP = {step}\n@compiled\ndef helper(x):\n    return x + {add} + STEP\n"
CALLER = (
    "from annealco.jit import compiled\nfrom helper import helper\n@compiled\ndef caller(x):\n    return helper(x)\n"
)


def run_caller(folder: Path) -> tuple[int, int]:
    """Return what the caller computes in a new process, and how often it was loaded from the cache."""
    program = "from caller import caller; print(caller(1), sum(caller.stats.cache_hits.values()))"
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    return tuple(map(int, done.stdout.split()))


def test_code_in_another_file_that_changes_is_compiled_anew(tmp_path: Path):
    (tmp_path / "caller.py").write_text(CALLER)
    for step, add, expected, hits in ((0, 1, 2, 0), (0, 1, 2, 1), (0, 5, 6, 0), (3, 5, 9, 0), (3, 5, 9, 1)):
        (tmp_path / "helper.py").write_text(HELPER.format(step=step, add=add))
        assert run_caller(tmp_path) == (expected, hits)


def test_fields_that_change_places_are_compiled_anew(tmp_path: Path):
    text = """
    from typing import NamedTuple
    from annealco.jit import compiled
    class Pair(NamedTuple):
        {first}: int
        {second}: int
    @compiled
    def difference(pair):
        return pair.a - pair.b
    def caller(x):
        return difference(Pair(a=5, b=3))
    caller.stats = difference.stats
    """
    for first, second in (("a", "b"), ("b", "a")):
        (tmp_path / "caller.py").write_text(textwrap.dedent(text).format(first=first, second=second))
        assert run_caller(tmp_path) == (2, 0)


def test_what_cannot_be_saved_is_compiled_all_the_same(monkeypatch):
    @compiled
    def triple(x):
        return 3 * x

    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(triple._cache.opened._cache_file, "save", full)
    assert triple(4) == 12


def test_what_is_compiled_is_counted_and_what_is_loaded_is_not(tmp_path: Path):
    (tmp_path / "helper.py").write_text(HELPER.format(step=1, add=1))
    program = "from helper import helper; helper(1); from annealco.jit import num_compiled; print(num_compiled())"
    command = [sys.executable, "-c", program]
    counts = [subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout.strip() for _ in range(2)]
    assert counts == [b"1", b"0"]


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("left", [0, 5, 60])
def test_a_file_that_was_cut_short_is_compiled_and_written_anew(tmp_path: Path, monkeypatch, ending: str, left: int):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))

    def double(x):
        return 2 * x

    KernelCache(double)._cache_file.save("int", "for int" * 50)
    [file] = tmp_path.rglob(f"*.{ending}")
    file.write_bytes(file.read_bytes()[:left])
    found = KernelCache(double)._cache_file
    assert found.load("int") is None
    found.save("int", "anew")
    assert KernelCache(double)._cache_file.load("int") == "anew"


def test_a_part_s_files_are_not_looked_for_before_it_is_called(tmp_path: Path):
    (tmp_path / "helper.py").write_text(HELPER.format(step=1, add=1))
    (tmp_path / "caller.py").write_text(CALLER)
    program = (
        "from caller import caller, helper; caller(1); print(*('opened' in vars(f._cache) for f in (caller, helper)))"
    )
    command = [sys.executable, "-c", program]
    opened = [subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout.split() for _ in range(2)]
    assert opened == [[b"True", b"True"], [b"True", b"False"]]


ALLOCATING = """
import sys
import numpy as np
from annealco.jit import compiled, kernel
@compiled
def squares(size):
    return np.array([each * each for each in range(size)])
@kernel
def largest(array):
    return max(array[0], array[-1])
if __name__ == "__main__":
    print(largest(squares(4)), "numba.np.linalg" in sys.modules)
"""


def test_loading_prepares_nothing_that_only_compiling_needs(tmp_path: Path):
    (tmp_path / "allocating.py").write_text(ALLOCATING)
    command = [sys.executable, "allocating.py"]
    printed = [subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout.split() for _ in range(2)]
    assert printed == [[b"9", b"True"], [b"9", b"False"]]


def test_without_a_folder_to_write_to_every_process_compiles(monkeypatch):
    @compiled
    def halve(x):
        return x / 2

    def refuse(_):
        raise RuntimeError("no locator available")

    monkeypatch.setattr("annealco.jit.KernelCache", refuse)
    before = num_compiled()
    assert halve(6) == 3
    assert num_compiled() == before + 1
    assert halve._cache.cache_path is None


NUMBERS = """
import os
from numba.core.bytecode import FunctionIdentity
import annealco.jit
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, str(next(FunctionIdentity._unique_ids)).encode())
    os._exit(0)
os.wait()
print(next(FunctionIdentity._unique_ids), os.read(read, 100).decode())
"""


def test_no_two_processes_give_compiled_code_the_same_names():
    """Code that two of them keep in the cache may be loaded by a third, where equal names mean one function."""
    command = [sys.executable, "-c", NUMBERS]
    numbers = [subprocess.run(command, capture_output=True, check=True).stdout.split() for _ in range(2)]
    first = [int(number) for pair in numbers for number in pair]
    assert len(set(first)) == 4
    assert min(abs(one - other) for one in first for other in first if one != other) > 2**20
