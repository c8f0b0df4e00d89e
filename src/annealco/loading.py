"""A clock that stands still while packages are imported, so that loading is not on any time limit.

A new process that solves one small graph should import no more than it needs, and what it imports late, SciPy above
all, takes as long as many searches.
"""

from __future__ import annotations

import sys
import threading
import time
from importlib import import_module
from typing import Any

_lock = threading.RLock()
_spent = 0.0


def now() -> float:
    """Return a clock reading in seconds, without the time that imports by `load` have taken."""
    return time.perf_counter() - _spent


def load(name: str) -> Any:
    """Import a module by its full name, off the clock."""
    global _spent  # noqa: PLW0603 (a clock is one for all)
    if name in sys.modules:
        return sys.modules[name]
    with _lock:
        began, before = time.perf_counter(), _spent
        module = import_module(name)
        # What it has loaded itself in this way is counted already.
        _spent += time.perf_counter() - began - (_spent - before)
    return module
