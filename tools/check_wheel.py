"""Build the sdist and the wheel, and use the wheel as a user would: in a fresh environment, without a compiler.

python tools/check_wheel.py [--keep FOLDER]

The wheel is built from the sdist, so the sdist is complete. The environment has the core dependencies only, and its
PATH has nothing but the environment's own programs. The README's programs that solve are run there; networkx is added
for one of them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path

from documents import ROOT, blocks

MOST_BYTES = 5_000_000
"""Of the sdist and of the wheel, each."""

IN_SDIST = (
    "CMakeLists.txt",
    "LICENSE",
    "Makefile",
    "docs/index.md",
    "examples/graphs/queens.col",
    "native/bindings/module.cpp",
    "native/core/clock.hpp",
    "src/annealco/_core.pyi",
    "src/annealco/py.typed",
    "tests/core/*",
)
NOT_IN_SDIST = ("*.so", "*.pyd", "*.pyc", "benchmarks/results/*", "docs/results/*", "build/*", ".venv/*")
IN_WHEEL = (
    "annealco/py.typed",
    "annealco/_core.pyi",
    "annealco/models/weights/*/model.json",
    "annealco/models/weights/*/*.safetensors",
)
NOT_IN_WHEEL = ("*.pyc", "tests/*", "native/*", "*.cpp", "*.hpp", "*.a")
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cl")
NOT_CORE = ("torch", "lightning_fabric", "torch_geometric", "networkx", "matplotlib")


def main(arguments: Sequence[str] | None = None) -> int:
    """Build and check, and return 1 with one line for what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the sdist and the wheel here")
    keep = parser.parse_args(arguments).keep
    with tempfile.TemporaryDirectory(prefix="annealco-wheel-") as name:
        folder = Path(name)
        dist = keep or folder / "dist"
        try:
            sdist, wheel = build(dist)
            check_sdist(sdist)
            check_wheel(wheel)
            use(wheel, folder)
        except (AssertionError, subprocess.CalledProcessError) as error:
            print(f"check-wheel: {error}", file=sys.stderr)
            return 1
    print("check-wheel: passed")
    return 0


def build(dist: Path) -> tuple[Path, Path]:
    """Build the sdist, and from it the wheel."""
    for old in [*dist.glob("annealco-*.tar.gz"), *dist.glob("annealco-*.whl")]:
        old.unlink()
    run([sys.executable, "-m", "build", "--outdir", str(dist), str(ROOT)], env=dict(os.environ))
    [sdist], [wheel] = dist.glob("annealco-*.tar.gz"), dist.glob("annealco-*.whl")
    return sdist, wheel


def check_sdist(path: Path) -> None:
    """Compare the names in the sdist with what must be there and what must not."""
    with tarfile.open(path) as archive:
        names = [each.name.partition("/")[2] for each in archive if each.isfile()]
    check_names(path, names, IN_SDIST, NOT_IN_SDIST)


def check_wheel(path: Path) -> None:
    """Compare the names in the wheel with what must be there and what must not."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    check_names(path, names, IN_WHEEL, NOT_IN_WHEEL)
    compiled = [each for each in names if each.endswith((".so", ".pyd"))]
    assert len(compiled) == 1, f"{path.name} has {compiled}, not one extension module"
    assert fnmatch(compiled[0], "annealco/_core.*"), f"{path.name} has {compiled[0]}"


def check_names(path: Path, names: Iterable[str], wanted: Iterable[str], unwanted: Iterable[str]) -> None:
    """Raise for a pattern without a name, for a name with an unwanted pattern, and for a file that is too large."""
    present = list(names)
    for pattern in wanted:
        assert any(fnmatch(each, pattern) for each in present), f"{path.name} lacks {pattern}"
    for each in present:
        assert not any(fnmatch(each, pattern) for pattern in unwanted), f"{path.name} has {each}"
    size = path.stat().st_size
    assert size <= MOST_BYTES, f"{path.name} has {size:,} bytes, the most are {MOST_BYTES:,}"
    print(f"{path.name}: {len(present)} files, {size / 1e6:.2f} MB")


def use(wheel: Path, folder: Path) -> None:
    """Install the wheel in a fresh environment without a compiler, and run the README's examples."""
    environment = folder / "environment"
    venv.create(environment, with_pip=True)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    kept = {name: value for name, value in os.environ.items() if name not in {"CC", "CXX", "PYTHONPATH"}}
    kept["PATH"] = str(programs)
    assert not any(shutil.which(each, path=kept["PATH"]) for each in COMPILERS)
    python = str(programs / "python")
    install = [python, "-m", "pip", "install", "-qq", "--only-binary=:all:", "-c", str(ROOT / "constraints.txt")]
    run([*install, str(wheel)], env=kept)
    missing = f"from importlib.util import find_spec; print([each for each in {NOT_CORE} if find_spec(each)])"
    assert run([python, "-c", missing], env=kept).strip() == "[]", "the core brings an optional package"
    place = folder / "work"
    shutil.copytree(ROOT / "examples" / "graphs", place / "examples" / "graphs")
    run([*install, "networkx"], env=kept)
    shell = shutil.which("sh") or "sh"
    queens = "annealco solve mis examples/graphs/queens.col"
    for program in [[shell, "-c", queens], *([shell, "-ec", each] for each in solving("sh"))]:
        print(f"$ {program[-1].rstrip()}\n{run(program, env=kept, cwd=place).rstrip()}")
    for code in solving("python"):
        print(run([python, "-c", code], env=kept, cwd=place).rstrip())


def solving(language: str) -> list[str]:
    """Return the README's programs in a language, without those that train, which need more than the core."""
    readme = ROOT / "README.md"
    lines = readme.read_text(encoding="utf-8").splitlines()
    first = lines.index("## Three programs") + 1
    last = next(number for number, line in enumerate(lines, 1) if number > first and line.startswith("## "))
    found = [each for each in blocks(readme) if first < each.line < last and each.language == language]
    programs = [each.code for each in found if ".train(" not in each.code]
    assert programs, f"the README has no program in {language}"
    return programs


def run(command: Sequence[str], *, env: dict[str, str], cwd: Path | None = None) -> str:
    """Run a command and return what it prints; where it fails, show all that it said."""
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout, done.stderr, sep="", file=sys.stderr)
    done.check_returncode()
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
