"""Read the name of a file from the command line."""

from __future__ import annotations

from pathlib import Path

import typer


def file_name(text: str) -> Path:
    """Return the path of a name that is not empty; an empty one would stand for the current folder.

    Example:
        >>> file_name("a.col").name
        'a.col'
    """
    if not text:
        raise typer.BadParameter("the file name is empty")
    return Path(text)
