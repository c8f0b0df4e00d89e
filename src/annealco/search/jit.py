"""Compile the kernels of this package: cached, without the interpreter's lock and without reference counts.

Kernels pass named tuples of some twenty arrays to each other. By default Numba counts references to all of them up and
down at every call, atomically, as soon as a loop is involved: several hundred times the work of reading one number.
They allocate nothing, and their callers keep all arrays alive, so they are compiled without that runtime. A kernel that
tries to allocate does not compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True, "_nrt": False}
"""How every kernel is compiled; the last is Numba's own name for its runtime of reference counts."""


def kernel(function: Function) -> Function:
    """Compile a function that works on given arrays."""
    return cast("Function", njit(**OPTIONS)(function))


def part(function: Function) -> Function:
    """Compile a function that kernels call, and tests."""
    return cast("Function", njit(**OPTIONS)(function))


def inlined(function: Function) -> Function:
    """Compile a small part into each of its callers: passing the arrays on would take longer than it runs."""
    return cast("Function", njit(forceinline=True, **OPTIONS)(function))
