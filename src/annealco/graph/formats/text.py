"""Read and write text formats with array operations: whole files, tokens, numbers, headers, edge lines.

A file is read whole, decompressed where it is gzip, and brought to one encoding and one kind of line end. Its tokens
are located by a few array operations, so that a million lines cost no million Python steps; each token knows its line
for the error message. Counts that a header declares are checked against the size of the file. Numbers are written such
that they read back to the same value.
"""

from __future__ import annotations

import codecs
import gzip
import math
import re
import warnings
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from annealco.arrays import FloatArray, IntArray
from annealco.errors import GraphFileError, InputError
from annealco.graph.graph import Graph
from annealco.graph.normalisation import MAX_NODES, object_array

MAX_BYTES = 4 * 2**30
"""Larger contents are refused while they are read, so that a small archive cannot fill the memory."""

FREE_BYTES = 16 * 2**20
MAX_RATIO = 200
"""A gzip file may grow to FREE_BYTES, or MAX_RATIO times its size; edge lists shrink to a third or a tenth."""

FREE_NODES = 1_000_000
NODES_PER_BYTE = 10
"""A file may declare FREE_NODES nodes, and NODES_PER_BYTE more for each of its bytes."""

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
"""What counts as a number; ``nan``, ``inf``, hexadecimal digits and underscores do not."""

_CHUNK = 2**20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP_MAGIC = b"\x1f\x8b"
_NOT_A_NUMBER = re.compile(rf"(?<!\S)(?!{NUMBER}(?!\S))\S+".encode())
_BLANKS = b" \t\n\v\f\r"
# `bytes.translate` with such a table is three times as fast as indexing an array of 256 with the characters.
_NOT_BLANK = bytes(code not in _BLANKS for code in range(256))
_NOT_DIGIT = bytes(code not in _BLANKS + b"0123456789" for code in range(256))


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
        """Return the text without the matches of a pattern; a text without any of the marks has no match."""
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
    binary = "; save it as UTF-8, or convert binary files, such as DIMACS .b, to text first"
    zero = text.content.find(b"\0")
    if text.content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise text.error("this is UTF-16; save it as UTF-8", line=1)
    if zero >= 0:
        raise text.error(f"a NUL byte is not text{binary}", line=text.line_at(zero))
    if not text.content.isascii():
        try:
            text.content.decode()
        except UnicodeDecodeError as error:
            byte = text.content[error.start]
            raise text.error(f"byte 0x{byte:02x} is not UTF-8 text{binary}", line=text.line_at(error.start)) from None


@dataclass(frozen=True)
class Tokens:
    """Hold the words of a text in order; the text has nothing else but blanks.

    Attributes:
        text: the text they stand in.
        start: [num_tokens] position of the first byte.
        stop: [num_tokens] position after the last byte.
        line: [num_tokens] line number, from 1.
    """

    text: Text
    start: IntArray
    stop: IntArray
    line: IntArray

    def __len__(self) -> int:
        return len(self.start)

    def word(self, token: int) -> str:
        """Return a token as it should be shown: whole, or its beginning when it is long."""
        word = self.text.content[self.start[token] : self.stop[token]].decode(errors="replace")
        return word if len(word) <= 40 else f"{word[:40]}..."

    def error(self, token: int, rule: str) -> GraphFileError:
        """Return the error that a token breaks a rule, with its line."""
        return self.text.error(rule, line=int(self.line[token]))


def split(text: Text) -> Tokens:
    r"""Find the tokens of a text.

    Example:
        >>> tokens = split(Text("a.txt", b"0 1\n\n 12"))
        >>> tokens.start.tolist(), tokens.stop.tolist(), tokens.line.tolist()
        ([0, 2, 6], [1, 3, 8], [1, 1, 3])
    """
    filled = np.frombuffer(text.content.translate(_NOT_BLANK), np.bool_)
    bounds = np.flatnonzero(np.diff(filled, prepend=False, append=False))
    start, stop = bounds[0::2], bounds[1::2]
    return Tokens(text, start, stop, np.searchsorted(newlines(text), start) + 1)


def newlines(text: Text) -> IntArray:
    """Return the positions of the line ends."""
    return np.flatnonzero(np.frombuffer(text.content, np.uint8) == ord("\n"))


