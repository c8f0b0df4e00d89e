"""Find a function or class in whichever version of the package a script runs in: modules move between versions."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def first_of(*places: str) -> Any:
    """Return what the first place that exists holds; a place is written ``module:name``.

    Raises:
        ImportError: where none of them exists.

    Example:
        >>> first_of("annealco.no_such_module:Budget", "annealco.clock:Budget").__name__
        'Budget'
    """
    for place in places:
        module, _, name = place.partition(":")
        try:
            return getattr(import_module(module), name)
        except (ModuleNotFoundError, AttributeError):
            continue
    raise ImportError(f"this version of the package has none of {', '.join(places)}")


def exists(place: str) -> bool:
    """Tell whether this version has a place, written ``module:name``."""
    try:
        first_of(place)
    except ImportError:
        return False
    return True
