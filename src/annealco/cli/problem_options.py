"""Options of a command that the named problem declares.

A command about a problem is a `ProblemCommand`: when its arguments are parsed, the problem that they name is found, and
the options it declares (`annealco.problems.options`) join those of the command. So ``annealco solve cut --help`` lists
``--volume``, options stand in any order, and a misspelt one is told with the nearest that exist. The function of the
command reads the values by `problem_options`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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

METAVARS = {"number": "NUMBER", "integer": "N", "range": "D0:D1", "node": "LABEL", "text": "TEXT"}


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
        return [*own[:-1], *(_as_parameter(problem, option, taken) for option in problem.options), own[-1]]


def problem_options(context: typer.Context) -> dict[str, Any]:
    """Return the values of the problem's options that were given, by name; nodes are labels, as text."""
    return dict(context.meta[VALUES])


def named_problem(arguments: Sequence[str], parameters: Iterable[Any]) -> Problem | None:
    """Return the problem that the first argument of a command names, or None where there is no argument.

    Options may stand before it. Whether one that the command does not know takes a value is for the problem to say: it
    is read with one, and where the argument behind is no problem, without.
    """
    known = {
        flag: each.is_flag or each.count for each in parameters if isinstance(each, TyperOption) for flag in each.opts
    }
    known |= {flag: True for each in parameters for flag in each.secondary_opts}
    readings = [first_argument(arguments, known, unknown_is_flag=each) for each in (False, True)]
    if readings[0] is None and readings[1] is None:
        return None
    from annealco.problems import find_problem

    try:
        return find_problem(readings[0] or readings[1] or "")
    except InputError:
        if readings[1] is None or readings[0] == readings[1]:
            raise
        return find_problem(readings[1])


def first_argument(arguments: Sequence[str], is_flag: dict[str, bool], *, unknown_is_flag: bool) -> str | None:
    """Return the first argument that is neither an option nor the value of one.

    Example:
        >>> first_argument(["--seed", "3", "--radius", "2", "cover"], {"--seed": False}, unknown_is_flag=False)
        'cover'
    """
    rest = iter(arguments)
    for each in rest:
        if each == "--":
            return next(rest, None)
        if not each.startswith("-") or each == "-":
            return each
        if "=" not in each and not is_flag.get(each, unknown_is_flag or each == "--help"):
            next(rest, None)
    return None


def _as_parameter(problem: Problem, option: Option, taken: set[str]) -> TyperOption:
    flag = f"--{option.name.replace('_', '-')}"
    if flag in taken:
        raise InputError(f"{problem.name}: its option {flag} is one of the command too, and must have another name")

    from rich.markup import escape

    def keep(ctx: Any, param: Any, value: Any) -> None:  # noqa: ARG001 (what the parser passes)
        if value is not None:
            ctx.meta[VALUES][option.name] = value if option.kind == "flag" else option.parse(value)

    is_flag = option.kind == "flag"
    return TyperOption(
        param_decls=[f"option_{option.name}", f"{flag}/--no-{flag[2:]}" if is_flag else flag],
        type=bool if is_flag else str,
        is_flag=is_flag,
        metavar=None if is_flag else METAVARS.get(option.kind, "|".join(option.choices)),
        required=option.required,
        help=escape(option.help),
        show_default=False if option.default is None else str(option.default),
        callback=keep,
        expose_value=False,
        rich_help_panel=f"Options of {problem.name}",
    )
