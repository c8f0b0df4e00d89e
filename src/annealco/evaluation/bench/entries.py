"""Name what a comparison runs: a method by name or place, or a trained network as ``annealed=DIR``.

A network of the user's own class needs the class too: ``annealed=DIR`` with the model ``package.module:Class``.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from annealco.baselines import METHODS, Method, Outcome, find_method
from annealco.baselines.learned import LEARNED, Learned, refusal, run_checkpoint
from annealco.errors import InputError, did_you_mean
from annealco.graph.graph import Graph
from annealco.problems import Problem, find_problem
from annealco.search.decode import Order, check_order
from annealco.solving.solver import MAX_RESTARTS

MAX_STEPS = 2**16
"""What settings of networks may be at most; `annealco.models` would bring torch."""


@dataclass(frozen=True)
class Entry:
    """Something to run, by the text that names it.

    Attributes:
        label: what rows and tables call it: the text, and for a network what tells its weights from others.
        name: of the method, or its place.
        folder: of the trained network, where it is one.
        restarts: proposals a graph, where they are not those of the method.
        steps: of a recurrent network, where they are not those it is saved with.
        place: of the network's class, where it is not of the package.
        order: of decoding, where it is not that of the method.
    """

    label: str
    name: str
    folder: str | None = None
    restarts: int | None = None
    steps: int | None = None
    place: str | None = None
    order: Order | None = None

    @property
    def told(self) -> str:
        """What its label ends with: how a network is used, where that is not the usage of the way."""
        number = f" x{self.restarts}" if self.restarts else ""
        return number + (f" @{self.steps}" if self.steps else "") + (f" {self.order}" if self.order else "")

    @property
    def method(self) -> Method | None:
        return None if self.folder is not None else find_method(self.name)

    @property
    def way(self) -> Learned:
        """How its network is used."""
        way = LEARNED[self.name]
        return way._replace(
            restarts=self.restarts or way.restarts, steps=self.steps or way.steps, order=self.order or way.order
        )

    @property
    def is_foreign(self) -> bool:
        """Whether it runs code of another package or of the user's own, which may take the process down."""
        return self.method is not None and (self.method.package is not None or self.name not in METHODS.own)

    @property
    def is_only_here(self) -> bool:
        """Whether no other process can find it."""
        return self.folder is None and METHODS.is_only_here(self.name)

    def refusal(self, problem: Problem, graph: Graph) -> str | None:
        """Return why it cannot take a problem on a graph, or None; raise where something is not installed."""
        if self.folder is not None:
            return refusal(self.folder, problem, self.way, place=self.place)
        method = find_method(self.name)
        method.check_installed()
        return method.refusal(problem, graph)

    def run(
        self, problem: Problem, graph: Graph, *, budget: float, seed: int, threads: int, moves: int | None = None
    ) -> Outcome:
        """Solve one graph; moves count instead of seconds where they are given and the method knows them."""
        if self.folder is not None:
            return run_checkpoint(
                self.folder,
                problem,
                graph,
                budget=budget,
                seed=seed,
                threads=threads,
                way=self.way,
                moves=moves,
                place=self.place,
            )
        return find_method(self.name).run(problem, graph, budget=budget, seed=seed, threads=threads, moves=moves)


def parse_entry(
    text: str,
    *,
    problem: str | Problem | None = None,
    model: str | None = None,
    restarts: int | None = None,
    steps: int | None = None,
    decode_order: Order | None = None,
) -> Entry:
    """Read the name of a method, or of a way to use a network with its folder.

    Args:
        text: ``greedy``, ``package.module:METHOD``, ``annealed=DIR``, or ``annealed`` for the model, or for the one
            that comes with the package.
        problem: to be solved, where networks of the package may be meant.
        model: the folder of what names none; or the place of the class of networks that are not of the package,
            ``my_package.nets:Net``.
        restarts: proposals a graph of networks.
        steps: of recurrent networks.
        decode_order: in which what networks propose is decoded.

    Example:
        >>> parse_entry("greedy").method.name, parse_entry("annealed=runs/mis").folder
        ('greedy', 'runs/mis')
    """
    _check("restarts", restarts, MAX_RESTARTS)
    _check("steps", steps, MAX_STEPS)
    if decode_order is not None:
        check_order(decode_order)
    name, equals, folder = text.partition("=")
    if name in LEARNED:
        place = model if model is not None and _is_place(model) else None
        usage = Entry("", name, restarts=restarts, steps=steps, order=decode_order)
        entry = _learned(usage, folder or (model if place is None else None) or "", problem)
        # A network of the package needs no class, and none that a user names is loaded for it.
        return replace(entry, place=place) if folder else entry
    if ":" in text and not equals:
        find_method(text)
        return Entry(text, text)
    if equals or name not in METHODS:
        choices = ", ".join([*METHODS, *(f"{each}=DIR" for each in LEARNED)])
        hint = did_you_mean(name, [*METHODS, *LEARNED])
        raise InputError(f"unknown method {text!r}; {hint}choose from {choices}")
    return Entry(name, name)


def _check(what: str, given: int | None, most: int) -> None:
    if given is not None and not 1 <= given <= most:
        raise InputError(f"{what} must be at least 1 and at most {most:,}, they are {given}")


def _learned(usage: Entry, folder: str, problem: str | Problem | None) -> Entry:
    """Return a way to use the network of a folder, or, where none is given, the one that comes with the package."""
    name = usage.name
    label = f"{name}={folder}" if folder else name
    if not folder:
        if problem is None or not LEARNED[name].shipped:
            raise InputError(f"{name} needs a trained network: {name}=DIR, or a model")
        from annealco.models.pretrained import shipped_folder

        folder = str(shipped_folder(*find_problem(problem).learned_from))
    return replace(usage, label=label + digest(folder) + usage.told, folder=folder)


def digest(folder: str) -> str:
    """Return ``#`` and a few letters that change with the network in a folder: other weights are another method."""
    file = Path(folder) / "model.json"
    return f"#{hashlib.sha256(file.read_bytes()).hexdigest()[:8]}" if file.is_file() else ""


class LabelParts(NamedTuple):
    """What the label of an entry is made of.

    Attributes:
        way: a method, or a way to use a network.
        network: its folder, or nothing.
        usage: restarts, steps and order of decoding, where they are not those of the way.
    """

    way: str
    network: str
    usage: str


def parts_of_label(label: str) -> LabelParts:
    """Return the parts of a label, without the digest of the network's weights.

    Example:
        >>> parts_of_label("annealed=nets/mis#0a1b2c3d x32 steepest")
        LabelParts(way='annealed', network='nets/mis', usage='x32 steepest')
    """
    name, _, tail = label.partition("#")
    way, _, network = name.partition("=")
    return LabelParts(way, network, tail.partition(" ")[2])


def parse_entries(text: str, **usage: Any) -> list[Entry]:
    """Read names separated by commas, each once; networks are used as `parse_entry` is told."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise InputError("name at least one method")
    entries = list(dict.fromkeys(parse_entry(part, **usage) for part in parts))
    if all(entry.folder is None for entry in entries):
        for what in ("model", "restarts", "steps", "decode_order"):
            if usage.get(what) is not None:
                raise InputError(f"{what} is for networks, and none of the methods is one: {text}")
    model = usage.get("model")
    if model is not None and _is_place(model) and all(entry.place is None for entry in entries):
        raise InputError(f"{model} is a class of your own: name the folder of its network too, annealed=DIR")
    return entries


def _is_place(model: str) -> bool:
    """Tell whether a model is the place of a class; a folder may have a colon in its name."""
    return ":" in model and not Path(model).exists()
