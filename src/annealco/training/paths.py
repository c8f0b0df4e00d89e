"""Say what is wrong with the path of a folder before anything is done with it."""

from __future__ import annotations

from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from annealco.graph.errors import GraphFileError, InputError
from annealco.graph.formats.storage import file_errors


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
    """Make a folder and those it is in, where they are not there."""
    with file_errors(folder, "made"):
        folder.mkdir(parents=True, exist_ok=True)


def is_there(path: Path) -> bool:
    """Tell whether there is something of this name, be it a link that leads nowhere."""
    return path.is_symlink() or path.exists()
