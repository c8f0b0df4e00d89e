"""Download a public archive, or say in one line why not."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO
from urllib.request import urlopen

from annealco.graph.errors import InputError

MAX_BYTES = 2**30
"""The largest archive in use has about 200 MB."""

SCHEMES = ("https://", "http://", "file://")
TIMEOUT = 30.0
_BLOCK = 2**20

Opener = Callable[[str], AbstractContextManager[IO[bytes]]]


def open_url(url: str) -> AbstractContextManager[IO[bytes]]:
    """Open a URL for reading."""
    if not url.startswith(SCHEMES):
        raise InputError(f"cannot be downloaded: the address must begin with {' or '.join(SCHEMES)}", origin=url)
    opened: AbstractContextManager[IO[bytes]] = urlopen(url, timeout=TIMEOUT)  # noqa: S310 (checked above)
    return opened


@contextmanager
def fetched(url: str, *, opener: Opener = open_url, limit: int = MAX_BYTES) -> Iterator[Path]:
    """Download a file for as long as the context lasts.

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
