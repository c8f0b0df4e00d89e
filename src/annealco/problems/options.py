"""Options that a problem declares, so that callers can list them, explain them and read them from text.

An option is a keyword argument of the problem's declaration and score. Declaring it adds what a signature does not say:
the kind of value, a line of help, and whether it must be set. The command line builds ``--volume`` and ``--seed-node``
from these declarations.

| kind      | value in Python                        | text on the command line      |
|-----------|----------------------------------------|-------------------------------|
| `number`  | a finite number                        | ``2.5``                       |
| `integer` | a whole number                         | ``3``                         |
| `range`   | two numbers, the second not smaller    | ``10:20.5``, ``10:inf``       |
| `node`    | a label of the user's                  | the label                     |
| `choice`  | one of `Option.choices`                | one of the choices            |
| `flag`    | True or False                          | ``--strict``, ``--no-strict`` |
| `text`    | text                                   | anything                      |
| `any`     | anything: only the problem knows       | anything, as text             |

Where a problem is declared on many graphs, an array has a value for each: [num_graphs], and [num_graphs, 2] of ranges.
None is for an option that is not set, where its default is None.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any, Literal, get_args

import numpy as np

from annealco.arrays import unmasked
from annealco.errors import InputError

RESERVED = ("graph", "nodes", "node_weight", "edge_weight", "ends")
"""Names of other arguments of what a problem is made of, and of what reads its graphs."""

OptionKind = Literal["number", "integer", "range", "node", "choice", "flag", "text", "any"]


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
                f"an option must not be called {self.name!r}: another argument of declare, score or solve has that name"
            )
        if self.kind not in get_args(OptionKind):
            kinds = ", ".join(get_args(OptionKind))
            raise InputError(f"unknown kind {self.kind!r} of the option {self.name}; choose one of {kinds}")
        if not isinstance(self.help, str):
            raise InputError(f"option {self.name}: its help must be text, it is {self.help!r:.40}")
        if (self.kind == "choice") != bool(self.choices):
            raise InputError(f"option {self.name}: an option of the kind 'choice' has choices, and no other has")
        if not isinstance(self.choices, tuple) or not all(isinstance(each, str) and each for each in self.choices):
            raise InputError(f"option {self.name}: choices must be a tuple of texts, they are {self.choices!r:.60}")
        if len(set(self.choices)) < len(self.choices):
            raise InputError(f"option {self.name}: choices must differ, they are {', '.join(self.choices)}")
        if self.required and self.default is not None:
            raise InputError(f"option {self.name} is required, so it has no default")
        if self.default is not None and not self._is_value(self.default):
            raise InputError(f"the default of the option {self.name} must be {self._form}, it is {self.default!r:.60}")

    def parse(self, text: str) -> Any:
        """Return the value that a text stands for; labels of nodes stay text.

        Raises:
            InputError: where the text is no value of this kind.
        """
        with suppress(ValueError):
            value = _READERS.get(self.kind, str)(text)
            if self._is_value(value):
                return value
        form = f"one of {', '.join(self.choices)}" if self.kind == "choice" else _TEXT_FORMS[self.kind]
        raise InputError(f"{self.name} must be {form}, it is {text!r:.60}")

    def check(self, value: Any) -> None:
        """Raise where something is neither a value of this option nor an array with one for each of many graphs.

        Raises:
            InputError: naming the option, the rule and what was given.

        Example:
            >>> Option("volume", kind="range").check((5, 1))
            Traceback (most recent call last):
            annealco.errors.InputError: volume must be two numbers D0, D1 with D0 at most D1, it is (5, 1)
        """
        if value is None and self.default is None and not self.required:
            return
        unmasked(value, self.name)
        if not self._is_value(value) and not self._has_values(value):
            raise InputError(f"{self.name} must be {self._form}, it is {value!r:.60}")

    @property
    def _form(self) -> str:
        return f"one of {', '.join(self.choices)}" if self.kind == "choice" else _FORMS[self.kind]

    def _is_value(self, value: Any) -> bool:
        """Tell whether something is a value of this option, for all graphs alike."""
        if self.kind == "choice":
            return isinstance(value, str) and value in self.choices
        return _TESTS[self.kind](value)

    def _has_values(self, values: Any) -> bool:
        """Tell whether something is an array with a value for each graph; of numbers a list will do."""
        if self.kind in {"choice", "flag", "text"}:
            return isinstance(values, np.ndarray) and values.ndim == 1 and all(map(self._is_value, values.tolist()))
        try:
            found = np.asarray(values)
        except (TypeError, ValueError, OverflowError):
            return False
        if found.dtype.kind not in ("iu" if self.kind in {"integer", "node"} else "iuf"):
            return False
        if self.kind == "range":
            return found.ndim == 2 and found.shape[1] == 2 and bool(np.all(found[:, 0] <= found[:, 1]))
        return found.ndim == 1 and bool(np.all(np.isfinite(found)))


def _is_number(value: Any) -> bool:
    try:
        return _is_real(value) and math.isfinite(value)
    except OverflowError:
        return False


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return _is_real(value) and isinstance(value, int | np.integer)


def _is_range(value: Any) -> bool:
    # Bounds may be infinite; a comparison with NaN does not hold.
    is_many = isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim == 1)
    return is_many and len(value) == 2 and all(map(_is_real, value)) and bool(value[0] <= value[1])


def _is_label(value: Any) -> bool:
    """Tell whether something can be the label of a node: NaN equals nothing, and true would be taken for 1."""
    try:
        hash(value)
    except TypeError:
        return False
    return value is not None and not isinstance(value, bool | np.bool_) and bool(value == value)  # noqa: PLR0124


_TESTS: dict[str, Callable[[Any], bool]] = {
    "number": _is_number,
    "integer": _is_integer,
    "range": _is_range,
    "node": _is_label,
    "flag": lambda value: isinstance(value, bool | np.bool_),
    "text": lambda value: isinstance(value, str),
    "any": lambda _: True,
}
"""What values of a kind are; those of a choice are its choices."""

_FORMS = {
    "number": "a number",
    "integer": "a whole number",
    "range": "two numbers D0, D1 with D0 at most D1",
    "node": "the label of a node",
    "flag": "True or False",
    "text": "text",
}


def _bounds(text: str) -> tuple[float, float]:
    low, _, high = text.partition(":")
    return float(low), float(high)


def _flag(text: str) -> bool:
    if text not in {"true", "false"}:
        raise ValueError(text)
    return text == "true"


_READERS: dict[str, Callable[[str], Any]] = {"number": float, "integer": int, "range": _bounds, "flag": _flag}
_TEXT_FORMS = {**_FORMS, "range": "D0:D1 with D0 at most D1, such as 10:20", "flag": "true or false"}


def undeclared_options(declare: Callable[..., Any], node_options: tuple[str, ...]) -> tuple[Option, ...]:
    """Return the keyword-only arguments of a declaration as options: how they were found in version 0.1."""
    found = []
    for each in keyword_only(declare):
        required = each.default is each.empty
        # Nobody said what its values are.
        kind: OptionKind = "node" if each.name in node_options else "any"
        found.append(Option(each.name, kind, default=None if required else each.default, required=required))
    return tuple(found)


def keyword_only(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the keyword-only parameters of a function; none where its signature cannot be read."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [each for each in parameters if each.kind is each.KEYWORD_ONLY]
