"""Check the arguments of the generators."""

from __future__ import annotations

import operator

from annealco.graph.errors import InputError


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
