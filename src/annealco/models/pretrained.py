"""Networks that come with the package: a folder each, with the weights, how they were trained and a card to read.

What a network is for stands in its ``model.json``; names of folders mean nothing.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from annealco.errors import GraphFileError, InputError

WEIGHTS = Path(__file__).parent / "weights"
"""The folders."""


@lru_cache
def shipped() -> dict[str, Path]:
    """Return the folder of each network by what it was trained for.

    Raises:
        InputError: where a file of the package is damaged, or a network is there twice.
    """
    found: dict[str, Path] = {}
    for file in sorted(WEIGHTS.glob("*/model.json")):
        task = _task(file)
        if task in found:
            raise InputError(f"two networks are here for {task}, {found[task]} and {file.parent}: one must go")
        found[task] = file.parent
    return found


def _task(file: Path) -> str:
    """Return what a network was trained for."""
    try:
        return str(json.loads(file.read_bytes())["problem"])
    except (OSError, ValueError, KeyError, TypeError):
        raise GraphFileError(file, "this does not describe a network; install annealco anew") from None


def shipped_folder(task: str) -> Path:
    """Return the folder of the network that was trained for a task.

    Raises:
        InputError: where none comes with the package.
    """
    if task not in shipped():
        there = f"there are some for {', '.join(shipped())}" if shipped() else "there are none"
        raise InputError(f"no network comes with annealco for {task}: {there}; 'annealco train {task}' makes one")
    return shipped()[task]
