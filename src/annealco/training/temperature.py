"""Where a schedule begins and ends, measured in the energies of the graphs that are learned from.

A temperature means something only beside changes of the energy. Two such sizes are known before training: the
Lipschitz constant, the most that one flip changes the energy, where the paper begins; and the unit, what a flip changes
the objective by at most, averaged over nodes: 1 for sets of unweighted nodes. The Lipschitz constant is the penalty of
the busiest node, a hundred units on dense graphs; there Q is as good as uniform, and nothing is learned. So by default
a schedule begins at half a unit, of each graph its own: a flip changes a cut by two in a molecule and by fifty in a
circle of friends, and what is hot for the one is cold for the other. The loss is then counted in units too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np

from annealco.energy import Instance
from annealco.energy.schedules import LAST_TEMPERATURE
from annealco.graph.errors import InputError
from annealco.graph.segments import FloatArray, segment_sum
from annealco.models.surroundings import objective_scale

First = float | Literal["auto", "unit"]
Last = float | Literal["auto"]

FIRST_UNITS, LAST_UNITS = 0.5, 0.02
"""Where schedules begin and end by default, in units (docs/design-notes/models.md)."""


class Sizes(NamedTuple):
    """Changes of the energy by one flip: the most, and the mean over nodes of the objective's most."""

    lipschitz: float
    unit: float


def measure_sizes(instances: Iterable[Instance], penalty_scale: float) -> Sizes:
    """Measure the instances of a data set, one batch after the other."""
    steepest, total, count = 0.0, 0.0, 0
    for instance in instances:
        steepest = max(steepest, float(instance.lipschitz(penalty_scale).max(initial=0.0)))
        total += float(objective_scale(instance).sum())
        count += instance.num_nodes
    return Sizes(steepest, total / count if count else 1.0)


def units(instance: Instance) -> FloatArray:
    """Return the unit of each graph, [num_graphs].

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> pair = Graph.from_edges([[0], [1]]).with_weights(node_weight=[3.0, 5.0])
        >>> units(PROBLEMS["mis"].declare(pair)).tolist()
        [4.0]
    """
    sizes = np.diff(instance.node_ptr)
    total = segment_sum(objective_scale(instance), instance.node_ptr)
    return np.where(sizes > 0, total / np.maximum(sizes, 1), 1.0)


def schedule_ends(first: First, last: Last, sizes: Sizes) -> tuple[float, float]:
    """Return the first and the last temperature as numbers.

    With ``auto`` they are the paper's: the Lipschitz constant and 0.001. With ``unit`` both are in units of each graph,
    half a unit and a 25th of it. From a number the last is low enough to cool as far.

    Example:
        >>> schedule_ends("auto", "auto", Sizes(80.0, 2.0)), schedule_ends("unit", "auto", Sizes(80.0, 2.0))
        ((80.0, 0.001), (0.5, 0.02))
    """
    named = {"auto": sizes.lipschitz, "unit": FIRST_UNITS}
    if isinstance(first, str) and first not in named:
        raise InputError(f"tau0 must be a number or one of {', '.join(named)}, it is {first!r}")
    if isinstance(last, str) and last != "auto":
        raise InputError(f"tau_last must be a number or auto, it is {last!r}")
    begin = named[first] if isinstance(first, str) else first
    if isinstance(last, str) and first == "auto":
        return begin, LAST_TEMPERATURE
    if isinstance(last, str) and first == "unit":
        return begin, LAST_UNITS
    if isinstance(last, str):
        # Without annealing there is no end to cool to, but it must be a temperature.
        return begin, min(LAST_UNITS * sizes.unit, begin * LAST_UNITS / FIRST_UNITS) or LAST_TEMPERATURE
    return begin, last