def drop_letters(tokens: Tokens, dropped: NDArray[np.bool_]) -> Tokens:
    """Return tokens without some that are one character long, blanked out in the text."""
    characters = np.frombuffer(tokens.text.content, np.uint8).copy()
    characters[tokens.start[dropped]] = ord(" ")
    kept = ~dropped
    text = Text(tokens.text.path, characters.tobytes())
    return Tokens(text, tokens.start[kept], tokens.stop[kept], tokens.line[kept])


def row_starts(tokens: Tokens) -> IntArray:
    """Return the first token of each line that has any, and at the end the number of tokens, [num_rows + 1]."""
    return np.append(np.flatnonzero(np.diff(tokens.line, prepend=0)), len(tokens))


def token_table(text: Text, first: IntArray, count: IntArray, line: IntArray, patterns: dict[int, str]) -> IntArray:
    """Return the tokens of rows that must all be equally wide, [num_rows, width].

    Args:
        text: the text, for the error.
        first: [num_rows] first token of each row.
        count: [num_rows] number of tokens of each row.
        line: [num_rows] line of each row.
        patterns: what a row looks like, for each width that is allowed.
    """
    width = int(count[0]) if len(count) else min(patterns)
    if width not in patterns:
        choices = " or ".join(repr(pattern) for pattern in patterns.values())
        raise text.error(f"a line is {choices}, this one has {_columns(width)}", line=int(line[0]))
    wrong = count != width
    if wrong.any():
        row = int(np.argmax(wrong))
        rule = f"every line must be {patterns[width]!r} as the first is, this one has {_columns(int(count[row]))}"
        raise text.error(rule, line=int(line[row]))
    return first[:, None] + np.arange(width)


def _columns(width: int) -> str:
    return "1 number" if width == 1 else f"{width} numbers"


def numbers(tokens: Tokens) -> FloatArray:
    r"""Return every token as a finite number, [num_tokens]; integers below 2**53 are exact.

    Example:
        >>> numbers(split(Text("a.txt", b"3 1\n2 0.5"))).tolist()
        [3.0, 1.0, 2.0, 0.5]
    """
    if not len(tokens):
        return np.zeros(0)
    values = _parse(tokens.text.content)
    if len(values) == len(tokens) and np.isfinite(values).all():
        return values
    raise _not_numbers(tokens, values)


def _parse(content: bytes) -> FloatArray:
    """Parse numbers; where some token is no number, the result is shorter than the number of tokens."""
    with warnings.catch_warnings():
        # NumPy 2.0 to 2.2 warn about text that is no number, later ones raise.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return np.fromstring(content, dtype=np.float64, sep=" ")
        except ValueError:
            return np.zeros(0)


def _not_numbers(tokens: Tokens, values: FloatArray) -> GraphFileError:
    found = _NOT_A_NUMBER.search(tokens.text.content)
    if found is None:
        token = int(np.argmin(np.isfinite(values)))
        return tokens.error(token, f"{tokens.word(token)!r} is not a finite number")
    token = int(np.searchsorted(tokens.start, found.start()))
    word = tokens.word(token)
    hint = "; columns are separated by blanks" if re.search("[,;]", word) else ""
    finite = "finite " if word.lower().strip("+-") in {"nan", "inf", "infinity"} else ""
    return tokens.error(token, f"{word!r} is not a {finite}number{hint}")


def node_ids(tokens: Tokens, values: FloatArray, where: IntArray) -> IntArray:
    """Return the tokens at ``where`` as node ids of the same shape: digits only, at most 2**31 - 1."""
    wrong = ~only_digits(tokens)[where] | (values[where] > MAX_NODES)
    if wrong.any():
        token = int(where[wrong][0])
        raise tokens.error(token, f"node id {tokens.word(token)!r} is not an integer in 0..{MAX_NODES}")
    return values[where].astype(np.int64)


def numbered_from_one(
    tokens: Tokens, values: FloatArray, where: IntArray, num_nodes: int, what: str = "node"
) -> IntArray:
    """Return the tokens at ``where``, which number the nodes from 1, as node ids from 0 of the same shape."""
    ids = node_ids(tokens, values, where)
    wrong = (ids < 1) | (ids > num_nodes)
    if wrong.any():
        token = int(where[wrong][0])
        allowed = f"1..{num_nodes}" if num_nodes else "a graph without nodes"
        raise tokens.error(token, f"{what} {tokens.word(token)} is outside {allowed}")
    return ids - 1


