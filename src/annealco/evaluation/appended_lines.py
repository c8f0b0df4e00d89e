"""Files to which lines are only ever appended, each at once and in one piece.

Whoever is killed leaves at most an unfinished last line, which is not read and is cut off before the next one.
"""

from __future__ import annotations

import os
from pathlib import Path

from annealco.graph.formats.storage import file_errors


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
