"""Reductions of hitting set problems, made once per instance; `native/search/reductions.hpp` has the rules."""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

from annealco._core import Clock, Reduction, StopFlag, reduce_sets
from annealco.energy import Instance
from annealco.search.covering import HittingSet, as_hitting_set

REDUCTION_SHARE = 0.3
"""Share of the time that reductions may take, where they are many."""


class ReducedSets(NamedTuple):
    """A hitting set problem and what reductions leave of it."""

    sets: HittingSet
    reduction: Reduction


class _Once:
    """What is made once per instance, by the first of several threads that ask."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.made: tuple[ReducedSets | None] | None = None


# Restarts of one instance begin with the same sets: on dense graphs these take longer than decoding.
_CACHE: WeakKeyDictionary[Instance, _Once] = WeakKeyDictionary()


def reduced_sets(
    instance: Instance, *, seconds: float | None = None, stop: StopFlag | None = None
) -> ReducedSets | None:
    """Return the hitting set problem of an instance, reduced, or None where it is none; made once per instance.

    Args:
        instance: of one graph.
        seconds: that the search will have; reductions stop when they have taken their share of it.
        stop: ends reductions at once.
    """
    once = _CACHE.setdefault(instance, _Once())
    with once.lock:
        if once.made is None:
            sets = as_hitting_set(instance)
            clock = Clock(seconds=None if seconds is None else REDUCTION_SHARE * seconds, stop=stop)
            once.made = (None if sets is None else ReducedSets(sets, reduce_sets(sets.core, clock)),)
    return once.made[0]
