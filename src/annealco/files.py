"""Files and folders that stay valid if the process is killed, and errors that name the path.

A file is written under a temporary name and renamed when it is complete. Files of lines are only appended to, one
whole line at a time; an unfinished last line is not read, and is cut off before the next one is written.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from annealco.errors import GraphFileError, InputError

DISK_FAILURES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO})
"""Failures of the disk: full, over quota, broken. Another file name would not help."""

LOCK_FILE = ".lock"


class DiskError(OSError):
    """Report a disk that is full or broken, as ``path: rule``."""

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


@contextmanager
def file_errors(path: Path, action: str) -> Iterator[None]:
    """Turn errors of the operating system about a file into a :class:`GraphFileError`; ``action`` is what was tried.

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


def read_lines(path: Path) -> list[str]:
    """Return the complete lines of a file; one that does not exist has none."""
    with file_errors(path, "read"):
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    return text[: text.rfind("\n") + 1].splitlines()


class LineWriter:
    """Append lines to a file.

    Attributes:
        path: of the file; its folder is made.
        is_new: whether it had no complete line.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with file_errors(path, "written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab+") as file:
                file.seek(0)
                length = file.read().rfind(b"\n") + 1
                file.truncate(length)
        self.is_new = length == 0

    def write(self, line: str) -> None:
        """Append one line, without its end."""
        with file_errors(self.path, "written"):
            # Windows would write other line ends.
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
            file = os.open(self.path, flags, 0o666)
            try:
                os.write(file, f"{line}\n".encode())
            finally:
                os.close(file)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Make a folder and lock it for this process; the operating system releases the lock when the process ends.

    Raises:
        GraphFileError: where another process has the lock.
    """
    from filelock import FileLock, Timeout

    with file_errors(folder, "written"):
        folder.mkdir(parents=True, exist_ok=True)
        # Rows are yielded while it is locked, and may be consumed in another thread.
        lock = FileLock(folder / LOCK_FILE, thread_local=False)
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


def as_folder(path: Any, what: str) -> Path:
    """Return the folder that a path names, which need not be there.

    Raises:
        InputError: for what is no path, for a name that no folder can have, and for a file.
    """
    if not isinstance(path, str | PathLike) or fspath(path) == "":
        raise InputError(f"{what} must be the path of a folder, it is {path!r:.40}")
    folder = Path(path)
    with file_errors(folder, "used"), suppress(FileNotFoundError):
        folder.stat()
        if not folder.is_dir():
            raise GraphFileError(folder, "it is not a folder")
    return folder


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, where they do not exist."""
    with file_errors(folder, "made"):
        folder.mkdir(parents=True, exist_ok=True)


def is_there(path: Path) -> bool:
    """Tell whether a path exists; a broken symbolic link counts."""
    return path.is_symlink() or path.exists()
