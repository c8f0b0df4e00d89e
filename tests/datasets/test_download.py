from __future__ import annotations

import io
import tarfile
import zipfile
from http.client import IncompleteRead
from pathlib import Path
from urllib.error import URLError

import pytest

from annealco.datasets.download import open_url, read_archive, temporary_download
from annealco.errors import GraphFileError, InputError
from tests.datasets.samples import write_tar, write_zip


def test_a_file_is_there_for_as_long_as_the_context(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"content" * 1000)
    with temporary_download((tmp_path / "a").as_uri()) as path:
        assert path.read_bytes() == b"content" * 1000
    assert not path.exists()


@pytest.mark.parametrize(
    "error", [URLError("no route\nto host"), TimeoutError("no route to host"), IncompleteRead(b"")]
)
def test_being_offline_is_one_line(error: Exception) -> None:
    def fail(url: str) -> io.BytesIO:
        raise error

    with pytest.raises(InputError) as caught, temporary_download("https://example.org/a.zip", opener=fail):
        pass
    assert str(caught.value).startswith("https://example.org/a.zip: cannot be downloaded: ")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    address = (tmp_path / "missing.zip").as_uri()
    with pytest.raises(InputError, match=r"missing\.zip: cannot be downloaded: "), temporary_download(address):
        pass


def test_endless_answers_are_cut_off() -> None:
    class Endless(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            return b"0" * size

    with (
        pytest.raises(InputError, match="larger than 3,000,000 bytes"),
        temporary_download("https://example.org/a", opener=lambda url: Endless(), limit=3_000_000),
    ):
        pass


def test_only_known_schemes_are_opened() -> None:
    with pytest.raises(InputError, match="must begin with"):
        open_url("ftp://example.org/a")


FILES = {"a/one.txt": b"1", "a/b/two.txt": b"22", "a/three.md": b"333"}
WRITERS = [write_zip, write_tar]


def is_text(name: str) -> bool:
    return name.endswith(".txt")


@pytest.mark.parametrize("write", WRITERS)
def test_wanted_files_come_without_their_folders(write, tmp_path: Path) -> None:
    path = write(tmp_path / "archive", FILES)
    assert list(read_archive(path, is_text)) == [("one.txt", b"1"), ("two.txt", b"22")]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("name", ["../out.txt", "a/../../out.md", "/etc/out.txt", "a\\..\\..\\out.txt", "C:/out.txt"])
def test_names_that_lead_out_are_refused(write, name: str, tmp_path: Path) -> None:
    path = write(tmp_path / "archive", FILES | {name: b""})
    with pytest.raises(GraphFileError, match="a name that leads out of its folder"):
        list(read_archive(path, is_text))


@pytest.mark.parametrize("write", WRITERS)
def test_bombs_are_refused(write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "archive", {"big.md": b"0" * 5_000_000})
    assert path.stat().st_size < 10_000
    with pytest.raises(GraphFileError, match="unpacks to more than 1,000,000 bytes"):
        list(read_archive(path, is_text, limit=1_000_000))
    monkeypatch.setattr("annealco.datasets.download.MAX_FILES", 2)
    with pytest.raises(GraphFileError, match="holds more than 2 files"):
        list(read_archive(write(tmp_path / "many", FILES), is_text))


def test_a_zip_that_lies_about_a_size_is_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "archive", {"big.txt": b"0" * 5_000_000})
    size = (5_000_000).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (50).to_bytes(4, "little")))
    with pytest.raises(GraphFileError):
        list(read_archive(path, is_text))


def test_links_are_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "tar", "w:gz") as archive:
        info = tarfile.TarInfo("link.txt")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(info)
    with zipfile.ZipFile(tmp_path / "zip", "w") as archive:
        entry = zipfile.ZipInfo("link.txt")
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
    for path in (tmp_path / "tar", tmp_path / "zip"):
        with pytest.raises(GraphFileError, match="which is a link or a device"):
            list(read_archive(path, is_text))


@pytest.mark.parametrize("write", WRITERS)
def test_damage_is_one_clear_error(write, tmp_path: Path) -> None:
    content = write(tmp_path / "archive", {f"{i}.txt": bytes(range(256)) * 9 for i in range(9)}).read_bytes()
    for cut in (0, 1, 30, len(content) // 2, len(content) - 60, len(content) - 15, len(content) - 1):
        (tmp_path / "broken").write_bytes(content[:cut])
        with pytest.raises(GraphFileError, match="broken: ") as caught:
            list(read_archive(tmp_path / "broken", is_text))
        assert "\n" not in str(caught.value)


def test_other_files_are_no_archives(tmp_path: Path) -> None:
    (tmp_path / "page").write_bytes(io.BytesIO(b"<html>not found</html>").getvalue())
    with pytest.raises(GraphFileError, match="the archive is damaged"):
        list(read_archive(tmp_path / "page", is_text))
