"""The documents and what they show: blocks of code with their languages and markers, and commands.

A block is ``sh`` (commands), ``console`` (commands after ``$``, with their output), ``python``, or ``text`` and ``xml``
(nothing to run). An HTML comment right before it may say how `make docs-test` treats it:

    <!-- docs-test: skip, REASON -->           is not run
    <!-- docs-test: needs NAME -->             is run where a package, or the data folder ANNEALCO_DATA, is there
    <!-- docs-test: with COMMAND OPTIONS -->   these options are added to the command, where the last of equals counts
    <!-- docs-test: in full -->                runs as it stands, without the smaller sizes of `run_documents`
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

LANGUAGES = {"sh", "console", "python", "text", "xml"}

_BLOCK = re.compile(
    r"(?:^<!-- docs-test: (?P<marker>.*?) -->\n)?^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.M | re.S
)
_COMMENT = re.compile(r"(?:^|\s+)#.*$")


@dataclass(frozen=True)
class Block:
    """A fenced block of a document.

    Attributes:
        line: where its fence is.
        marker: what is said before it, or "".
    """

    line: int
    language: str
    code: str
    marker: str

    def commands(self) -> list[str]:
        """Return its commands, without comments, continued lines joined."""
        if self.language not in {"sh", "console"}:
            return []
        lines = self.code.replace("\\\n", " ").splitlines()
        if self.language == "console":
            lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        return [command for line in lines if (command := _COMMENT.sub("", line).strip())]


def pages() -> list[Path]:
    """Return all pages of the site, sorted."""
    return sorted((ROOT / "docs").rglob("*.md"))


def documents() -> list[Path]:
    """Return the pages and what lies beside them for readers of the repository."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples" / "graphs" / "README.md", *pages()]


def blocks(path: Path) -> Iterator[Block]:
    """Go through the blocks of a document."""
    text = path.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start("language")) + 1
        yield Block(line, found["language"], found["code"], found["marker"] or "")


def inline_commands(path: Path) -> list[str]:
    """Return the commands in the prose of a document: `annealco ...`, `make ...` and `python FILE ...`."""
    prose = _BLOCK.sub("", path.read_text(encoding="utf-8"))
    return re.findall(r"`((?:annealco|make|python) [^`]+)`", prose)
