"""Hold arguments against the annotations of what they are for."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any, get_args

WORDS: Mapping[type, str] = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "text",
    NoneType: "None",
}
"""What types are called in errors."""


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
