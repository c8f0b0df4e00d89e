"""Make assignments feasible, then as good as single flips can.

Repair follows the proofs that the penalties are exact (docs/mathematics.md): while a constraint is violated, some flip
lowers the violations and does not raise f. Of all flips that lower them the cheapest is taken, first for pairs and
sets, then, without breaking those again, for ranges. Where a range is too narrow to be reached by single flips, several
are flipped at once. Maximalising then flips single nodes as long as that lowers f and violates
nothing. Both take near-linear time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco import _core
from annealco.energy import Instance
from annealco.energy.compiled import core_terms
from annealco.errors import InputError
from annealco.search.protocol import count_threads


def repair(instance: Instance, assignment: ArrayLike, *, num_threads: int | None = None) -> NDArray[np.bool_]:
    """Return feasible assignments whose energy is not higher, wherever the instance is exact.

    Where it is not exact (a range narrower than its weights, constraints of one's own that work against each other) the
    result may be infeasible, or feasible at a higher energy: see `Instance.violations`.

    Args:
        instance: one or many graphs.
        assignment: [num_nodes] or [num_restarts, num_nodes].
        num_threads: all processors by default; no result depends on it.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> path = Graph.from_edges([[0, 1], [1, 2]], 3)
        >>> repair(PROBLEMS["mis"].declare(path), [True, True, True]).tolist()
        [True, False, True]
    """
    return _settled(instance, assignment, num_threads, repair=True)


def maximalise(instance: Instance, assignment: ArrayLike, *, num_threads: int | None = None) -> NDArray[np.bool_]:
    """Flip single nodes while that lowers f and adds no violation, until no such flip is left.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> path = Graph.from_edges([[0, 1], [1, 2]], 3)
        >>> maximalise(PROBLEMS["mis"].declare(path), [True, False, False]).tolist()
        [True, False, True]
    """
    return _settled(instance, assignment, num_threads, maximalise=True)


def finish(instance: Instance, assignment: ArrayLike, *, num_threads: int | None = None) -> NDArray[np.bool_]:
    """Repair, then maximalise, in one go."""
    return _settled(instance, assignment, num_threads, repair=True, maximalise=True)


def _settled(
    instance: Instance,
    assignment: ArrayLike,
    num_threads: int | None,
    *,
    repair: bool = False,
    maximalise: bool = False,
) -> NDArray[np.bool_]:
    rows = _rows(instance, assignment)
    threads = count_threads(num_threads)
    _core.repair(core_terms(instance), rows, make_feasible=repair, improve=maximalise, num_threads=threads)
    return rows.reshape(np.shape(assignment))


def _rows(instance: Instance, assignment: ArrayLike) -> NDArray[np.bool_]:
    """Return a copy of the assignments as rows, [num_restarts, num_nodes]."""
    given = np.array(assignment)
    if given.ndim not in {1, 2} or given.shape[-1] != instance.num_nodes:
        shape = f"[{instance.num_nodes}] or [num_restarts, {instance.num_nodes}]"
        raise InputError(f"assignment must have shape {shape}, it has {list(given.shape)}")
    if not np.all((given == 0) | (given == 1)):
        raise InputError("assignment must be 0 or 1 everywhere")
    return np.ascontiguousarray(np.atleast_2d(given.astype(np.bool_)))
