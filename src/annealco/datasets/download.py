"""Download public archives, and read the files of a zip or tar.gz archive that may be hostile.

Nothing is extracted to a path that the archive names. Names that lead out of a folder, links, and contents larger than
a limit are refused, whether or not the file is wanted.
"""

from __future__ import annotations

import gzip
import http.client
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO
from urllib.request import urlopen

from annealco.errors import GraphFileError, InputError

MAX_DOWNLOAD_BYTES = 2**30
"""The largest archive in use has about 200 MB."""

MAX_UNPACKED_BYTES = 4 * 2**30
"""Of all files of an archive together."""

MAX_FILES = 200_000
SCHEMES = ("https://", "http://", "file://")
TIMEOUT = 30.0
_BLOCK, _MOST_PADDING = 2**20, 100
_DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError),
    *(ValueError, RuntimeError, NotImplementedError),
)

Member = tuple[str, int, bool, Callable[[], IO[bytes] | None]]
"""A file of an archive: its name, its declared size, whether it is a regular file, and a function that opens it."""

Opener = Callable[[str], AbstractContextManager[IO[bytes]]]


def open_url(url: str) -> AbstractContextManager[IO[bytes]]:
    """Open a URL for reading."""
    if not url.startswith(SCHEMES):
        raise InputError(f"cannot be downloaded: the address must begin with {' or '.join(SCHEMES)}", origin=url)
    opened: AbstractContextManager[IO[bytes]] = urlopen(url, timeout=TIMEOUT)  # noqa: S310 (checked above)
    return opened


@contextmanager
def temporary_download(url: str, *, opener: Opener = open_url, limit: int = MAX_DOWNLOAD_BYTES) -> Iterator[Path]:
    """Download a file into a temporary folder, which is deleted at the end of the context.

    Args:
        url: its address.
        opener: opens an address for reading.
        limit: bytes it may have.

    Raises:
        InputError: where it cannot be reached or is too large.
    """
    with TemporaryDirectory(prefix="annealco-") as folder:
        path = Path(folder) / "archive"
        try:
            with opener(url) as source, path.open("xb") as target:
                _copy(source, target, url, limit)
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise InputError(f"cannot be downloaded: {' '.join(str(reason).split())}", origin=url) from None
        yield path


def _copy(source: IO[bytes], target: IO[bytes], url: str, limit: int) -> None:
    size = 0
    while block := source.read(_BLOCK):
        size += len(block)
        if size > limit:
            raise InputError(f"cannot be downloaded: it is larger than {limit:,} bytes", origin=url)
        target.write(block)


def read_archive(
    path: Path, wanted: Callable[[str], bool], *, limit: int = MAX_UNPACKED_BYTES
) -> Iterator[tuple[str, bytes]]:
    """Go through the wanted files of an archive as names without folders, and contents.

    Args:
        path: a zip archive, or a tar archive compressed with gzip.
        wanted: tells from a name without folders whether its content is wanted.
        limit: bytes that all files may have together.

    Raises:
        GraphFileError: for a damaged or hostile archive.
    """
    size = files = 0
    try:
        for name, declared, regular, opened in _members(path):
            files, size = files + 1, size + declared
            _check_name(path, name, regular)
            if size > limit:
                raise GraphFileError(path, f"the archive unpacks to more than {limit:,} bytes")
            if files > MAX_FILES:
                raise GraphFileError(path, f"the archive holds more than {MAX_FILES:,} files")
            short = PurePosixPath(name).name
            if wanted(short):
                yield short, _content(opened, declared)
    except GraphFileError:
        raise
    except _DAMAGE as error:
        raise GraphFileError(path, f"the archive is damaged: {one_line(error)}") from None


def one_line(error: BaseException) -> str:
    """Return the message of an error on one line, or the name of its class where it has none."""
    return " ".join(str(error).split()) or type(error).__name__


def _members(path: Path) -> Iterator[Member]:
    """Go through the members of either kind of archive, folders left out."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                # The upper half of the attributes is the Unix mode, whose type is 0 (unknown), a file or a link.
                kind = info.external_attr >> 28
                if not info.is_dir():
                    yield info.filename, info.file_size, kind in {0, 0o10}, lambda info=info: archive.open(info)  # type: ignore[misc]
        return
    with gzip.open(path) as plain:
        with tarfile.open(fileobj=plain, mode="r|") as stream:
            for member in stream:
                if not member.isdir():
                    yield member.name, member.size, member.isfile(), lambda member=member: stream.extractfile(member)  # type: ignore[misc]
        # A tar archive that ends too early looks like a shorter one; only what surrounds it knows better.
        for _ in range(_MOST_PADDING):
            if not plain.read(_BLOCK):
                return
        raise ValueError("it does not end")


def _check_name(path: Path, name: str, regular: bool) -> None:
    parts = PurePosixPath(name.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or ":" in name:
        raise GraphFileError(path, f"the archive holds {name!a}, a name that leads out of its folder")
    if not regular:
        raise GraphFileError(path, f"the archive holds {name!a}, which is a link or a device")


def _content(opened: Callable[[], IO[bytes] | None], declared: int) -> bytes:
    file = opened()
    if file is None:
        raise ValueError("a file has no content")
    with file:
        # A file that is larger than it says is not read to its end.
        content = file.read(declared + 1)
    if len(content) != declared:
        raise ValueError(f"{declared:,} bytes are declared, not that many are there")
    return content
