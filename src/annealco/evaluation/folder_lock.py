"""Keep a folder for one process: two that write to it would do the same work twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from annealco.graph.errors import GraphFileError
from annealco.graph.formats.storage import file_errors

FILE = ".lock"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder, which is made. The lock is the system's: it ends with the process, however that ends.

    Raises:
        GraphFileError: where another process holds it.
    """
    from filelock import FileLock, Timeout

    with file_errors(folder, "written"):
        folder.mkdir(parents=True, exist_ok=True)
        # Rows are yielded while it is held, and whoever takes them may do so in another thread.
        lock = FileLock(folder / FILE, thread_local=False)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            raise GraphFileError(
                folder, "another run is writing to this folder; wait for it, or give another"
            ) from None
    try:
        yield
    finally:
        lock.release()
