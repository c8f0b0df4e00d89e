"""Name what a comparison runs: a method, or a trained network as ``annealed=DIR``."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from annealco.baselines import METHODS, Method, Outcome, find_method
from annealco.baselines.learned import LEARNED, refusal, run_checkpoint
from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import Problem


@dataclass(frozen=True)
class Entry:
    """Something to run, by the text that names it.

    Attributes:
        label: what rows and tables call it: the text, and for a network what tells its weights from others.
        name: of the method.
        folder: of the trained network, where it is one.
    """

    label: str
    name: str
    folder: str | None = None

    @property
    def method(self) -> Method | None:
        return None if self.folder is not None else find_method(self.name)

    @property
    def is_foreign(self) -> bool:
        """Whether it runs code of another package, which may take the process down."""
        return self.method is not None and self.method.package is not None

    def refusal(self, problem: Problem, graph: Graph) -> str | None:
        """Return why it cannot take a problem on a graph, or None; raise where something is not installed."""
        if self.folder is not None:
            return refusal(self.folder, problem, LEARNED[self.name])
        method = find_method(self.name)
        method.check_installed()
        return method.refuses(problem, graph)

    def run(
        self, problem: Problem, graph: Graph, *, budget: float, seed: int, threads: int, moves: int | None = None
    ) -> Outcome:
        """Solve one graph; moves count instead of seconds where they are given and the method knows them."""
        if self.folder is not None:
            way = LEARNED[self.name]
            return run_checkpoint(
                self.folder, problem, graph, budget=budget, seed=seed, threads=threads, way=way, moves=moves
            )
        return find_method(self.name).run(problem, graph, budget=budget, seed=seed, threads=threads, moves=moves)


def parse_entry(text: str, *, model: str | None = None) -> Entry:
    """Read the name of a method, or of a way to use a network with its folder.

    Args:
        text: ``greedy``, ``annealed=DIR``, or ``annealed`` where a model is given.
        model: the folder of what names none.

    Example:
        >>> parse_entry("greedy"), parse_entry("annealed=runs/mis").folder
        (Entry(label='greedy', name='greedy', folder=None), 'runs/mis')
    """
    name, equals, folder = text.partition("=")
    if name in LEARNED:
        folder = folder or model or ""
        if not folder:
            raise InputError(f"{name} needs a trained network: {name}=DIR, or a model")
        return Entry(f"{name}={folder}{digest(folder)}", name, folder)
    if equals or name not in METHODS:
        choices = ", ".join([*METHODS, *(f"{each}=DIR" for each in LEARNED)])
        raise InputError(f"unknown method {text!r}; choose from {choices}")
    return Entry(name, name)


def digest(folder: str) -> str:
    """Return ``#`` and a few letters that change with the network in a folder: other weights are another method."""
    file = Path(folder) / "model.json"
    return f"#{hashlib.sha256(file.read_bytes()).hexdigest()[:8]}" if file.is_file() else ""


def parse_entries(text: str, *, model: str | None = None) -> list[Entry]:
    """Read names separated by commas, each once."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise InputError("name at least one method")
    return list(dict.fromkeys(parse_entry(part, model=model) for part in parts))
