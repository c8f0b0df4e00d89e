from __future__ import annotations

import pytest

from annealco.graph.errors import GraphFileError
from annealco.graph.formats.header import check_num_nodes, parse_count, split_first_line
from annealco.graph.formats.text import Text


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
