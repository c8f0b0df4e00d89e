"""Run a function for a number of CPU seconds where it takes a limit of the wall clock only.

The limit is stretched by the share of the processor that other processes leave to this one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

TRIES, CPU_TOLERANCE, LATE, LEAST_SHARE = 3, 0.1, 0.95, 0.1
"""How often a run is tried until its CPU seconds are within the tolerance; one that ended before this share of its
limit ended by itself; and the least share of a processor that is believed."""


class Timed(Protocol):
    """What tells how many seconds of the wall clock it took."""

    @property
    def seconds(self) -> float: ...


Result = TypeVar("Result", bound=Timed)


@dataclass
class Processor:
    """The share of a processor that this process had recently; other processes may use it too."""

    share: float = 1.0


PROCESSOR = Processor()
"""The one of this process."""


def run_for_cpu(
    run: Callable[[float], Result], limit: float, *, processor: Processor = PROCESSOR
) -> tuple[Result, float, float]:
    """Run something until its CPU seconds are what the limit says, or it ends by itself.

    Args:
        run: is given a wall-clock limit; nothing else may run in this process meanwhile.
        limit: CPU seconds.
        processor: what is known of the share, and is learned.

    Returns:
        What the last run gave, its CPU seconds, and the wall-clock limit that was given.
    """
    budget = limit / processor.share
    for last in range(1, TRIES + 1):
        began = time.process_time()
        found = run(budget)
        cpu = time.process_time() - began
        if found.seconds < LATE * budget:
            break
        processor.share = min(1.0, max(LEAST_SHARE, cpu / max(found.seconds, 1e-9)))
        if cpu > (1 - CPU_TOLERANCE) * limit or last == TRIES:
            break
        budget = limit / processor.share
    return found, cpu, budget
