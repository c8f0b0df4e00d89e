"""The commands `annealco list ...`: what can be chosen by name."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from annealco.terminal import show_table

if TYPE_CHECKING:
    from annealco.bounds import BoundKind
    from annealco.search import SearchKind

list_app = typer.Typer(help="List what can be chosen by name.")


@list_app.command("problems")
def _list_problems() -> None:
    """List the problems that can be solved."""
    from annealco.problems import PROBLEMS

    show_table(["problem", "title", "sense"], [[each.name, each.title, each.sense] for each in PROBLEMS.values()])


@list_app.command("formats")
def _list_formats() -> None:
    """List the file formats."""
    from annealco.graph.formats import FORMATS, Content

    kinds = {"nodes": Content.NODE_WEIGHTS, "edges": Content.EDGE_WEIGHTS}
    rows = []
    for each in FORMATS.values():
        many = "many" if Content.SEVERAL_GRAPHS in each.holds else "one"
        weights = " ".join(name for name, kind in kinds.items() if kind in each.holds)
        rows.append([each.name, " ".join(each.extensions), many, weights or "-"])
    show_table(["format", "extensions", "graphs a file", "weights"], rows)


@list_app.command("generators")
def _list_generators() -> None:
    """List the families of random graphs."""
    from annealco.graph.generators import GENERATORS

    show_table(["generator", "graphs"], [[each.name, each.description] for each in GENERATORS.values()])


@list_app.command("models")
def _list_models() -> None:
    """List the networks that can be trained."""
    from annealco.optional import require

    require("a network", "torch")
    from annealco.models import MODELS

    rows = [[name, " ".join(settings(each)), (each.__doc__ or "").splitlines()[0]] for name, each in MODELS.items()]
    show_table(["model", "settings", "what it is"], rows)


@list_app.command("searches")
def _list_searches() -> None:
    """List the searches that 'annealco solve --search' takes, with the problems they are for."""
    from annealco.search import SEARCHES

    show_table(["search", "problems", "what it is"], _taken(SEARCHES, quotients=True))


@list_app.command("bounds")
def _list_bounds() -> None:
    """List the bounds that 'annealco solve --bounds' takes, with the problems they are for."""
    from annealco.bounds import BOUNDS

    # Of a quotient nothing is proven.
    show_table(["bound", "problems", "what it is"], _taken(BOUNDS, quotients=False))


def _taken(registry: Mapping[str, SearchKind] | Mapping[str, BoundKind], *, quotients: bool) -> list[list[str]]:
    """Return names, the problems whose instances are taken on one of two small graphs, and titles."""
    from annealco.energy.structure import structure_of
    from annealco.graph.generators.presets import ring_with_chords
    from annealco.problems import PROBLEMS

    graphs = ring_with_chords(), ring_with_chords(15)
    problems = {name: each for name, each in PROBLEMS.items() if quotients or each.at_price is None}
    structures = {name: [structure_of(each.declare(graph)) for graph in graphs] for name, each in problems.items()}
    return [
        [name, " ".join(each for each, some in structures.items() if any(map(kind.takes, some))), kind.title]
        for name, kind in registry.items()
    ]


@list_app.command("methods")
def _list_methods() -> None:
    """List the methods that 'annealco bench' compares, with the problems they take and what they need."""
    from annealco.baselines import METHODS
    from annealco.baselines.learned import LEARNED
    from annealco.baselines.method import problems_of

    rows = [
        [each.name, " ".join(problems_of(each)), needs(each.needs, is_installed=each.is_installed), each.summary]
        for each in METHODS.values()
    ]
    rows += [
        [f"{each.name}=DIR", " ".join(each.problems) or "as trained", "a checkpoint", each.summary]
        for each in LEARNED.values()
    ]
    show_table(["method", "problems", "needs", "what it is"], rows)


def needs(extra: str | None, *, is_installed: bool) -> str:
    """Say what extra a method needs, and whether it is there.

    Example:
        >>> needs(None, is_installed=True), needs("exact", is_installed=False)
        ('-', 'annealco[exact], missing')
    """
    if extra is None:
        return "-"
    return f"annealco[{extra}]" + ("" if is_installed else ", missing")


@list_app.command("schedules")
def _list_schedules() -> None:
    """List how the temperature can fall in training."""
    from annealco.energy.schedules import LAST_TEMPERATURE, SCHEDULES, cooling

    progress = (0.0, 0.25, 0.5, 0.75, 1.0)
    rows = [[name, *(f"{cooling(name, 10.0, LAST_TEMPERATURE)(each):.4g}" for each in progress)] for name in SCHEDULES]
    headings = [f"at {each:.0%}" for each in progress]
    show_table(["schedule", *headings], rows, numbers=headings)


def settings(model: type) -> list[str]:
    """Write the settings of a network with their defaults.

    Example:
        >>> settings(type("Any", (), {"__init__": lambda self, *, width=3: None}))
        ['width=3']
    """
    return [f"{each.name}={each.default}" for each in inspect.signature(model).parameters.values()]
