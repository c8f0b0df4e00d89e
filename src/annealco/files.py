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
from typing import IO, Any

from annealco.errors import GraphFileError, InputError

DISK_FAILURES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO})
"""Failures of the disk: full, over quota, broken. Another file name would not help."""

LOCK_FILE = ".lock"

BLOCK = 2**16
"""Bytes that are read at once where the end of the last line is looked for."""


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
    with replacing(path) as temporary:
        temporary.write_bytes(content)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name to write to, which takes the place of ``path`` at the end; after an error it is gone."""
    try:
        target = path.resolve()
    except RuntimeError:
        raise GraphFileError(path, "cannot be written: its symbolic links go round in a circle") from None
    if target.exists() and not target.is_file():
        # Renaming onto a device such as /dev/null would destroy it.
        raise GraphFileError(path, f"cannot be written: it is {'a folder' if target.is_dir() else 'no regular file'}")
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        temporary.touch(exist_ok=False)
        yield temporary
        sync_file(temporary)
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def sync_file(path: Path) -> None:
    """Wait until the content of a file is on the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def read_lines(path: Path) -> list[str]:
    """Return the complete lines of a file; one that does not exist has none."""
    with file_errors(path, "read"):
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    return text[: text.rfind("\n") + 1].splitlines()


def read_each_line(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbers, from 1, and the complete lines of a file; one that does not exist has none."""
    with file_errors(path, "read"):
        if not path.exists():
            return
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.endswith(b"\n"):
                    yield number, line[:-1].decode("utf-8", errors="replace")


def unfinished_line(path: Path) -> bytes:
    """Return what stands behind the last complete line of a file, or its beginning; nothing where there is no file."""
    with file_errors(path, "read"):
        if not path.exists():
            return b""
        with path.open("rb") as file:
            file.seek(_complete_bytes(file))
            return file.read(BLOCK)


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
                length = _complete_bytes(file)
                file.truncate(length)
        self.is_new = length == 0

    def write(self, line: str) -> None:
        """Append one line, without its end."""
        with file_errors(self.path, "written"):
            # Windows would write other line ends.
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
            file = os.open(self.path, flags, 0o666)
            try:
                left = memoryview(f"{line}\n".encode())
                while left:
                    left = left[os.write(file, left) :]
            finally:
                os.close(file)

    def sync(self) -> None:
        """Wait until all lines are on the disk: they survive a kill without it, and with it a power failure."""
        with file_errors(self.path, "written"):
            sync_file(self.path)


def _complete_bytes(file: IO[bytes]) -> int:
    """Return the number of bytes up to the end of the last complete line."""
    end = file.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - BLOCK)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Make a folder and lock it for this process; the operating system releases the lock when the process ends.

    Raises:
        GraphFileError: where another process has the lock.
    """
    with file_errors(folder, "written"):
        folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder / LOCK_FILE, folder, "folder"):
        yield


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """Lock a file that is written for this process, as `lock_folder` does; a hidden file beside it stands for it."""
    with _locked(path.with_name(f".{path.name}{LOCK_FILE}"), path, "file"):
        yield


@contextmanager
def _locked(lock_path: Path, path: Path, what: str) -> Iterator[None]:
    from filelock import FileLock, Timeout

    with file_errors(path, "written"):
        # Rows are yielded while it is locked, and may be consumed in another thread.
        lock = FileLock(lock_path, thread_local=False)
        # A place that cannot be written to would be taken for one that is locked.
        lock_path.open("ab").close()
        try:
            lock.acquire(blocking=False)
        except Timeout:
            raise GraphFileError(path, f"another run is writing to this {what}; wait for it, or give another") from None
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
