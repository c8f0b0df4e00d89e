"""The folder of an experiment, the steps that fill it, and the Markdown of its result.

``config.json`` is written first and names the experiment, scale and version of the folder. A folder of another one is
refused: its rows would be mixed with these. Before each step the estimated time left is printed.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from annealco import __version__
from annealco.errors import GraphFileError, InputError
from annealco.experiments.scale import Scale
from annealco.files import file_errors, store
from annealco.terminal import in_words, say

CONFIG, RESULT, NETWORKS = "config.json", "result.md", "networks"
FORMAT = "annealco experiment"
PACKAGES = ("torch", "torch_geometric", "lightning-fabric", "numpy", "scipy", "ortools", "gurobipy")
Material = dict[str, list[dict[str, Any]]]
"""The rows that a result is made of, by the name of their file."""

SEED = 0
"""Seed of all random choices; experiments with several seeds count from it."""

MOST_SEEDS = 20
"""Networks of one kind, at most."""

SEEDS = {f"seed-{number}": number for number in range(SEED, SEED + MOST_SEEDS)}
"""Seeds of networks by the names that they have for who runs an experiment in parts."""

STARTUP = 10.0
"""Seconds for loading packages in the first step, beside its work."""


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

    def heading(self, title: str) -> str:
        """Return the heading of a result that networks have a part in, with what the scale does not tell."""
        return f"# {title}: scale {self.scale.name}\n\n{self.scale.caution}"

    def begin(self, title: str, missing: Sequence[str]) -> str:
        """Return the heading of a result, with what is not there yet."""
        told = f"**Not finished.** What is not there yet:\n\n{as_list(missing)}" if missing else ""
        return "\n\n".join(filter(None, [self.heading(title), told]))

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


def asked_seeds(only: Collection[str]) -> set[int]:
    """Return the seeds among the names of parts; all where there are none."""
    return {SEEDS[name] for name in only if name in SEEDS} or set(SEEDS.values())


class Step(NamedTuple):
    """A long step of an experiment; repeating a step that is done costs nothing.

    Attributes:
        what: a few words for people.
        guess: seconds that it may take; only its size beside those of other steps matters in the end.
        work: does it.
    """

    what: str
    guess: float
    work: Callable[[], object]


def run_steps(
    steps: Sequence[Step], *, tell: Callable[[str], None] = say, clock: Callable[[], float] = time.monotonic
) -> None:
    """Do all steps in their order.

    Args:
        steps: what to do.
        tell: prints a line.
        clock: seconds since some moment.
    """
    begun = clock()
    total, done = STARTUP + sum(step.guess for step in steps), 0.0
    for number, step in enumerate(steps, start=1):
        left = time_left(spent=clock() - begun, done=done, total=total)
        tell(f"{number}/{len(steps)} {step.what}, about {in_words(left)} left")
        step.work()
        done += step.guess + (STARTUP if number == 1 else 0.0)


def time_left(*, spent: float, done: float, total: float) -> float:
    """Return the seconds left: the estimate, corrected by its error so far.

    Example:
        >>> time_left(spent=0.0, done=0.0, total=60.0), time_left(spent=40.0, done=20.0, total=60.0)
        (60.0, 80.0)
    """
    return (total - done) * (spent / done if done else 1.0)


def as_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""Return a table; a bar inside a cell is escaped.

    Example:
        >>> print(as_table(["set", "ratio"], [["a|b", "0.9"]]))
        | set | ratio |
        |---|---|
        | a\|b | 0.9 |
    """
    lines = [columns, *rows]
    text = ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines]
    return "\n".join([text[0], "|" + "---|" * len(columns), *text[1:]])


def as_list(texts: Iterable[str]) -> str:
    r"""Return a list; a star at the start of a text is one, not another list.

    Example:
        >>> print(as_list(["one", "* two"]))
        * one
        * \* two
    """
    return "\n".join("* " + ("\\" + text if text.startswith("*") else text) for text in texts)


def as_number(mean: float, deviation: float | None = None, digits: int = 4) -> str:
    """Write a number, with its deviation where there is one.

    Example:
        >>> as_number(0.5), as_number(0.5, 0.01, digits=2)
        ('0.5000', '0.50 ± 0.01')
    """
    return f"{mean:.{digits}f}" + ("" if deviation is None else f" ± {deviation:.{digits}f}")
