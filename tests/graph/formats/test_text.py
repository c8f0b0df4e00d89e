from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from annealco.graph.errors import GraphFileError
from annealco.graph.formats.text import Text, read_text


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
        (b"a\nb\0c", 2, "a NUL byte is not text"),
        (b"a\r\n\r\nb\xe9\n", 3, "byte 0xe9 is not UTF-8"),
        ("ab".encode("utf-16"), 1, "a NUL byte is not text"),
    ],
)
def test_binary_content_is_an_error_with_its_line(path: Path, content: bytes, line: int, rule: str) -> None:
    with pytest.raises(GraphFileError, match=rf":{line}: {rule}.*; binary files, such as DIMACS .b,"):
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
