"""Options that a problem declares, so that callers can list them, explain them and read them from text.

An option is a keyword argument of the problem's declaration and score. Declaring it adds what a signature does not say:
the kind of value, a line of help, and whether it must be set. The command line builds ``--volume`` and ``--seed-node``
from these declarations.

| kind      | value in Python            | text on the command line      |
|-----------|----------------------------|-------------------------------|
| `number`  | a finite float             | ``2.5``                       |
| `integer` | an int                     | ``3``                         |
| `range`   | two floats                 | ``10:20.5``                   |
| `node`    | a label of the user's      | the label                     |
| `choice`  | one of `Option.choices`    | one of the choices            |
| `flag`    | True or False              | ``--strict``, ``--no-strict`` |
| `text`    | text                       | anything                      |
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any, Literal, get_args

from annealco.errors import InputError

RESERVED = ("graph", "nodes")
"""Names of other arguments of what a problem is made of."""

OptionKind = Literal["number", "integer", "range", "node", "choice", "flag", "text"]


@dataclass(frozen=True)
class Option:
    """One option of a problem.

    Attributes:
        name: the keyword argument; ``seed_node`` is ``--seed-node`` on the command line.
        kind: what its values are.
        help: what it means, in one line.
        default: the value where it is not set; the same as in the signatures of ``declare`` and ``score``.
        required: whether it must be set before the problem can be declared.
        choices: the values of a ``choice``.

    Example:
        >>> Option("volume", kind="range", help="Bounds on the volume.").parse("10:20")
        (10.0, 20.0)
    """

    name: str
    kind: OptionKind = "text"
    help: str = ""
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier() or iskeyword(self.name):
            raise InputError(f"the name of an option must be that of a keyword argument, it is {self.name!r}")
        if self.name in RESERVED:
            raise InputError(
                f"an option must not be called {self.name!r}: declare and score have an argument of that name"
            )
        if self.kind not in get_args(OptionKind):
            kinds = ", ".join(get_args(OptionKind))
            raise InputError(f"unknown kind {self.kind!r} of the option {self.name}; choose one of {kinds}")
        if (self.kind == "choice") != bool(self.choices):
            raise InputError(f"option {self.name}: an option of the kind 'choice' has choices, and no other has")
        if self.required and self.default is not None:
            raise InputError(f"option {self.name} is required, so it has no default")

    def parse(self, text: str) -> Any:
        """Return the value that a text stands for; labels of nodes stay text.

        Raises:
            InputError: where the text is no value of this kind.
        """
        if self.kind == "choice" and text not in self.choices:
            raise InputError(f"{self.name} must be one of {', '.join(self.choices)}, it is {text!r}")
        if self.kind in {"choice", "node", "text"}:
            return text
        try:
            return _READERS[self.kind](text)
        except ValueError:
            raise InputError(f"{self.name} must be {_FORMS[self.kind]}, it is {text!r}") from None


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _bounds(text: str) -> tuple[float, float]:
    low, _, high = text.partition(":")
    return float(low), float(high)


def _flag(text: str) -> bool:
    if text not in {"true", "false"}:
        raise ValueError(text)
    return text == "true"


_READERS: dict[str, Callable[[str], Any]] = {"number": _number, "integer": int, "range": _bounds, "flag": _flag}
_FORMS = {
    "number": "a number",
    "integer": "a whole number",
    "range": "D0:D1, such as 10:20",
    "flag": "true or false",
}


def undeclared_options(declare: Callable[..., Any], node_options: tuple[str, ...]) -> tuple[Option, ...]:
    """Return the keyword-only arguments of a declaration as options: how they were found in version 0.1."""
    found = []
    for each in keyword_only(declare):
        required = each.default is each.empty
        kind: OptionKind = "node" if each.name in node_options else "text"
        found.append(Option(each.name, kind, default=None if required else each.default, required=required))
    return tuple(found)


def keyword_only(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the keyword-only parameters of a function; none where its signature cannot be read."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [each for each in parameters if each.kind is each.KEYWORD_ONLY]
