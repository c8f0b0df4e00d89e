"""What every solver is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.graph.graph import Graph


class Answer(NamedTuple):
    """A set of nodes, or None where nothing was found, and whether the solver claims that it is optimal."""

    nodes: NDArray[np.integer] | None
    proven: bool = False


class UnsupportedError(Exception):
    """The solver cannot take this graph, for its licence say."""


Run = Callable[[float, int], Answer]
"""Solve for so many seconds with a seed."""


@dataclass(frozen=True)
class Peer:
    """A solver.

    Attributes:
        name: what commands and tables call it.
        package: the module that must be installed.
        build: writes a graph down for the solver, and returns the function that solves.
        problems: names of the problems it can solve.
        weighted: whether it takes node weights.
        unweighted: whether it is meant for graphs without.
        anytime: whether it knows a time limit; if not, it runs once, to its end.
        is_open: whether anybody may use it without a licence.
        pinned: whether it must be held to one processor from outside.
        least_seconds: the shortest limit that it is given.
        most_nodes: the largest graph that it is given.
        patience: seconds past its limit after which it is given up.
    """

    name: str
    package: str
    build: Callable[[Graph, str], Run]
    problems: frozenset[str]
    weighted: bool = True
    unweighted: bool = True
    anytime: bool = True
    is_open: bool = True
    pinned: bool = False
    least_seconds: float = 0.0
    most_nodes: float = float("inf")
    patience: float = 10.0

    @property
    def is_installed(self) -> bool:
        """Whether the package can be found."""
        try:
            return find_spec(self.package) is not None
        except ModuleNotFoundError:
            return False

    def takes(self, problem: str, *, weighted: bool) -> bool:
        """Tell whether the solver is meant for a problem on weighted, or on unweighted graphs."""
        return problem in self.problems and (self.weighted if weighted else self.unweighted)
