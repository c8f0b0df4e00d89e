"""The commands `annealco list ...`: what can be chosen by name.

Problems, methods and the like are registries that other packages add to (`annealco.registry`): each is one line of
`SEAMS`. Things of other packages are listed with the package they come from, and one that cannot be loaded with the
reason.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import typer

from annealco.errors import InputError, in_one_line
from annealco.terminal import say, show_table

list_app = typer.Typer(help="List what can be chosen by name.")


class Seam(NamedTuple):
    """A registry that is listed.

    Attributes:
        registry: its place.
        help: of the command.
        headings: of the columns behind the name.
        cells: returns what these hold of a thing.
        package: that must be installed to load it, or None.
    """

    registry: str
    help: str
    headings: tuple[str, ...]
    cells: Callable[[Any], list[str]]
    package: str | None = None


def _problem_cells(problem: Any) -> list[str]:
    options = " ".join(f"--{option.name.replace('_', '-')}" for option in problem.options)
    return [problem.title, options or "-", problem.sense]


def _method_cells(method: Any) -> list[str]:
    from annealco.baselines.method import problems_of
    from annealco.problems import PROBLEMS

    problems = [thing for _, thing, fault in things_of(PROBLEMS) if fault is None and _instances(thing)]
    needed = needs(method.needs, is_installed=method.is_installed)
    return [" ".join(problems_of(method, problems)) or "-", needed, method.summary]


def _search_cells(search: Any) -> list[str]:
    return [" ".join(_taken(search)), search.title]


def _bound_cells(bound: Any) -> list[str]:
    return [" ".join(_taken(bound)), bound.title]


def _taken(kind: Any) -> list[str]:
    """Return the names of the problems whose instances a search or bound takes on one of some small graphs."""
    from annealco.energy.structure import structure_of
    from annealco.problems import PROBLEMS

    problems = [thing for _, thing, fault in things_of(PROBLEMS) if fault is None]
    return [
        each.name for each in problems if any(kind.takes(structure_of(instance)) for instance in _instances(each))
    ] or ["-"]


def _instances(problem: Any) -> list[Any]:
    """Return a problem on some small graphs; on none where it needs an option, or its own code fails."""
    if any(option.required for option in problem.options):
        return []
    try:
        return [problem.declare(graph) for graph in problem.some_graphs()]
    except InputError:
        return []


def _model_cells(model: Any) -> list[str]:
    return [" ".join(settings(model)), (model.__doc__ or "").partition("\n")[0]]


SEAMS = {
    "problems": Seam(
        "annealco.problems:PROBLEMS",
        "List the problems that can be solved.",
        ("title", "options", "sense"),
        _problem_cells,
    ),
    "methods": Seam(
        "annealco.baselines:METHODS",
        "List the methods that 'annealco bench' compares, with the problems they take and what they need.",
        ("problems", "needs", "what it is"),
        _method_cells,
    ),
    "models": Seam(
        "annealco.models:MODELS",
        "List the networks that can be trained.",
        ("settings", "what it is"),
        _model_cells,
        "torch",
    ),
    "searches": Seam(
        "annealco.search:SEARCHES",
        "List the searches that 'annealco solve --search' takes, with the problems they are for.",
        ("problems", "what it is"),
        _search_cells,
    ),
    "bounds": Seam(
        "annealco.bounds:BOUNDS",
        "List the bounds that 'annealco solve --bounds' takes, with the problems they are for.",
        ("problems", "what it is"),
        _bound_cells,
    ),
}
"""What packages can add to, by the name of the command."""


def _add(name: str, seam: Seam) -> None:
    def show() -> None:
        show_seam(name, seam)

    list_app.command(name, help=seam.help)(show)


def show_seam(name: str, seam: Seam) -> None:
    """Print a table of a registry; where things of other packages are in it, with a column for the package."""
    if seam.package is not None:
        from annealco.optional import require

        require("a network", seam.package)
    from annealco.registry import Registry, load_place

    registry = load_place(seam.registry, name)
    for each in registry.own if isinstance(registry, Registry) else ():
        if each in registry.clashes:
            say(f"note: {registry.clashes[each]}; the one of annealco is used")
    rows, origins = [], []
    for each, thing, fault in things_of(registry):
        cells = [f"broken: {fault}"] if fault is not None else _cells(registry, seam, each, thing)
        rows.append([each, *cells, *[""] * (len(seam.headings) - len(cells))])
        origins.append(registry.origin(each) if isinstance(registry, Registry) else "annealco")
    headings = [registry.kind if isinstance(registry, Registry) else name.removesuffix("s"), *seam.headings]
    if name == "methods":
        trained = _trained_networks()
        rows, origins = rows + trained, origins + ["annealco"] * len(trained)
    if set(origins) - {"annealco"}:
        headings.insert(1, "package")
        rows = [[first, origin, *others] for origin, (first, *others) in zip(origins, rows, strict=True)]
    show_table(headings, rows)


def _cells(registry: Any, seam: Seam, name: str, thing: Any) -> list[str]:
    """Return the columns of a thing; code that is not of the package may fail, which is told in its row."""
    try:
        return seam.cells(thing)
    except Exception as error:
        if registry.is_own(thing, name):
            raise
        return [f"broken: {in_one_line(error)}"]


def things_of(registry: Mapping[str, Any]) -> Iterator[tuple[str, Any, str | None]]:
    """Yield name, thing and fault of all that is in a registry; the thing is None where there is a fault."""
    for name in registry:
        try:
            yield name, registry[name], None
        except InputError as error:
            yield name, None, " ".join(str(error).split())


def _trained_networks() -> list[list[str]]:
    """Return rows of the ways to use a trained network in a comparison."""
    from annealco.baselines.learned import LEARNED

    return [
        [f"{each.name}=DIR", " ".join(each.problems) or "as trained", "a checkpoint", each.summary]
        for each in LEARNED.values()
    ]


for _name, _seam in SEAMS.items():
    _add(_name, _seam)


@list_app.command("formats")
def _list_formats() -> None:
    """List the file formats."""
    from annealco.graph.formats import FORMATS, Content

    kinds = {"nodes": Content.NODE_WEIGHTS, "edges": Content.EDGE_WEIGHTS}
    rows = []
    for each in FORMATS.values():
        many = "many" if Content.SEVERAL_GRAPHS in each.holds else "one"
        weights = " ".join(name for name, kind in kinds.items() if kind in each.holds)
        written = "no" if each.write is None else "yes"
        rows.append([each.name, " ".join(each.extensions), many, weights or "-", written])
    show_table(["format", "extensions", "graphs a file", "weights", "written"], rows)


@list_app.command("generators")
def _list_generators() -> None:
    """List the families of random graphs."""
    from annealco.graph.generators import GENERATORS

    show_table(["generator", "graphs"], [[each.name, each.description] for each in GENERATORS.values()])


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
