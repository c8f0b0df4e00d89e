"""Check arguments of public functions against their annotations, and integers against their range."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Mapping
from functools import reduce, wraps
from operator import or_
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from annealco.errors import InputError

Given = ParamSpec("Given")
Result = TypeVar("Result")

WORDS: Mapping[type, str] = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "text",
    NoneType: "None",
}
"""What types are called in errors."""


MOST_BITS = sys.float_info.max_exp - 1
"""Bits of the largest whole numbers that are surely finite as floats."""


def fits(value: Any, annotation: Any) -> bool:
    """Tell whether a value is of the type that an annotation asks for, or of one of several.

    The type itself counts: true is no whole number. A whole number is a number.

    Example:
        >>> fits(None, int | None), fits(True, int), fits(2, float)
        (True, False, True)
    """
    kinds = get_args(annotation) or (annotation,)
    return type(value) in kinds or (type(value) is int and float in kinds)


def in_words(annotation: Any, words: Mapping[type, str] = WORDS) -> str:
    """Return what an annotation asks for.

    Example:
        >>> in_words(int | None)
        'a whole number or None'
    """
    kinds = get_args(annotation) or (annotation,)
    return " or ".join(words.get(kind, kind.__name__) for kind in kinds)


def checked(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Refuse arguments of another type than a function asks for, and take NumPy's numbers for Python's.

    Arguments that are neither numbers nor flags nor text are the function's own business.
    """
    hints = plain_hints(function)

    @wraps(function)
    def call(*arguments: Given.args, **options: Given.kwargs) -> Result:
        plain = {name: as_plain(name, each, hints[name]) if name in hints else each for name, each in options.items()}
        return function(*arguments, **plain)  # type: ignore[arg-type]

    return call


def plain_hints(annotated: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of a function or class that are numbers, flags and text; choices of text count as text.

    Example:
        >>> def wait(seconds: float, unit: Literal["s", "min"], until: object) -> None: ...
        >>> plain_hints(wait)
        {'seconds': <class 'float'>, 'unit': <class 'str'>}
    """
    hints = {name: _kinds(hint) for name, hint in get_type_hints(annotated).items() if name != "return"}
    return {name: reduce(or_, kinds) for name, kinds in hints.items() if set(kinds) <= set(WORDS)}


def _kinds(hint: Any) -> tuple[Any, ...]:
    kinds = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
    return tuple(str if get_origin(kind) is Literal else kind for kind in kinds)


def as_plain(name: str, value: Any, hint: Any) -> Any:
    """Return a value of the type that a hint asks for, with NumPy's numbers as Python's; refuse others by name."""
    plain = as_python(value)
    if type(plain) is int and plain.bit_length() > MOST_BITS:
        # Python itself may refuse to write so many digits.
        raise InputError(f"{name} must be a number below 9e307 in size, it has {plain.bit_length():,} bits")
    if not fits(plain, hint):
        raise InputError(f"{name} must be {in_words(hint)}, it is {value!r:.40}")
    return plain


def as_python(value: Any) -> Any:
    """Return a number of NumPy's as one of Python's, and anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def as_integer(name: str, value: int, low: int, high: int | None = None) -> int:
    """Return an integer of ``low..high``, or raise an error that names it.

    Example:
        >>> as_integer("count", 3, low=0)
        3
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name} must be an integer, not {value!r}") from None
    if number < low:
        raise InputError(f"{name} must be at least {low}, not {number}")
    if high is not None and number > high:
        raise InputError(f"{name} must be at most {high}, not {number}")
    return number
