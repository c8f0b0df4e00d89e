"""Advance a search that keeps an incumbent, until a budget is spent or a target reached."""

from __future__ import annotations

from collections.abc import Callable

from annealco.search.budget import Budget, Trace, spend
from annealco.search.incumbent import Incumbent


def advance_within(
    budget: Budget,
    advance: Callable[[int], None],
    incumbent: Incumbent,
    *,
    target: float,
    trace: Trace,
    started: float | None = None,
) -> int:
    """Call ``advance(moves)`` again and again; return the moves made. A graph without nodes needs none.

    Args:
        budget: what may be spent.
        advance: makes so many moves.
        incumbent: the best, whose cost is put down in the trace.
        target: a cost that is good enough.
        trace: when which cost was reached.
        started: clock reading from which seconds count; now by default.
    """
    trace.record(float(incumbent.cost[0]))
    if len(incumbent.best) == 0:
        return 0

    def chunk(moves: int) -> bool:
        advance(moves)
        trace.record(float(incumbent.cost[0]))
        return bool(incumbent.cost[0] > target)

    return spend(budget, chunk, started=started)
