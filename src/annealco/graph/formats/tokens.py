"""Split a text into tokens, and tokens into rows and exact numbers, with the line of each for the error message.

Everything works on the whole file at once: a million lines cost a few array operations, not a million Python steps.
"""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco.graph.errors import GraphFileError
from annealco.graph.formats.text import Text
from annealco.graph.segments import FloatArray, IntArray
from annealco.graph.validation import MAX_NODES

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
"""What counts as a number; ``nan``, ``inf``, hexadecimal digits and underscores do not."""

_NOT_A_NUMBER = re.compile(rf"(?<!\S)(?!{NUMBER}(?!\S))\S+".encode())
_BLANKS = b" \t\n\v\f\r"
# `bytes.translate` with such a table is three times as fast as indexing an array of 256 with the characters.
_NOT_BLANK = bytes(code not in _BLANKS for code in range(256))
_NOT_DIGIT = bytes(code not in _BLANKS + b"0123456789" for code in range(256))


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


def columns(text: Text, first: IntArray, count: IntArray, line: IntArray, patterns: dict[int, str]) -> IntArray:
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
    """Parse numbers up to the first that is none, or up to any point before the end if there is one."""
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
    wrong = ~_only_digits(tokens)[where] | (values[where] > MAX_NODES)
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


def _only_digits(tokens: Tokens) -> NDArray[np.bool_]:
    """Tell which tokens consist of digits, [num_tokens]."""
    others = np.flatnonzero(np.frombuffer(tokens.text.content.translate(_NOT_DIGIT), np.bool_))
    plain = np.ones(len(tokens), dtype=np.bool_)
    plain[np.searchsorted(tokens.start, others, side="right") - 1] = False
    return plain


def number(word: str) -> float | None:
    """Return the number a single word is, or None if it is none or not finite.

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


def select(values: NDArray[Any], table: IntArray, column: int) -> NDArray[Any] | None:
    """Return a column of a table of token positions, or None if the table is not that wide."""
    return values[table[:, column]] if table.shape[1] > column else None
