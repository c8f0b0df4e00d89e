"""Price sets of nodes by linear programming, adding sets that the solution violates.

    packing    max Σ w_i x_i   such that Σ_{i∈S} x_i ≤ m_S for every listed set S, x ≥ 0
    covering   min Σ w_i x_i   such that Σ_{i∈S} x_i ≥ 1 for every listed set S, x ≥ 0

Of a clique at most one node is chosen, m_S = 1, and of an odd cycle of k nodes at most (k − 1) / 2. There are too many
cliques, or cycles, to list them all; those that the solution of the listed ones violates join the
list until none is found. The dual prices of every list on the way prove a bound, once rounded outward by the taker:
what comes back from the solver is a proposal that others make a proof of.

The solver is HiGHS as SciPy brings it. It cannot be interrupted, but it gives up the interpreter's lock while it runs
(`_Highs.run` does; a thread that counts beside it is never kept waiting for more than some milliseconds). So it runs
in a thread of its own: the caller waits for the result, for the end of the time or for a stop, whichever comes first,
and in the latter cases leaves the thread to itself. That thread holds nothing but its own copy of the program, and
HiGHS's own time limit ends it soon after the caller's. It is a daemon, so that a program can end before it does.
"""

from __future__ import annotations

import atexit
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from annealco._core import Neighbours, StopFlag
from annealco.arrays import FloatArray, Int32Array, IntArray, segment_sum
from annealco.bounds.ledger import Ledger
from annealco.clock import load

OPTIMAL = 0

SETUP, SETUP_EACH = 0.005, 4e-6
"""About how many seconds the solver takes before it looks at the clock: at least, and more for each matrix entry."""

IMPORT = 0.3
"""About how many seconds the first use in a process takes to import the solver, and matrices for it."""

LOOK_SECONDS = 0.005
"""How often a caller that waits looks at the stop flag."""

GRACE_SECONDS = 0.5
"""The end of a program waits for solvers whose time ends within so many seconds, and for as long again."""

INTERRUPTED = 130
"""The exit status of a program that Ctrl-C ended."""


class Sets(Protocol):
    """Sets of columns, one for each row of the matrix: offsets [num_rows + 1] and members."""

    @property
    def start(self) -> IntArray: ...
    @property
    def member(self) -> Int32Array: ...


class LinearSolution(NamedTuple):
    """A solution and its prices, both clipped at 0 and within the solver's tolerance of being optimal.

    Attributes:
        solution: x, [num_columns].
        price: dual values, [num_rows].
    """

    solution: FloatArray
    price: FloatArray


def affordable(num_entries: int, seconds: float) -> bool:
    """Tell whether there is time for a linear program.

    Args:
        num_entries: of its matrix.
        seconds: time limit.
    """
    return seconds > _setup(num_entries)


def _setup(num_entries: int) -> float:
    return SETUP + SETUP_EACH * num_entries + (0 if "scipy.optimize" in sys.modules else IMPORT)


def solve_linear_program(
    gain: FloatArray,
    rows: Sets,
    limit: FloatArray,
    *,
    seconds: float,
    scale: float = 1.0,
    stop: StopFlag | None = None,
) -> LinearSolution | None:
    """Return an optimal solution found by HiGHS, or None where time does not suffice.

    Args:
        gain: [num_columns].
        rows: [num_rows] sets of columns, of which the matrix has ``scale`` as entries.
        limit: [num_rows], not negative where there are no columns.
        seconds: time limit.
        scale: see above.
        stop: once it is set, there is no time left.

    Example:
        >>> from annealco.bounds.linear_program import SetList
        >>> pair = SetList(np.array([0, 2]), np.array([0, 1], np.int32))
        >>> found = solve_linear_program(np.array([3.0, 1.0]), pair, np.array([2.0]), seconds=60)
        >>> found.solution.tolist(), found.price.tolist()
        ([2.0, 0.0], [3.0])
    """
    if not affordable(len(rows.member), seconds):
        return None
    if len(gain) == 0 or len(limit) == 0:
        return LinearSolution(np.zeros(len(gain)), np.zeros(len(limit)))
    if not _load_solver(stop):
        return None
    deadline = time.perf_counter() + seconds
    task = _Task(-gain, rows, scale, limit, deadline)
    task.start()
    while not task.done.wait(min(LOOK_SECONDS, max(deadline - time.perf_counter(), 0.0))):
        if time.perf_counter() >= deadline or (stop is not None and stop.is_set()):
            _left_alone[:] = [task, *(each for each in _left_alone if each.is_alive())]
            return None
    if task.error is not None:
        raise task.error
    return task.result


def _load_solver(stop: StopFlag | None) -> bool:
    """Import the solver off the clock; False where a stop came before. It takes a while, so a thread does it."""
    if "scipy.optimize" in sys.modules:
        return True

    def import_it() -> None:
        # The caller meets the error too.
        with suppress(ImportError):
            load("scipy.optimize")

    loading = threading.Thread(target=import_it, name="annealco-loading", daemon=True)
    loading.start()
    while loading.is_alive():
        if stop is not None and stop.is_set():
            return False
        loading.join(LOOK_SECONDS)
    load("scipy.optimize")
    return True


