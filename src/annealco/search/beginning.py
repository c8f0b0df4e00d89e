"""Where a search by flips begins: a finished assignment, what is known about it, and the best so far."""

from __future__ import annotations

import math
from typing import NamedTuple

from numpy.typing import ArrayLike

from annealco.energy import Instance
from annealco.graph.errors import InputError
from annealco.search.flips import Bits, load_bits, new_bits
from annealco.search.forms import ENERGY, VIOLATION, VIOLATION_TOLERANCE, Forms, compile_forms
from annealco.search.incumbent import Incumbent, new_incumbent
from annealco.search.repair import finish


class Beginning(NamedTuple):
    """What a search by flips starts from.

    Attributes:
        forms: the energy and the violations of the instance.
        bits: the present assignment.
        incumbent: the best one.
    """

    forms: Forms
    bits: Bits
    incumbent: Incumbent


def begin_at(
    instance: Instance, start: ArrayLike, *, penalty_scale: float = 1.0, incumbent: Incumbent | None = None
) -> Beginning:
    """Return the beginning of a search of one graph.

    Args:
        instance: of one graph.
        start: [num_nodes], repaired and maximalised first.
        penalty_scale: multiple of the critical penalty in the energy.
        incumbent: the best of another search, to share it; by default the start is the best.
    """
    if instance.num_graphs != 1:
        raise InputError(f"a search is of one graph, this instance has {instance.num_graphs}")
    forms = compile_forms(instance, penalty_scale)
    bits, cost = finished(instance, forms, start)
    return Beginning(forms, bits, new_incumbent(bits.chosen, cost) if incumbent is None else incumbent)


def finished(instance: Instance, forms: Forms, assignment: ArrayLike) -> tuple[Bits, float]:
    """Return an assignment, repaired and maximalised, and its cost; infinite where it is infeasible."""
    bits = new_bits(forms, finish(instance, assignment, num_threads=1))
    load_bits(forms, bits, 0)
    feasible = bits.value[0, VIOLATION] <= VIOLATION_TOLERANCE
    return bits, float(bits.value[0, ENERGY]) if feasible else math.inf
