from __future__ import annotations

import gzip
import math
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.errors import GraphFileError
from annealco.graph.formats.text import (
    NUMBER,
    Text,
    check_num_nodes,
    drop_letters,
    edge_lines,
    newlines,
    node_ids,
    number,
    number_text,
    numbered_from_one,
    numbers,
    parse_count,
    read_text,
    row_starts,
    split,
    split_first_line,
    token_column,
    token_table,
)
from annealco.graph.graph import Graph
from tests.graph.formats.strategies import ANY_WEIGHT


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.txt"


def read(path: Path, content: bytes, **options: int) -> bytes:
    path.write_bytes(content)
    text = read_text(path, **options)
    assert text.path == str(path)
    return text.content


def test_line_ends_become_one_kind_and_the_byte_order_mark_goes(path: Path) -> None:
    assert read(path, b"\xef\xbb\xbfa\r\nb\rc\n\r\nd") == b"a\nb\nc\n\nd"
    assert read(path, "é\n".encode()) == "é\n".encode()


def test_gzip_is_recognised_also_in_several_members(path: Path) -> None:
    assert read(path, gzip.compress(b"a\n") + gzip.compress(b"b\r\n")) == b"a\nb\n"


@pytest.mark.parametrize("cut", [3, 12, 25, -1, -5])
def test_truncated_gzip_is_an_error(path: Path, cut: int) -> None:
    with pytest.raises(GraphFileError, match="damaged gzip file"):
        read(path, gzip.compress(b"0 1\n" * 100)[:cut])


def test_gzip_with_a_wrong_checksum_is_an_error(path: Path) -> None:
    content = bytearray(gzip.compress(b"0 1\n" * 100))
    content[-6] ^= 1
    with pytest.raises(GraphFileError, match="damaged gzip file: CRC"):
        read(path, bytes(content))


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_large_texts_are_refused(path: Path, pack: type[bytes]) -> None:
    assert len(read(path, pack(b"1" * 5_000_000), limit=5_000_000)) == 5_000_000
    with pytest.raises(GraphFileError, match="the text is larger than 4,999,999 bytes"):
        read(path, pack(b"1" * 5_000_000), limit=4_999_999)


@pytest.mark.parametrize("content", [b"", gzip.compress(b"", mtime=0), b"\xef\xbb\xbf"], ids=["none", "gzip", "mark"])
def test_nothing_is_an_error(path: Path, content: bytes) -> None:
    with pytest.raises(GraphFileError, match="the file is empty"):
        read(path, content)


@pytest.mark.parametrize(
    ("content", "line", "rule"),
    [
        (b"a\nb\0c", 2, "a NUL byte is not text; save it as UTF-8, or convert binary files, such as DIMACS .b"),
        (b"a\r\n\r\nb\xe9\n", 3, "byte 0xe9 is not UTF-8"),
        ("ab".encode("utf-16"), 1, "this is UTF-16; save it as UTF-8"),
        (b"\xfe\xff\0a", 1, "this is UTF-16; save it as UTF-8"),
        ("ab".encode("utf-16-le"), 1, "a NUL byte is not text; save it as UTF-8"),
    ],
)
def test_binary_content_is_an_error_with_its_line(path: Path, content: bytes, line: int, rule: str) -> None:
    with pytest.raises(GraphFileError, match=rf":{line}: {rule}.*"):
        read(path, content)


def test_without_needs_a_mark() -> None:
    text = Text("a", b"1 # c\n2\n")
    assert text.without(re.compile(rb"#[^\n]*"), b"#").content == b"1 \n2\n"
    assert text.without(re.compile(rb"1"), b"x") is text


def test_lines_are_counted_from_one() -> None:
    text = Text("a", b"ab\n\nc")
    assert [text.line_at(position) for position in range(5)] == [1, 1, 1, 2, 3]
    assert str(text.error("wrong")) == "a: wrong"


def test_an_archive_that_grows_out_of_all_proportion_is_refused(tmp_path: Path) -> None:
    bomb = tmp_path / "a.edges.gz"
    bomb.write_bytes(gzip.compress(b"1 2\n" * 10_000_000, mtime=0))
    assert bomb.stat().st_size < 100_000
    with pytest.raises(GraphFileError, match="the text is larger than"):
        read_text(bomb)


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
    return token_table(tokens.text, starts[:-1], np.diff(starts), tokens.line[starts[:-1]], {2: "u v", 3: "u v w"})


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
    assert token_column(values, np.array([[0, 1], [2, 3]]), 1).tolist() == [6, 8]
    assert token_column(values, np.array([[0, 1], [2, 3]]), 2) is None


def test_dropped_letters_leave_numbers_at_their_places() -> None:
    tokens = drop_letters(tokens_of("e 1 2\nn 3"), np.array([True, False, False, True, False]))
    assert tokens.text.content == b"  1 2\n  3"
    assert numbers(tokens).tolist() == [1, 2, 3]
    assert tokens.line.tolist() == [1, 1, 2]


def test_the_first_line_with_words_is_split_off_and_line_numbers_stay() -> None:
    words, line, rest = split_first_line(Text("a", b"\n\t\n  3 x\n\n1\n"))
    assert (words, line, rest.content) == (["3", "x"], 3, b"\n\n\n\n1\n")
    assert rest.line_at(rest.content.index(b"1")) == 5


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_a_text_without_words_has_none_in_its_first_line(content: bytes) -> None:
    assert split_first_line(Text("a", content))[0] == []


@pytest.mark.parametrize(("word", "value"), [("0", 0), ("007", 7), ("9" * 18, 10**18 - 1)])
def test_counts(word: str, value: int) -> None:
    assert parse_count(Text("a", b""), word, "n", line=1) == value


@pytest.mark.parametrize("word", ["-1", "+1", "1.0", "1e3", "x", "٣", "9" * 19, "9" * 5000, ""])
def test_other_words_are_no_counts(word: str) -> None:
    with pytest.raises(GraphFileError, match=r"^a:4: the size must be a non-negative integer, not '"):
        parse_count(Text("a", b""), word, "the size", line=4)


def test_declared_nodes_are_limited_by_the_size_of_the_file() -> None:
    check_num_nodes("a", 1_000_100, 10)
    with pytest.raises(GraphFileError, match=r"^a:2: 1,000,101 nodes are declared, but a file of 10 bytes may have at"):
        check_num_nodes("a", 1_000_101, 10, line=2)
    check_num_nodes("a", 2**31 - 1, 2**40)
    with pytest.raises(GraphFileError, match=r"may have at most 2,147,483,647$"):
        check_num_nodes("a", 2**31, 2**40)


PATH = Graph.from_edges([[0, 1], [1, 2]], edge_weight=[0.1, 4])


@given(ANY_WEIGHT)
def test_numbers_come_back(value: float) -> None:
    assert float(number_text(value)) == value
    assert len(number_text(value)) <= len(repr(value))


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1"), (-3.0, "-3"), (0.5, "0.5"), (1e16, "1e+16"), (123456789.0, "123456789")]
)
def test_integers_are_written_as_such(value: float, text: str) -> None:
    assert number_text(value) == text


def test_weights_are_written_unless_all_are_one() -> None:
    names = np.array([7, 8, 9])
    assert edge_lines(PATH, names) == "7 8 0.1\n8 9 4\n"
    assert edge_lines(PATH.with_weights(edge_weight=[1, 1]), names, prefix="e ") == "e 7 8\ne 8 9\n"
    assert edge_lines(PATH, names, larger_first=True) == "8 7 0.1\n9 8 4\n"
    assert edge_lines(Graph.from_edges([], 3), names) == ""
