"""Run every command and program that the documents show, each document in a folder of its own.

python tools/run_documents.py [DOCUMENT...]

Sizes are smaller than what is shown, so that all of it takes minutes; `documents` tells how a block says otherwise.
That a command ends well is all that is asked: what it prints is not compared.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator
from contextlib import chdir
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from documents import ROOT, blocks, documents

SMALLER = {
    "train": "--graphs 4 --validation-graphs 2 --epochs 1 --validation-restarts 1",
    "bench": "--limit 2 --time-limit 0.02",
    "data make": "--count 4",
    "data reference": "--limit 2 --time-limit 0.05",
}
"""Options that make a command small. They are added behind its own, and the last of equals counts."""

DATA = "ANNEALCO_DATA"


def main(names: Iterable[str]) -> int:
    """Run documents, tell of each step, and return 1 where one failed."""
    paths = [Path(name).resolve() for name in names] or documents()
    steps = [step for path in paths for step in run_document(path)]
    failed = [told for outcome, told in steps if outcome == "failed"]
    counts = [f"{sum(each == outcome for each, _ in steps)} {outcome}" for outcome in ("run", "failed", "left out")]
    print(", ".join(counts))
    for told in failed:
        print(f"failed: {told}")
    return 1 if failed else 0


def run_document(path: Path) -> Iterator[tuple[str, str]]:
    """Run the blocks of a document in their order, and yield what became of each step and where it stands."""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    with tempfile.TemporaryDirectory(prefix="annealco-docs-") as folder, chdir(folder):
        shutil.copytree(ROOT / "examples", "examples")
        os.environ["ANNEALCO_CACHE"] = str(Path(folder, "cache"))
        names: dict[str, Any] = {"__name__": "document"}
        for block in blocks(path):
            reason = why_not(block.marker)
            for step in [block.code] if block.language == "python" else block.commands():
                told = f"{name}:{block.line}: {step.strip().splitlines()[0]}"
                if reason:
                    outcome = "left out"
                    print(f"{told}\n  left out: {reason}", flush=True)
                else:
                    began = time.perf_counter()
                    done = run_program(step, names) if block.language == "python" else run_command(step, block.marker)
                    outcome = "run" if done else "failed"
                    print(f"{told}\n  {outcome} in {time.perf_counter() - began:.1f} s", flush=True)
                yield outcome, told


def why_not(marker: str) -> str:
    """Return why a block is not run here, or "".

    Example:
        >>> why_not("skip, it takes hours"), why_not("needs json"), why_not("needs no_such_package")
        ('it takes hours', '', 'needs no_such_package')
    """
    if marker.startswith("skip, "):
        return marker.removeprefix("skip, ")
    if not marker.startswith("needs "):
        return ""
    missing = [name for name in marker.split()[1:] if not (os.environ.get(DATA) if name == DATA else find_spec(name))]
    return f"needs {', '.join(missing)}" if missing else ""


def smaller(command: str, marker: str) -> str:
    """Return a command with options that make it small, and those of its block's marker.

    Example:
        >>> smaller("annealco bench mis --limit 100", "with bench --seed 1")
        'annealco bench mis --limit 100 --limit 2 --time-limit 0.02 --seed 1'
        >>> smaller("annealco bench mis --limit 100", "in full")
        'annealco bench mis --limit 100'
    """
    added = {} if marker == "in full" else dict(SMALLER)
    if marker.startswith("with "):
        words = marker.split()[1:]
        first = next(number for number, word in enumerate(words) if word.startswith("-"))
        start = " ".join(words[:first])
        added[start] = " ".join([*added.get(start, "").split(), *words[first:]])
    options = [options for start, options in added.items() if command.startswith(f"annealco {start} ")]
    return " ".join([command, *options])


def run_command(command: str, marker: str) -> bool:
    """Run a command in the shell, and show what it printed where it fails."""
    program = re.sub(r"^annealco ", "python -m annealco ", smaller(command, marker))
    program = re.sub(r"^python ", f"{shlex.quote(sys.executable)} ", program)
    done = subprocess.run(program, shell=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        print(done.stdout)
    return done.returncode == 0


def run_program(code: str, names: dict[str, Any]) -> bool:
    """Run a program with the names of those before it, and show where it fails."""
    try:
        exec(compile(code, "document", "exec"), names)
    except Exception:  # noqa: BLE001 (whatever a document does wrong, the others are run too)
        traceback.print_exc(file=sys.stdout)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
