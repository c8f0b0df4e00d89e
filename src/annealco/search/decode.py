"""Turn probabilities into a set: by conditional expectations, by rounding, or by drawing.

For conditional expectations nodes are visited from the most probable to the least, each is set to the value with the
lower conditional expected energy, and later nodes see what earlier ones became. Or the next is always the one whose
conditional difference of energy is the lowest, which depends on what was decided. Of two conditional expectations the
lower is at most their mean, so E[f] never rises from Q to the set (Raghavan, 1988). `Range` terms take part in their
normal closed form, for which that holds up to the error of the form. What is rounded or drawn is repaired where it is
not feasible.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from annealco import _core
from annealco.arrays import FloatArray
from annealco.energy import Instance
from annealco.energy.compiled import core_terms
from annealco.errors import InputError
from annealco.search.protocol import Bits, count_threads
from annealco.search.repair import finish as repair_and_maximalise
from annealco.search.repair import repair

Order = Literal["probability", "confidence", "steepest"]

DEFAULT_ORDER: Order = "probability"


def decode(
    instance: Instance,
    probability: ArrayLike,
    *,
    order: Order = DEFAULT_ORDER,
    penalty_scale: float = 1.0,
    finish: bool = True,
    num_threads: int | None = None,
) -> Bits:
    """Set every node to the value with the lower conditional expected energy; O(n log n + m) a row.

    Ties go to fewer expected violations, then to the more probable value. Nodes of equal probability are visited from
    the largest conditional difference in size, the most decided ones, to the smallest. In the steepest order, nodes
    that can no longer lower the energy, such as neighbours of a chosen one in a packing, are decided at once.

    Args:
        instance: one or many graphs.
        probability: [num_nodes], or [num_restarts, num_nodes] for independent rows.
        order: ``probability`` visits by descending p, ``confidence`` by descending |p − ½|; ``steepest`` visits next
            the node that lowers the conditional expectation the most, and from even probabilities is a greedy
            algorithm. It costs O(log n) more for each pair and each two members of a set, and O(n²) where there are
            all-pairs or range terms.
        penalty_scale: multiple of the critical penalty in the energy.
        finish: whether to repair and maximalise, so that the result is feasible and no single flip improves it.
        num_threads: all processors by default; no result depends on it.

    Returns:
        Assignments in the shape of ``probability``.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> path = Graph.from_edges([[0, 1], [1, 2]], 3)
        >>> decode(PROBLEMS["mis"].declare(path), [0.5, 0.4, 0.6]).tolist()
        [True, False, True]
    """
    check_order(order)
    rows = _check(instance, probability)
    assignment = np.empty(rows.shape, dtype=np.bool_)
    _core.decode(
        core_terms(instance, penalty_scale),
        rows,
        assignment,
        order=order,
        num_threads=count_threads(num_threads),
    )
    if finish:
        assignment = repair_and_maximalise(instance, assignment, num_threads=num_threads)
    return assignment.reshape(np.shape(probability))


def check_order(order: str) -> None:
    """Refuse an order that decoding does not know."""
    if order not in get_args(Order):
        raise InputError(f"unknown order {order!r}; choose one of {', '.join(get_args(Order))}")


def _check(instance: Instance, probability: ArrayLike) -> FloatArray:
    """Return the probabilities as rows, [num_restarts, num_nodes]."""
    given = np.asarray(probability, dtype=np.float64)
    if given.ndim not in {1, 2} or given.shape[-1] != instance.num_nodes:
        shape = f"[{instance.num_nodes}] or [num_restarts, {instance.num_nodes}]"
        raise InputError(f"probability must have shape {shape}, it has {list(given.shape)}")
    if not np.all((given >= 0) & (given <= 1)):
        raise InputError("probability must lie between 0 and 1")
    return np.ascontiguousarray(np.atleast_2d(given))


def rounded(
    instance: Instance,
    probability: FloatArray,
    seed: int = 0,  # noqa: ARG001 (there is no chance in it)
    *,
    num_threads: int | None = 1,
) -> Bits:
    """Choose what has p > ½ and repair it, as RUN-CSP is evaluated, [num_restarts, num_nodes].

    Its authors count the size less the conflicting pairs. Every node that repair takes out
    ends a conflict at least, so its set is never smaller than that.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> path = PROBLEMS["mis"].declare(Graph.from_edges([[0, 1], [1, 2]]))
        >>> rounded(path, np.array([[0.9, 0.8, 0.7], [0.4, 0.3, 0.6]])).tolist()
        [[True, False, True], [False, False, True]]
    """
    return repair(instance, probability > 0.5, num_threads=num_threads)


def drawn(instance: Instance, probability: FloatArray, seed: int = 0) -> Bits:
    """Draw a set from every row of probabilities and repair it, [num_restarts, num_nodes]."""
    uniform = np.random.default_rng(seed).random(probability.shape)
    return repair(instance, uniform < probability, num_threads=1)
