"""A clock that stands still until a test moves it, in the place of the module ``time``."""

from __future__ import annotations


class FakeClock:
    """What the functions of ``time`` return, in seconds.

    Example:
        >>> clock = FakeClock()
        >>> clock.now += 2
        >>> clock.monotonic(), clock.process_time()
        (2.0, 2.0)
    """

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def perf_counter(self) -> float:
        return self.now

    def process_time(self) -> float:
        return self.now
