"""Budgets of tests. No clock decides what a test finds: searches count moves, bounds and exact solvers end by proof.

A time limit is still an argument of most functions. The one given here is so long that nothing reaches it, even where
other processes use all cores.
"""

from __future__ import annotations

from typing import Any

FAR = 60.0
"""Seconds that nothing takes. What cannot end by moves or by a proof must not get this limit: it would use it up."""

MOVES = 20_000
"""Enough for the optimum of any graph of up to 20 nodes, in a few milliseconds."""

BRIEF: dict[str, Any] = {"moves": MOVES, "time_limit": FAR}
"""Settings of `solve` and `Solver` for small graphs, whose bounds are proven at once."""

BRIEF_OPTIONS = ("--moves", str(MOVES), "--time-limit", str(FAR))
"""The same on the command line."""

ANY_MOMENT = 0.05
"""A time limit that cuts work off at a moment that differs from run to run: only for what holds at any moment, such as
that sets are feasible and bounds are bounds. Whether an optimum is found or proven may not be asserted with it."""