def only_digits(tokens: Tokens) -> NDArray[np.bool_]:
    """Tell which tokens consist of digits, [num_tokens]."""
    others = np.frombuffer(tokens.text.content.translate(_NOT_DIGIT), np.bool_)
    return ~np.logical_or.reduceat(others, tokens.start) if len(tokens) else np.ones(0, dtype=np.bool_)


def number(word: str) -> float | None:
    """Return a single word as a number, or None where it is not a finite number.

    Example:
        >>> number(" 2.5 "), number("nan"), number("1_0"), number("1e999")
        (2.5, None, None, None)
    """
    try:
        value = float(word)
    except ValueError:
        return None
    # Python also takes underscores between digits and the digits of other scripts.
    return value if math.isfinite(value) and "_" not in word and word.isascii() else None


def token_column(values: NDArray[Any], table: IntArray, column: int) -> NDArray[Any] | None:
    """Return a column of a table of token positions, or None if the table is not that wide."""
    return values[table[:, column]] if table.shape[1] > column else None


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


def find_header(text: Text, comment: re.Pattern[bytes]) -> tuple[list[str], int, int] | None:
    r"""Return the words of the first line that has any and is no comment, its number, and where the next line begins.

    Example:
        >>> find_header(Text("a.graph", b"% a comment\n3 2\n2\n"), re.compile(b"%"))
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


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the same number.

    Example:
        >>> number_text(2.0), number_text(0.1), number_text(-1e300)
        ('2', '0.1', '-1e+300')
    """
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def edge_lines(graph: Graph, names: NDArray[Any], *, prefix: str = "", larger_first: bool = False) -> str:
    r"""Return one line per edge, with its weight unless all are 1.

    Args:
        graph: the graph.
        names: [num_nodes] what the file calls the nodes.
        prefix: what each line begins with.
        larger_first: whether the end with the larger number comes first, as in a lower triangle.

    Example:
        >>> edge_lines(Graph.from_edges([[0, 1], [1, 2]]), np.arange(1, 4), prefix="e ")
        'e 1 2\ne 2 3\n'
    """
    first, second = (names[ends].tolist() for ends in (graph.edges[::-1] if larger_first else graph.edges))
    if np.all(graph.edge_weight == 1):
        return "".join(map(f"{prefix}%s %s\n".__mod__, zip(first, second, strict=True)))
    weight = map(number_text, graph.edge_weight.tolist())
    return "".join(map(f"{prefix}%s %s %s\n".__mod__, zip(first, second, weight, strict=True)))


def are_integers(names: Sequence[str]) -> bool:
    """Tell whether all of some words are integers of 64 bits as Python writes them.

    Example:
        >>> are_integers(["7", "-3", "0"]), are_integers(["07"]), are_integers(["7", "a"]), are_integers(["1_0"])
        (True, False, False, False)
    """
    try:
        values = list(map(int, names))
    except ValueError:
        return False
    return list(map(str, values)) == list(names) and (not values or (min(values) >= -(2**63) and max(values) < 2**63))


def typed_labels(names: list[str]) -> list[Any]:
    """Return the labels of a file: integers if all of them are written as such, and text otherwise.

    Example:
        >>> typed_labels(["7", "10"]), typed_labels(["7", "a"])
        ([7, 10], ['7', 'a'])
    """
    return list(map(int, names)) if are_integers(names) else names


def label_array(labels: Sequence[Any]) -> NDArray[Any]:
    """Return labels as an array, of 64-bit integers where all of them are integers."""
    whole = all(type(label) is int and -(2**63) <= label < 2**63 for label in labels)
    return np.array(labels, dtype=np.int64) if whole else object_array(labels)


def _is_no_unicode(text: str) -> bool:
    """Tell text with halves of pairs of UTF-16, as JSON can have it: no file of UTF-8 holds it."""
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)


def check_text_labels(labels: Sequence[Any], what: str) -> None:
    """Raise if text labels would not be read back from a format in which words are separated, and have no type.

    Args:
        labels: integers, or text.
        what: the format, in the error.
    """
    if not labels or not isinstance(labels[0], str):
        return
    if are_integers(labels):
        raise InputError(f"{what} would turn node labels that are digits in text into integers; convert them first")
    for label in labels:
        if label != label.strip() or not label or "\r" in label or "\0" in label or _is_no_unicode(label):
            raise InputError(f"{what} cannot hold the node label {label[:40]!r}")
