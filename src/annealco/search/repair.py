"""Make assignments feasible, then as good as single flips can.

Repair follows the proofs that the penalties are exact (docs/mathematics.md): while a constraint is violated, some flip
lowers the violations and does not raise f. Of all flips that lower them the cheapest is taken, first for pairs and
sets, then, without breaking those again, for ranges. Where a range is too narrow to be reached by single flips, several
are flipped at once (`narrow_ranges.py`). Maximalising then flips single nodes as long as that lowers f and violates
nothing. Both take near-linear time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.energy import Instance
from annealco.graph.errors import InputError
from annealco.search.buckets import empty_buckets
from annealco.search.flips import Bits, new_bits
from annealco.search.forms import VIOLATION, VIOLATION_TOLERANCE, compile_forms
from annealco.search.narrow_ranges import fit_ranges
from annealco.search.settle import Settling, settle_graphs
from annealco.search.threads import for_each_graph


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
    forms = compile_forms(instance)

    def run(work: tuple[Bits, int], first: int, last: int) -> None:
        bits, row = work
        start, stop = int(forms.node_ptr[first]), int(forms.node_ptr[last])
        buckets = empty_buckets(stop - start)
        settle_graphs(forms, Settling(bits, buckets, start), (repair, repair, maximalise), first, last)
        if repair:
            # What single flips cannot reach is rare: its kernels are compiled, or loaded, only then.
            for graph in first + np.flatnonzero(bits.value[first:last, VIOLATION] > VIOLATION_TOLERANCE):
                fit_ranges(forms, bits, int(graph))
                again = Settling(bits, buckets, start)
                settle_graphs(forms, again, (False, False, maximalise), int(graph), int(graph) + 1)
        rows[row, start:stop] = bits.chosen[start:stop]

    for_each_graph(
        instance.node_ptr, len(rows), lambda row: (new_bits(forms, rows[row]), row), run, num_threads=num_threads
    )
    return rows.reshape(np.shape(assignment))


def _rows(instance: Instance, assignment: ArrayLike) -> NDArray[np.bool_]:
    """Return a copy of the assignments as rows, [num_restarts, num_nodes]."""
    given = np.array(assignment)
    if given.ndim not in {1, 2} or given.shape[-1] != instance.num_nodes:
        shape = f"[{instance.num_nodes}] or [num_restarts, {instance.num_nodes}]"
        raise InputError(f"assignment must have shape {shape}, it has {list(given.shape)}")
    if not np.all((given == 0) | (given == 1)):
        raise InputError("assignment must be 0 or 1 everywhere")
    return np.atleast_2d(given.astype(np.bool_))
