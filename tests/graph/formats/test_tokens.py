from __future__ import annotations

import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.graph.errors import GraphFileError
from annealco.graph.formats.text import Text
from annealco.graph.formats.tokens import (
    NUMBER,
    columns,
    drop_letters,
    newlines,
    node_ids,
    number,
    numbered_from_one,
    numbers,
    row_starts,
    select,
    split,
)

BLANKS = " \t\n\v\f"
WORDS = st.one_of(
    st.integers().map(str),
    st.floats().map(repr),
    st.text("0123456789+-.eEx_,naifd", min_size=1, max_size=6),
)


def tokens_of(content: str | bytes):
    return split(Text("a", content.encode() if isinstance(content, str) else content))


@given(st.text(f"ab1{BLANKS}"))
def test_split_finds_what_python_finds(content: str) -> None:
    tokens = tokens_of(content)
    expected = [(word, line) for line, text in enumerate(content.split("\n"), 1) for word in text.split()]
    assert [(tokens.word(place), int(tokens.line[place])) for place in range(len(tokens))] == expected
    assert newlines(tokens.text).tolist() == [place for place, letter in enumerate(content) if letter == "\n"]
    rows = [len(text.split()) for text in content.split("\n") if text.split()]
    assert np.diff(row_starts(tokens)).tolist() == rows


@given(st.lists(WORDS), st.sampled_from(BLANKS))
def test_numbers_are_those_of_python_and_anything_else_is_an_error(words: list[str], blank: str) -> None:
    good = [re.fullmatch(NUMBER, word) is not None and math.isfinite(float(word)) for word in words]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if all(good):
            assert numbers(tokens_of(blank.join(words))).tolist() == [float(word) for word in words]
            return
        with pytest.raises(GraphFileError, match=r"is not a (finite )?number") as caught:
            numbers(tokens_of("\n".join(words)))
    plain = [re.fullmatch(NUMBER, word) is not None for word in words]
    assert caught.value.line == 1 + (good if all(plain) else plain).index(False)


@given(WORDS)
def test_one_number_is_read_by_the_same_rule(word: str) -> None:
    value = number(f" {word}\n")
    assert (value is not None) == (re.fullmatch(NUMBER, word) is not None and math.isfinite(float(word)))
    assert value is None or value == float(word)


@pytest.mark.parametrize("word", ["٣", "1_0", "0x1", "1e400", "", "nan", "1 2"])
def test_what_only_python_takes_for_a_number_is_none(word: str) -> None:
    assert number(word) is None


@pytest.mark.parametrize(
    ("word", "rule"),
    [
        ("1,2", "'1,2' is not a number; columns are separated by blanks"),
        ("-inf", "'-inf' is not a finite number"),
        ("NaN", "'NaN' is not a finite number"),
        ("1e999", "'1e999' is not a finite number"),
        ("\x01", r"'\x01' is not a number"),
        ("é", "'é' is not a number"),
        ("x" * 99, f"'{'x' * 40}...' is not a number"),
    ],
)
def test_errors_show_the_word(word: str, rule: str) -> None:
    with pytest.raises(GraphFileError, match=f"^a:2: {re.escape(rule)}$"):
        numbers(tokens_of(f"1 2\n3 {word}\n4"))


def test_a_very_long_word_is_no_number() -> None:
    with pytest.raises(GraphFileError, match="is not a number"):
        numbers(tokens_of("1" * 1_000_000 + "x"))


@pytest.mark.parametrize("word", ["1.5", "1e3", "-1", "+1", "1.", "2147483648", "9" * 300])
def test_ids_are_digits_of_at_most_31_bits(word: str) -> None:
    tokens = tokens_of(f"0\n{word}\n1.5")
    with pytest.raises(GraphFileError, match=r"^a:2: node id '.*' is not an integer in 0..2147483647$"):
        node_ids(tokens, numbers(tokens), np.array([0, 1]))
    assert node_ids(tokens, numbers(tokens), np.array([[0], [0]])).tolist() == [[0], [0]]


def test_ids_are_exact_up_to_the_largest() -> None:
    tokens = tokens_of("2147483647 2147483646 007")
    assert node_ids(tokens, numbers(tokens), np.arange(3)).tolist() == [2147483647, 2147483646, 7]


def test_numbering_from_one_names_the_word_and_the_range() -> None:
    tokens = tokens_of("1 3\n0 4")
    values = numbers(tokens)
    assert numbered_from_one(tokens, values, np.array([0, 1]), 3).tolist() == [0, 2]
    with pytest.raises(GraphFileError, match=r"^a:2: node 0 is outside 1..3$"):
        numbered_from_one(tokens, values, np.array([1, 2]), 3)
    with pytest.raises(GraphFileError, match=r"^a:2: row 4 is outside 1..3$"):
        numbered_from_one(tokens, values, np.array([3]), 3, "row")
    with pytest.raises(GraphFileError, match=r"^a:1: node 1 is outside a graph without nodes$"):
        numbered_from_one(tokens, values, np.array([0]), 0)


def table(content: str):
    tokens = tokens_of(content)
    starts = row_starts(tokens)
    return columns(tokens.text, starts[:-1], np.diff(starts), tokens.line[starts[:-1]], {2: "u v", 3: "u v w"})


def test_columns_are_those_of_the_first_row() -> None:
    assert table("").shape == (0, 2)
    assert table("1 2\n3 4").tolist() == [[0, 1], [2, 3]]
    assert table("1 2 3").tolist() == [[0, 1, 2]]
    with pytest.raises(GraphFileError, match=r"^a:2: a line is 'u v' or 'u v w', this one has 1 number$"):
        table("\n1\n2 3")
    with pytest.raises(
        GraphFileError, match=r"^a:4: every line must be 'u v' as the first is, this one has 3 numbers$"
    ):
        table("1 2\n\n3 4\n5 6 7\n")


def test_select_gives_a_column_or_nothing() -> None:
    values = np.array([5.0, 6.0, 7.0, 8.0])
    assert select(values, np.array([[0, 1], [2, 3]]), 1).tolist() == [6, 8]
    assert select(values, np.array([[0, 1], [2, 3]]), 2) is None


def test_dropped_letters_leave_numbers_at_their_places() -> None:
    tokens = drop_letters(tokens_of("e 1 2\nn 3"), np.array([True, False, False, True, False]))
    assert tokens.text.content == b"  1 2\n  3"
    assert numbers(tokens).tolist() == [1, 2, 3]
    assert tokens.line.tolist() == [1, 1, 2]
