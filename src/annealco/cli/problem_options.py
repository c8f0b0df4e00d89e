"""Options of a command that the named problem declares.

A command about a problem is a `ProblemCommand`: when its arguments are parsed, the problem that they name is found, and
the options it declares (`annealco.problems.options`) join those of the command. So ``annealco solve cut --help`` lists
``--volume``, options stand in any order, and a misspelt one is told with the nearest that exist. The function of the
command reads the values by `problem_options`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from annealco.errors import InputError

if TYPE_CHECKING:
    from annealco.problems import Option, Problem

PROBLEM, VALUES = "annealco.problem", "annealco.problem_options"
"""Where the context keeps the problem that is named, and the values of its options."""

ProblemName = Annotated[
    str,
    typer.Argument(
        metavar="PROBLEM", help="A name from 'annealco list problems', or a place: module:NAME, file.py:NAME."
    ),
]
"""The first argument of a `ProblemCommand`."""

METAVARS = {"number": "NUMBER", "integer": "N", "range": "D0:D1", "node": "LABEL", "text": "TEXT", "any": "VALUE"}


class ProblemCommand(TyperCommand):
    """A command whose first argument names a problem, with the options of that problem among its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Find the problem that is named before anything is parsed."""
        ctx.meta[PROBLEM], ctx.meta[VALUES] = named_problem(args, self.params), {}
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters of the command, the options of the problem before the last, which is ``--help``."""
        own, problem = super().get_params(ctx), ctx.meta.get(PROBLEM)
        if problem is None:
            return own
        taken = {flag for each in own for flag in (*each.opts, *each.secondary_opts)}
        _check_flags(problem, taken)
        return [*own[:-1], *(_as_parameter(problem, option) for option in problem.options), own[-1]]


def problem_options(context: typer.Context) -> dict[str, Any]:
    """Return the values of the problem's options that were given, by name; nodes are labels, as text."""
    return dict(context.meta[VALUES])


def named_problem(arguments: Sequence[str], parameters: Iterable[Any]) -> Problem | None:
    """Return the problem that the first argument of a command names, or None where there is no argument.

    Options may stand before it, also those of the problem, and whether one of these takes a value is for the problem to
    say. So every argument that may be the first is asked: it is, where the options before it are those of the command
    and of the problem that it names. Where none is, the first that names a problem counts, and the parser tells which
    option there is none of.
    """
    own = {flag: _is_flag(each) for each in parameters if isinstance(each, TyperOption) for flag in each.opts}
    own |= {flag: True for each in parameters for flag in each.secondary_opts}
    own.setdefault("--help", True)
    positions = possible_first(arguments, own)
    if not positions:
        return None
    if len(positions) == 1:
        return _find(arguments[positions[0]])
    found: dict[int, Problem] = {}
    # What is a name needs no module of somebody's to be imported.
    for position in sorted(positions, key=lambda each: (":" in arguments[each], each)):
        with suppress(InputError):
            problem = found[position] = _find(arguments[position])
            if possible_first(arguments, own | _flags_of(problem), strict=True) == [position]:
                return problem
    if found:
        return found[min(found)]
    # What is behind an option is rather its value.
    return _find(arguments[next((each for each in positions if not arguments[each - 1].startswith("-")), positions[0])])


def possible_first(arguments: Sequence[str], is_flag: dict[str, bool], *, strict: bool = False) -> list[int]:
    """Return where the first argument may stand that is neither an option nor the value of one.

    Args:
        arguments: of a command.
        is_flag: of each option that is known, whether it takes no value.
        strict: whether no other options may stand before it. Without, one that is not known may take a value or not.

    Example:
        >>> possible_first(["--seed", "3", "--radius", "2", "cover"], {"--seed": False})
        [3, 4]
    """
    found, reached = set(), {0}
    for position, each in enumerate(arguments):
        if position not in reached:
            continue
        flag, equals, _ = each.partition("=")
        if each == "--" or not each.startswith("-") or each == "-":
            found.add(position + (each == "--"))
        elif flag in is_flag:
            reached.add(position + (1 if is_flag[flag] or equals else 2))
        elif not strict:
            reached |= {position + 1} if equals else {position + 1, position + 2}
    return sorted(each for each in found if each < len(arguments))


def _find(given: str) -> Problem:
    from annealco.problems import find_problem

    return find_problem(given)


def _is_flag(parameter: TyperOption) -> bool:
    return bool(parameter.is_flag or parameter.count)


def _flags_of(problem: Problem) -> dict[str, bool]:
    """Return the options of a problem as they are written, and which of them take no value."""
    return {flag: option.kind == "flag" for option in problem.options for flag in _written(option)}


def _written(option: Option) -> list[str]:
    """Return how an option is written, a flag with its opposite."""
    name = option.name.replace("_", "-")
    return [f"--{name}", f"--no-{name}"] if option.kind == "flag" else [f"--{name}"]


def _check_flags(problem: Problem, taken: set[str]) -> None:
    """Refuse options that are written as those of the command are, or as one another."""
    seen: set[str] = set()
    for flag in (flag for option in problem.options for flag in _written(option)):
        if flag in taken:
            raise InputError(f"{problem.name}: its option {flag} is one of the command too, and must have another name")
        if flag in seen:
            raise InputError(f"{problem.name}: its option {flag} is written as another one is, and must be named apart")
        seen.add(flag)


def _as_parameter(problem: Problem, option: Option) -> Any:
    """Return an option of a problem, made by typer of an argument: how options are built changes with its versions."""
    from rich.markup import escape

    def keep(context: typer.Context, value: Any) -> None:
        if value is not None:
            context.meta[VALUES][option.name] = value if option.kind == "flag" else option.parse(value)

    is_flag, name = option.kind == "flag", f"option_{option.name}"
    given = typer.Option(
        "/".join(_written(option)),
        metavar=None if is_flag else METAVARS.get(option.kind, "|".join(option.choices)),
        help=escape(option.help),
        show_default=False if option.default is None else str(option.default),
        callback=keep,
        expose_value=False,
        rich_help_panel=f"Options of {problem.name}",
    )
    kind: Any = bool if is_flag else str
    annotation: Any = Annotated[kind if option.required else kind | None, given]
    default = Parameter.empty if option.required else None

    def take(**_: Any) -> None: ...

    argument = Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
    take.__signature__ = Signature([argument])  # type: ignore[attr-defined]
    take.__annotations__ = {name: annotation}
    app = typer.Typer(add_completion=False)
    app.command()(take)
    return next(each for each in typer.main.get_command(app).params if each.name == name)
