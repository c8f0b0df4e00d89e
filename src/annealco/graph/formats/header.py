"""Read the header of a text format: its words and the counts it declares, unless the file cannot mean them."""

from __future__ import annotations

import re

from annealco.graph.errors import GraphFileError
from annealco.graph.formats.text import Text
from annealco.graph.validation import MAX_NODES

FREE_NODES = 1_000_000
NODES_PER_BYTE = 10


def split_first_line(text: Text) -> tuple[list[str], int, Text]:
    r"""Return the words of the first line that has any, its number, and the text with all up to it blank.

    Example:
        >>> split_first_line(Text("a.graph", b"\n 3 2\n2\n"))
        (['3', '2'], 2, Text(path='a.graph', content=b'\n\n2\n'))
    """
    content = text.content
    start = len(content) - len(content.lstrip())
    stop = content.find(b"\n", start)
    stop = len(content) if stop < 0 else stop
    line = text.line_at(start)
    return content[start:stop].decode().split(), line, Text(text.path, b"\n" * (line - 1) + content[stop:])


def head_of(text: Text, comment: re.Pattern[bytes]) -> tuple[list[str], int, int] | None:
    r"""Return the words of the first line that has any and is no comment, its number, and where the next line begins.

    Example:
        >>> head_of(Text("a.graph", b"% a comment\n3 2\n2\n"), re.compile(b"%"))
        (['3', '2'], 2, 16)
    """
    begin, line = 0, 1
    while begin < len(text.content):
        stop = text.content.find(b"\n", begin)
        stop = len(text.content) if stop < 0 else stop
        row = text.content[begin:stop]
        begin = min(stop + 1, len(text.content))
        if row.strip() and comment.match(row) is None:
            words = row.decode().split()
            # Some characters are blanks in text, but not in bytes.
            return (words, line, begin) if words else None
        line += 1
    return None


def parse_count(text: Text, word: str, what: str, *, line: int) -> int:
    """Return a count written in at most 18 digits.

    Example:
        >>> parse_count(Text("a.col", b""), "12", "the number of nodes", line=1)
        12
    """
    if re.fullmatch("[0-9]{1,18}", word) is None:
        shown = word if len(word) <= 40 else f"{word[:40]}..."
        raise text.error(f"{what} must be a non-negative integer, not {shown!r}", line=line)
    return int(word)


def check_num_nodes(path: str, num_nodes: int, size: int, *, line: int | None = None) -> None:
    """Raise if a file of ``size`` bytes declares more nodes than it can sensibly describe.

    Nodes without edges cost a file nothing, so some slack is needed: a million nodes, and ten for each byte.
    Without a limit, a damaged digit would ask for all the memory there is.
    """
    allowed = min(MAX_NODES, FREE_NODES + NODES_PER_BYTE * size)
    if num_nodes > allowed:
        rule = f"{num_nodes:,} nodes are declared, but a file of {size:,} bytes may have at most {allowed:,}"
        raise GraphFileError(path, rule, line=line)
