"""Put bytes into a file all at once or not at all, and say what is wrong with a path."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from annealco.graph.errors import GraphFileError

DISK_FAILURES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO})
"""Failures of the disk: full, the user's share of it used up, broken. Another name would not help."""


class DiskError(OSError):
    """Report a disk that is full or broken, as ``path: rule``."""

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


@contextmanager
def file_errors(path: Path, action: str) -> Iterator[None]:
    """Turn what the system says about a file into a :class:`GraphFileError`; ``action`` is what was tried.

    Failures of the disk become a :class:`DiskError`: what was given is not to blame for them.
    """
    _check_name(path)
    try:
        yield
    except FileNotFoundError:
        raise GraphFileError(path, f"cannot be {action}: no such file or folder") from None
    except IsADirectoryError:
        raise GraphFileError(path, f"cannot be {action}: it is a folder") from None
    except MemoryError:
        raise GraphFileError(path, f"cannot be {action}: it does not fit into memory") from None
    except OSError as error:
        rule = f"cannot be {action}: {(error.strerror or str(error)).lower()}"
        if error.errno in DISK_FAILURES:
            raise DiskError(error.errno, rule, str(path)) from None
        raise GraphFileError(path, rule) from None


def _check_name(path: Path) -> None:
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise GraphFileError(ascii(str(path)), "this is not a possible file name")


def check_regular(path: Path, most_bytes: int) -> None:
    """Raise a GraphFileError unless a path is that of a regular file of at most so many bytes."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise GraphFileError(path, "cannot be read: it is no regular file")
    if status.st_size > most_bytes:
        raise GraphFileError(path, f"cannot be read: it has {status.st_size:,} bytes, the most are {most_bytes:,}")


def store(path: Path, content: bytes) -> None:
    """Write a file under another name in the same folder, and rename it when it is complete."""
    try:
        target = path.resolve()
    except RuntimeError:
        raise GraphFileError(path, "cannot be written: its symbolic links go round in a circle") from None
    if target.exists() and not target.is_file():
        # Renaming onto a device such as /dev/null would destroy it.
        raise GraphFileError(path, f"cannot be written: it is {'a folder' if target.is_dir() else 'no regular file'}")
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
