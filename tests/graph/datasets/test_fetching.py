from __future__ import annotations

import io
from http.client import IncompleteRead
from pathlib import Path
from urllib.error import URLError

import pytest

from annealco.graph.datasets.fetching import fetched, open_url
from annealco.graph.errors import InputError


def test_a_file_is_there_for_as_long_as_the_context(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"content" * 1000)
    with fetched((tmp_path / "a").as_uri()) as path:
        assert path.read_bytes() == b"content" * 1000
    assert not path.exists()


@pytest.mark.parametrize(
    "error", [URLError("no route\nto host"), TimeoutError("no route to host"), IncompleteRead(b"")]
)
def test_being_offline_is_one_line(error: Exception) -> None:
    def fail(url: str) -> io.BytesIO:
        raise error

    with pytest.raises(InputError) as caught, fetched("https://example.org/a.zip", opener=fail):
        pass
    assert str(caught.value).startswith("https://example.org/a.zip: cannot be downloaded: ")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    address = (tmp_path / "missing.zip").as_uri()
    with pytest.raises(InputError, match=r"missing\.zip: cannot be downloaded: "), fetched(address):
        pass


def test_endless_answers_are_cut_off() -> None:
    class Endless(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            return b"0" * size

    with (
        pytest.raises(InputError, match="larger than 3,000,000 bytes"),
        fetched("https://example.org/a", opener=lambda url: Endless(), limit=3_000_000),
    ):
        pass


def test_only_known_schemes_are_opened() -> None:
    with pytest.raises(InputError, match="must begin with"):
        open_url("ftp://example.org/a")
