"""Find the file of a real set in the data folder or the cache, or make it of its public archive."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from os import PathLike
from pathlib import Path

from annealco.graph.datasets.chunks import check_digest
from annealco.graph.datasets.dataset import Dataset, check_statistics
from annealco.graph.datasets.fetching import Opener, fetched, open_url
from annealco.graph.datasets.fingerprint import MOST_BYTES
from annealco.graph.datasets.folders import DATA_VARIABLE, cache_folder, data_folder
from annealco.graph.errors import GraphFileError, InputError
from annealco.graph.formats import read_graph
from annealco.graph.formats.npz import write_npz
from annealco.graph.formats.storage import check_regular, file_errors, store
from annealco.graph.graph import Graph


def find_file(dataset: Dataset, data_root: str | PathLike[str] | None = None) -> Path | None:
    """Return the file of a stored set in the data folder, else in the cache, else None."""
    name, folder = dataset.stored.file, data_folder(data_root)
    if folder is not None and (folder / name).exists():
        return folder / name
    return min(_folder().glob(f"{dataset.name}@*.npz"), default=None)


def is_cached(path: Path) -> bool:
    """Tell whether a file was made by `download`, and is named by its checksum."""
    return path.parent == _folder()


def read_file(dataset: Dataset, path: Path) -> Graph:
    """Read all graphs of a stored set, and check that they are as many and as large as they should be."""
    if is_cached(path):
        check_digest(path)
    with file_errors(path, "read"):
        check_regular(path, MOST_BYTES)
    graph = read_graph(path, format="npz")
    check_statistics(dataset, graph, str(path))
    return graph


def download(dataset: Dataset, *, opener: Opener = open_url) -> Path:
    """Download the public archive of a stored set, convert and check it, and return its file in the cache.

    Raises:
        InputError: where there is no archive, it cannot be reached, or does not hold what it should.
    """
    origin = dataset.stored
    place = f"put {origin.file} into a folder and name it by {DATA_VARIABLE} or --data-root"
    if origin.url is None or origin.convert is None:
        raise InputError(f"{dataset.name} has no public archive; {place}")
    try:
        with fetched(origin.url, opener=opener) as archive:
            graph = _convert(archive, origin.convert, origin.url)
            check_statistics(dataset, graph, origin.url)
    except InputError as error:
        raise InputError(f"{dataset.name}: {error}; or {place}") from None
    content = write_npz(graph)
    path = _folder() / f"{dataset.name}@{hashlib.sha256(content).hexdigest()}.npz"
    with file_errors(path, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        store(path, content)
    return path


def _convert(archive: Path, convert: Callable[[Path], Graph], url: str) -> Graph:
    try:
        return convert(archive)
    except GraphFileError as error:
        # The file is a temporary one, its address is not.
        raise InputError(error.rule, origin=url) from None


def _folder() -> Path:
    return cache_folder() / "real"
