"""Let Ctrl-C end training after the step it is in, and a second Ctrl-C at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interrupt:
    """Whether the user asked to stop.

    Attributes:
        noted: whether they did.
    """

    def __init__(self) -> None:
        self.noted = False
        self._process = 0

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Note interrupts in this block; only the main thread can hear them."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = self.listen()
        try:
            yield
        finally:
            self._process = 0
            signal.signal(signal.SIGINT, before)

    def listen(self) -> Any:
        """Note interrupts from now on, and return who heard of them before."""
        self._process = os.getpid()
        return signal.signal(signal.SIGINT, self._handle)

    @property
    def listens_here(self) -> bool:
        """Whether this is the process that listens, and not one that it started."""
        return self._process == os.getpid()

    def _handle(self, _signal: int, _frame: Any) -> None:
        if self.noted:
            raise KeyboardInterrupt
        self.noted = True
