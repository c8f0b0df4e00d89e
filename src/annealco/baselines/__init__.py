"""Who must be beaten: one registry of methods with one signature."""

from annealco.baselines.method import Method, Outcome
from annealco.graph.errors import InputError

_METHODS: tuple[Method, ...] = ()

METHODS: dict[str, Method] = {method.name: method for method in _METHODS}
"""Every method by its name."""


def find_method(name: str) -> Method:
    """Return a method by its name."""
    if name not in METHODS:
        raise InputError(f"unknown method {name!r}; choose one of {', '.join(METHODS)}")
    return METHODS[name]


__all__ = ["METHODS", "Method", "Outcome", "find_method"]
