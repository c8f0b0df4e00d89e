"""Networks that come with the package: a folder each, with the weights, how they were trained and a card to read.

What a network is for stands in its ``model.json``; names of folders mean nothing.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from annealco.graph.errors import InputError

WEIGHTS = Path(__file__).parent / "weights"
"""The folders."""


@lru_cache
def shipped() -> dict[str, Path]:
    """Return the folder of each network by what it was trained for."""
    files = sorted(WEIGHTS.glob("*/model.json"))
    return {str(json.loads(file.read_bytes())["problem"]): file.parent for file in files}


def shipped_folder(task: str) -> Path:
    """Return the folder of the network that was trained for a task.

    Raises:
        InputError: where none comes with the package.
    """
    if task not in shipped():
        there = f"there are some for {', '.join(shipped())}" if shipped() else "there are none"
        raise InputError(f"no network comes with annealco for {task}: {there}; 'annealco train {task}' makes one")
    return shipped()[task]
