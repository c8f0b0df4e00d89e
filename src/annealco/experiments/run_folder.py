"""The folder of an experiment: what was asked for, every row as it came, networks, pictures, the result.

``config.json`` is written first and says whose folder it is. A folder of another experiment, scale or version is
refused: its rows would be mixed with these.
"""

from __future__ import annotations

import json
import platform
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import Any

from annealco import __version__
from annealco.experiments.markdown import as_list
from annealco.experiments.scale import Scale
from annealco.graph.errors import GraphFileError, InputError
from annealco.graph.formats.storage import file_errors, store

CONFIG, RESULT, NETWORKS = "config.json", "result.md", "networks"
FORMAT = "annealco experiment"
PACKAGES = ("torch", "torch_geometric", "lightning", "numpy", "scipy", "ortools", "gurobipy")
Material = dict[str, list[dict[str, Any]]]
"""What a result is told from: rows, by the name of the file that has them."""

SEED = 0
"""Of all random choices, where an experiment has no seeds of its own; these count from it."""


class RunFolder:
    """The folder of one run.

    Attributes:
        path: where it is.
        scale: the numbers of the run.
        notes: what the result must say beside its table, each once.
    """

    def __init__(self, path: str | PathLike[str], *, name: str, scale: Scale) -> None:
        self.path, self.scale = Path(path), scale
        self.notes: list[str] = []
        config = json.loads(json.dumps(_config(name, scale)))
        file = self.path / CONFIG
        with file_errors(file, "written"):
            if file.exists():
                _check(file, config)
                return
            self.path.mkdir(parents=True, exist_ok=True)
            # What a killed process was writing has a hidden name.
            if any(not each.name.startswith(".") for each in self.path.iterdir()):
                raise InputError(f"{self.path}: there are files in it, but no {CONFIG}; choose another folder")
            store(file, (json.dumps(config, indent=1) + "\n").encode())

    def network(self, name: str) -> Path:
        """Return the folder of a network."""
        return self.path / NETWORKS / name

    def note(self, text: str) -> None:
        """Keep a note for the result."""
        if text not in self.notes:
            self.notes.append(text)

    def write_result(self, text: str) -> None:
        """Write the result with its notes, complete or not at all."""
        notes = f"\n{as_list(self.notes)}\n" if self.notes else ""
        file = self.path / RESULT
        with file_errors(file, "written"):
            store(file, (text.rstrip("\n") + "\n" + notes).encode())


def _config(name: str, scale: Scale) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "name": name,
        "scale": scale.name,
        "version": __version__,
        "settings": scale.as_json(),
        "seed": SEED,
        "versions": {"python": platform.python_version(), **_versions()},
    }


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _check(file: Path, config: dict[str, Any]) -> None:
    """Raise unless a folder was begun with the same configuration; other packages may have changed."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise GraphFileError(file, "this is no configuration of an experiment") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise GraphFileError(file, "this is no configuration of an experiment")
    for key in ("name", "scale", "version"):
        if found.get(key) != config[key]:
            rule = f"its {key} is {found.get(key)!r:.80}, not {config[key]!r}; choose another folder"
            raise InputError(f"{file.parent}: there is another experiment in it: {rule}")
    if (found.get("settings"), found.get("seed")) != (config["settings"], config["seed"]):
        rule = f"the numbers of scale {config['scale']!r} were others; choose another folder"
        raise InputError(f"{file.parent}: there is another experiment in it: {rule}")
