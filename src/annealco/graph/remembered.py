"""Remember what was computed from an array for as long as the array lives.

Batches are new arrays every time, but the network, its energy and the loss all read the same ones: what they share is
computed once a batch. Only read-only arrays are remembered, since others could change behind the key.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar

from numpy.typing import NDArray

Result = TypeVar("Result")
Rest = ParamSpec("Rest")


class _Store(Generic[Result]):
    """Results by the identity of an array and further arguments."""

    def __init__(self) -> None:
        self.entries: dict[int, tuple[weakref.ref[NDArray[Any]], dict[Hashable, Result]]] = {}

    def of(self, array: NDArray[Any]) -> dict[Hashable, Result]:
        """Return the results that belong to this array."""
        number = id(array)
        entry = self.entries.get(number)
        if entry is None or entry[0]() is not array:
            # The next array may get the same address: the entry goes when the array does.
            entry = (weakref.ref(array, lambda dead: self.forget(number, dead)), {})
            self.entries[number] = entry
        return entry[1]

    def forget(self, number: int, dead: weakref.ref[NDArray[Any]]) -> None:
        """Drop an entry, unless its number already belongs to another array."""
        entry = self.entries.get(number)
        if entry is not None and entry[0] is dead:
            del self.entries[number]


def remembered(
    function: Callable[[NDArray[Any], Hashable], Result],
) -> Callable[[NDArray[Any], Hashable], Result]:
    """Make a function of an array and a hashable argument remember its results while the array lives.

    Example:
        >>> import numpy as np
        >>> calls = []
        >>> total = remembered(lambda array, power: calls.append(power) or (array**power).sum().item())
        >>> fixed = np.arange(3)
        >>> fixed.flags.writeable = False
        >>> total(fixed, 2), total(fixed, 2), calls
        (5, 5, [2])
    """
    store: _Store[Result] = _Store()

    @wraps(function)
    def look_up(array: NDArray[Any], argument: Hashable) -> Result:
        if array.flags.writeable:
            return function(array, argument)
        results = store.of(array)
        if argument not in results:
            results[argument] = function(array, argument)
        return results[argument]

    return look_up
