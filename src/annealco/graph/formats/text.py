"""Read a text file whole, decompressed where it is gzip, with the same line ends and encoding whatever wrote it."""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from annealco.graph.errors import GraphFileError

MAX_BYTES = 4 * 2**30
"""Larger contents are refused while they are read, so that a small archive cannot fill the memory."""

FREE_BYTES = 16 * 2**20
MAX_RATIO = 200
"""A gzip file may grow to FREE_BYTES, or MAX_RATIO times its size; edge lists shrink to a third or a tenth."""

_CHUNK = 2**20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class Text:
    r"""Hold the bytes of a text file: UTF-8 with ``\n`` line ends.

    Example:
        >>> text = Text("a.col", b"p edge 2 1\ne 1 x\n")
        >>> text.line_at(13), str(text.error("'x' is not a number", line=2))
        (2, "a.col:2: 'x' is not a number")
    """

    path: str
    content: bytes

    def line_at(self, position: int) -> int:
        """Return the line number, from 1, of a position in the content."""
        return self.content.count(b"\n", 0, position) + 1

    def without(self, pattern: re.Pattern[bytes], *marks: bytes) -> Text:
        """Return the text without what matches a pattern, which needs one of the marks to match at all."""
        if not any(mark in self.content for mark in marks):
            return self
        return Text(self.path, pattern.sub(b"", self.content))

    def error(self, rule: str, *, line: int | None = None) -> GraphFileError:
        """Return the error that this file breaks a rule."""
        return GraphFileError(self.path, rule, line=line)


def read_text(path: Path, *, limit: int = MAX_BYTES) -> Text:
    """Read a text file, gzip or not (told by its first bytes), of at most ``limit`` bytes when decompressed.

    Raises:
        GraphFileError: for an empty, damaged, oversized or binary file.
        OSError: where the file cannot be opened.
    """
    with path.open("rb") as raw:
        zipped = raw.peek(2)[:2] == _GZIP_MAGIC
        if zipped:
            limit = min(limit, max(FREE_BYTES, MAX_RATIO * path.stat().st_size))
        try:
            content = _read_all(gzip.GzipFile(fileobj=raw) if zipped else raw, path, limit, path.stat().st_size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise GraphFileError(path, f"damaged gzip file: {error}") from None
    content = content.removeprefix(_BYTE_ORDER_MARK)
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = Text(str(path), content)
    if not content:
        raise text.error("the file is empty")
    _check_encoding(text)
    return text


def _read_all(stream: BinaryIO | gzip.GzipFile, path: Path, limit: int, expected: int) -> bytes:
    """Read a stream; one of the expected size is read at once, without a copy."""
    chunks, size = [], 0
    for chunk in iter(partial(stream.read, min(max(_CHUNK, expected), limit + 1)), b""):
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            raise GraphFileError(path, f"the text is larger than {limit:,} bytes")
    return b"".join(chunks)


def _check_encoding(text: Text) -> None:
    binary = "; binary files, such as DIMACS .b, must be converted to text first"
    zero = text.content.find(b"\0")
    if zero >= 0:
        raise text.error(f"a NUL byte is not text{binary}", line=text.line_at(zero))
    if not text.content.isascii():
        try:
            text.content.decode()
        except UnicodeDecodeError as error:
            byte = text.content[error.start]
            raise text.error(f"byte 0x{byte:02x} is not UTF-8 text{binary}", line=text.line_at(error.start)) from None