class _Task(threading.Thread):
    """One program; ``result`` is None where the solver ran out of time or found no optimum."""

    def __init__(self, cost: FloatArray, rows: Sets, scale: float, limit: FloatArray, deadline: float) -> None:
        super().__init__(name="annealco-linear-program", daemon=True)
        self._cost, self._rows, self._scale, self._limit = cost, rows, scale, limit
        self.deadline = deadline
        self.done = threading.Event()
        self.result: LinearSolution | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.result = self._solve()
        except Exception as error:  # noqa: BLE001, the caller raises it
            self.error = error
        finally:
            self.done.set()

    def _solve(self) -> LinearSolution | None:
        # Imported here, so that a caller can be stopped during the import too.
        from scipy.optimize import linprog
        from scipy.sparse import csr_array

        start, member = self._rows.start, self._rows.member
        entries = np.full(len(member), self._scale)
        matrix = csr_array((entries, member, start), shape=(len(self._limit), len(self._cost)))
        seconds = self.deadline - time.perf_counter() - SETUP_EACH * len(member)
        if seconds <= 0:
            return None
        options = {"time_limit": seconds}
        found = linprog(self._cost, A_ub=matrix, b_ub=self._limit, method="highs", options=options)
        if found.status != OPTIMAL:
            return None
        return LinearSolution(np.maximum(found.x, 0.0), np.maximum(-found.ineqlin.marginals, 0.0))


_left_alone: list[_Task] = []


@atexit.register
def _wait_for_solvers() -> None:
    """Let solvers end whose time is over, and do not wait for any where Ctrl-C ends the program.

    The solver keeps threads of its own, and a process that cleans up while one of them runs is aborted. So a program
    that Ctrl-C ends skips the clean-up, with the status that it would have had. Otherwise solvers that were stopped
    long before their time are not waited for.
    """
    alive = [task for task in _left_alone if task.is_alive()]
    if alive and isinstance(getattr(sys, "last_value", None), KeyboardInterrupt):
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(INTERRUPTED)
    for task in alive:
        if task.deadline < time.perf_counter() + GRACE_SECONDS:
            task.join(2 * GRACE_SECONDS)


TOLERANCE = 1e-6
NEXT_ROUND = 1.5
"""A round is begun only if this many times the last one's duration is left."""


class SetList(NamedTuple):
    """Sets of nodes.

    Attributes:
        start: [num_sets + 1] offsets into ``member``.
        member: [num_members] nodes.
        most: [num_sets] how many of each can be chosen, or where it is None, one.
    """

    start: IntArray
    member: Int32Array
    most: FloatArray | None = None

    @property
    def limit(self) -> FloatArray:
        """How many of each set can be chosen, [num_sets]."""
        return np.ones(len(self.start) - 1) if self.most is None else self.most


def tighten(
    kind: Literal["packing", "covering"],
    weight: FloatArray,
    sets: SetList,
    ledger: Ledger,
    *,
    separate: Callable[[FloatArray], SetList],
    offer: Callable[[SetList, FloatArray], None],
    seconds: float = math.inf,
) -> None:
    """Offer prices of more and more sets until none is violated or the ledger is settled.

    Args:
        kind: see above.
        weight: [num_nodes], positive.
        sets: where to start from; for a packing every node must be in one.
        ledger: says when to stop.
        separate: finds sets that a solution [num_nodes] violates.
        offer: takes sets and their prices [num_sets].
        seconds: how long at most.
    """
    if not affordable(len(sets.member), min(seconds, ledger.seconds_left)):
        return
    sign, best, took = 1.0 if kind == "packing" else -1.0, np.inf, 0.0
    with ledger.within(seconds):
        while not ledger.closed and (left := ledger.seconds_left) > NEXT_ROUND * took:
            began = time.perf_counter()
            limit = sign * sets.limit
            solved = solve_linear_program(sign * weight, sets, limit, scale=sign, seconds=left, stop=ledger.stop)
            if solved is None:
                return
            offer(sets, solved.price)
            found = separate(solved.solution)
            if len(found.start) == 1:
                return
            value = float(sign * weight @ solved.solution)
            # A set that is not tight is dropped, but only after progress: at equal values it would come back for ever.
            if value < best - TOLERANCE * (1 + abs(value)):
                sets = kept_sets(sets, sign * segment_sum(solved.solution[sets.member], sets.start) > limit - TOLERANCE)
            best = min(best, value)
            sets = join_sets([sets, found])
            took = time.perf_counter() - began


def join_sets(parts: Sequence[SetList]) -> SetList:
    """Return the sets of all parts, one part after the other.

    Example:
        >>> pair, node = (SetList(np.array([0, n]), np.arange(n, dtype=np.int32)) for n in (2, 1))
        >>> join_sets([pair, node]).start.tolist(), join_sets([pair, node]).member.tolist()
        ([0, 2, 3], [0, 1, 0])
    """
    lengths = np.concatenate([np.diff(part.start) for part in parts])
    most = None if all(part.most is None for part in parts) else np.concatenate([part.limit for part in parts])
    return SetList(_offsets(lengths), np.concatenate([part.member for part in parts]), most)


def kept_sets(sets: SetList, kept: NDArray[np.bool_]) -> SetList:
    """Return the sets that are marked, [num_sets].

    Example:
        >>> sets = SetList(np.array([0, 2, 3]), np.array([4, 5, 6], np.int32))
        >>> kept_sets(sets, np.array([False, True])).member.tolist()
        [6]
    """
    lengths = np.diff(sets.start)
    most = None if sets.most is None else sets.most[kept]
    return SetList(_offsets(lengths[kept]), sets.member[np.repeat(kept, lengths)], most)


def _offsets(lengths: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def neighbours_of(pairs: NDArray[np.integer[Any]], num_nodes: int) -> Neighbours:
    """Return the relation of pairs of different nodes [2, num_pairs], a pair that is listed again counting once.

    Takes O(num_nodes + num_pairs), some 50 ms for four million pairs.

    Example:
        >>> rows = neighbours_of(np.array([[2, 0, 0], [1, 2, 2]]), 3)
        >>> rows.start.tolist(), rows.node.tolist()
        ([0, 1, 2, 4], [2, 2, 0, 1])
    """
    one, two = (np.ascontiguousarray(each, np.int32) for each in pairs)
    return Neighbours(one, two, num_nodes)
