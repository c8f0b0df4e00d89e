"""The graphs of named sets on the disk: chunks of drawn sets, files of real sets, and their checksums.

A drawn set is kept in chunks, files of a few graphs each. A chunk is written under a temporary name and renamed when it
is complete; its final name contains the SHA-256 of its place (set, version, seed, split and first graph) and its bytes.
So a killed process leaves no file that could be mistaken for a chunk, two processes that draw the same graphs write the
same file without locking, and a changed byte or a moved file is noticed. Missing chunks are drawn by parallel processes
that are programs of their own (`annealco.datasets.worker`): they neither inherit threads nor import the caller's
script, and they end with the caller, whose pipe they write to.

The file of a real set is looked up in the data folder, then in the cache, else converted from its public archive.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco.arguments import as_integer
from annealco.datasets.download import Opener, open_url, temporary_download
from annealco.datasets.registry import Dataset, check_statistics, draw
from annealco.datasets.splits import BLOCK
from annealco.errors import GraphFileError, InputError
from annealco.files import check_regular, file_errors, store
from annealco.graph.formats import read_graph
from annealco.graph.formats.npz import read_npz, write_npz
from annealco.graph.graph import Graph

DATA_VARIABLE = "ANNEALCO_DATA"
CACHE_VARIABLE = "ANNEALCO_CACHE"

CHUNK = 20
"""Graphs per file."""

MOST_BYTES = 2**32
"""Larger files are refused; no file of a set comes near this size."""

NODE_BYTES, EDGE_BYTES = 64, 32
"""Memory per node and per edge while parts of a batch are put together."""

STORED_EDGE_BYTES = 1.5
"""Most bytes on the disk per node or edge: a small integer for either end, compressed."""

WORTH_A_PROCESS = 400_000
"""Edges that take about as long to draw as a process takes to start."""

STALE_SECONDS = 3600
"""Age at which an unfinished file counts as abandoned."""

_NAME = re.compile(r"(\d{10})-([0-9a-f]{64})\.npz")
_TYPES = {"b": "<i8", "i": "<i8", "u": "<i8", "f": "<f8"}


def data_folder(data_root: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the folder that was given, else that of ``ANNEALCO_DATA``, else None.

    Raises:
        InputError: where it is no folder.
    """
    given = os.environ.get(DATA_VARIABLE) if data_root is None else data_root
    if not given:
        return None
    folder = Path(given).expanduser()
    if not folder.is_dir():
        by = f" ({DATA_VARIABLE})" if data_root is None else ""
        raise InputError(f"{folder}: the data folder{by} does not exist")
    return folder


def cache_folder() -> Path:
    """Return ``ANNEALCO_CACHE``, else a folder in the user's cache as the system has it; it may not exist yet."""
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given).expanduser()
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "annealco"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "annealco" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "annealco"


def fingerprint(graph: Graph) -> str:
    """Return the SHA-256 of all arrays with their names and shapes; the type that holds them makes no difference.

    Example:
        >>> pair = Graph.from_edges([[0], [1]])
        >>> fingerprint(pair) == fingerprint(Graph.from_edges([[1], [0]])), len(fingerprint(pair))
        (True, 64)
    """
    arrays: dict[str, NDArray[Any]] = {
        "node_ptr": graph.node_ptr,
        "edges": graph.edges,
        "node_weight": graph.node_weight,
        "edge_weight": graph.edge_weight,
    }
    arrays |= {f"node.{key}": array for key, array in graph.node_data.items()}
    arrays |= {f"graph.{key}": array for key, array in graph.graph_data.items()}
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {list(array.shape)} ".encode())
        if array.dtype.kind in _TYPES:
            digest.update(np.ascontiguousarray(array, dtype=_TYPES[array.dtype.kind]).data)
        else:
            # Names of files and labels of JSON may hold what is no Unicode.
            digest.update("\0".join(map(str, array.ravel().tolist())).encode(errors="surrogatepass"))
    return digest.hexdigest()


def file_digest(path: Path, *, place: str = "") -> str:
    """Return the SHA-256 of a file's bytes, after those of the place that it belongs to.

    Raises:
        GraphFileError: for what is no regular file, whose end may never come, and for one that is too large.
    """
    check_regular(path, MOST_BYTES)
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.sha256(place.encode())).hexdigest()


def check_count(count: int) -> int:
    """Return a number of graphs that a split can have."""
    return as_integer("count", count, 0, BLOCK)


def check_memory(dataset: Dataset, count: int) -> None:
    """Raise InputError where so many graphs cannot be held at once."""
    needed = count * (dataset.mean_nodes * NODE_BYTES + dataset.mean_edges * EDGE_BYTES)
    _compare(dataset, count, needed, _memory(), "memory")


def check_disk(dataset: Dataset, count: int, folder: Path) -> None:
    """Raise InputError where so many graphs cannot be stored; the folder may be missing yet."""
    there = next((each for each in (folder, *folder.parents) if each.is_dir()), Path.cwd())
    needed = count * (dataset.mean_nodes + dataset.mean_edges) * STORED_EDGE_BYTES
    _compare(dataset, count, needed, shutil.disk_usage(there).free, f"room in {there}")


def _compare(dataset: Dataset, count: int, needed: float, available: float | None, what: str) -> None:
    if available is not None and needed > available:
        need, there = (f"{size / 2**30:,.1f}" for size in (needed, available))
        rule = f"{count:,} graphs of {dataset.name} need about {need} GiB of {what}, {there} are there"
        raise InputError(f"{rule}; ask for a smaller count")


def _memory() -> float | None:
    """Return the memory of the machine in bytes, or None where the system does not tell."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def set_folder(dataset: Dataset) -> Path:
    """Return the folder of all chunks of a drawn set."""
    return cache_folder() / "sets" / f"{dataset.name}-v{dataset.drawn.version}"


def split_folder(dataset: Dataset, split: str, seed: int) -> Path:
    """Return the folder with the chunks of one split and seed."""
    return set_folder(dataset) / f"seed{seed}" / split


def present_chunks(folder: Path) -> dict[int, Path]:
    """Return the chunks that are there, by the number of their first graph."""
    return {_first(path): path for path in reversed(chunk_files(folder))}


def chunk_files(folder: Path) -> list[Path]:
    """Return all files of a split and seed, in the order of their names."""
    with file_errors(folder, "read"):
        return sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name)) if folder.is_dir() else []


def all_chunks(dataset: Dataset) -> Iterator[Path]:
    """Go through the chunks of all splits and seeds that are in the cache."""
    for folder in sorted(set_folder(dataset).glob("seed*/*")):
        yield from chunk_files(folder)


def make_chunk(dataset: Dataset, split: str, *, seed: int, start: int) -> None:
    """Draw a chunk and put it into the cache, unless it is there."""
    folder = split_folder(dataset, split, seed)
    if any(_NAME.fullmatch(path.name) for path in folder.glob(f"{start:010d}-*")):
        return
    content = write_npz(draw(dataset.drawn, split, seed=seed, start=start, count=CHUNK))
    digest = hashlib.sha256(_place(folder, start).encode() + content).hexdigest()
    path = folder / f"{start:010d}-{digest}.npz"
    with file_errors(path, "written"):
        folder.mkdir(parents=True, exist_ok=True)
        store(path, content)


def read_chunk(path: Path) -> Graph:
    """Read the graphs of a chunk.

    Raises:
        GraphFileError: where its place and bytes are not those that its name promises.
    """
    check_chunk(path)
    with file_errors(path, "read"):
        return read_npz(path)


def check_chunk(path: Path) -> None:
    """Raise GraphFileError unless the name of a chunk tells the SHA-256 of its place and bytes."""
    check_digest(path, place=_place(path.parent, _first(path)))


def remove_damaged(folder: Path) -> int:
    """Remove the chunks of a split and seed whose name does not tell their SHA-256, and return their number."""
    removed = 0
    for path in chunk_files(folder):
        try:
            check_chunk(path)
        except GraphFileError:
            with file_errors(path, "removed"):
                path.unlink(missing_ok=True)
            removed += 1
    return removed


def check_digest(path: Path, *, place: str = "") -> None:
    """Raise GraphFileError unless the name of a file in the cache tells the SHA-256 of its place and bytes."""
    with file_errors(path, "read"):
        if file_digest(path, place=place) not in path.name:
            raise GraphFileError(path, "it is damaged: its SHA-256 is not that of its name; delete it to make it anew")


def _first(path: Path) -> int:
    return int(path.name[:10])


def _place(folder: Path, start: int) -> str:
    """Return what the graphs of a chunk are, as ``NAME-vVERSION/seedS/SPLIT/START``."""
    return "/".join([*folder.parts[-3:], str(start)])


def make_chunks(dataset: Dataset, split: str, *, seed: int, count: int, processes: int | None = None) -> Iterator[int]:
    """Put the first ``count`` graphs of a split into the cache, and yield the number of each chunk as it is done.

    Args:
        dataset: a drawn set.
        split: one of its three.
        seed: of the set.
        count: rounded up to whole chunks.
        processes: how many draw; by default one for each processor, and none but this where there is little to do.

    Raises:
        InputError: where the graphs do not fit on the disk, or a process failed.
    """
    folder = split_folder(dataset, split, seed)
    there = present_chunks(folder)
    check_disk(dataset, max(0, check_count(count) - len(there) * CHUNK), folder)
    missing = [start for start in range(0, count, CHUNK) if start not in there]
    if processes is None:
        work = len(missing) * CHUNK * (dataset.mean_nodes + dataset.mean_edges)
        processes = min(_num_processors(), 1 + int(work // WORTH_A_PROCESS))
    if min(processes, len(missing)) > 1:
        yield from _in_parallel(dataset, split, seed, count, min(processes, len(missing)))
    else:
        for start in missing:
            make_chunk(dataset, split, seed=seed, start=start)
            yield start
    if missing:
        _remove_stale(folder)


def _in_parallel(dataset: Dataset, split: str, seed: int, count: int, processes: int) -> Iterator[int]:
    """Run processes that draw every n-th chunk each, n the number of processes, and report on one pipe."""
    reading, writing = os.pipe()
    source = str(Path(__file__).parents[2])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])])}
    command = [sys.executable, "-m", "annealco.datasets.worker", dataset.name, split, str(seed), str(count)]
    running: list[subprocess.Popen[bytes]] = []
    try:
        with os.fdopen(reading, encoding="utf-8") as reports:
            try:
                for turn in range(processes):
                    own = [*command, str(turn), str(processes)]
                    running.append(subprocess.Popen(own, stdout=writing, env=environment))  # noqa: S603 (our program)
            finally:
                os.close(writing)
            for line in reports:
                word, _, rest = line.strip().partition(" ")
                if word != "done":
                    raise InputError(rest)
                yield int(rest)
        if any(process.wait() for process in running):
            raise InputError(f"{dataset.name}: a process that drew graphs was ended; start again to go on")
    finally:
        for process in running:
            process.terminate()
            process.wait()


def _num_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _remove_stale(folder: Path) -> None:
    """Remove unfinished files of processes that were killed."""
    for path in folder.glob(".*.tmp"):
        try:
            if time.time() - path.stat().st_mtime > STALE_SECONDS:
                path.unlink()
        except FileNotFoundError:
            pass  # Another process was faster.


def find_file(dataset: Dataset, data_root: str | PathLike[str] | None = None) -> Path | None:
    """Return the file of a stored set in the data folder, else in the cache, else None."""
    name, folder = dataset.stored.file, data_folder(data_root)
    if folder is not None and (folder / name).exists():
        return folder / name
    return min(_real_folder().glob(f"{dataset.name}@*.npz"), default=None)


def is_cached(path: Path) -> bool:
    """Tell whether a file was made by `download`, and is named by its checksum."""
    return path.parent == _real_folder()


def read_file(dataset: Dataset, path: Path) -> Graph:
    """Read all graphs of a stored set, and check their number and mean sizes."""
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
        with temporary_download(origin.url, opener=opener) as archive:
            try:
                graph = origin.convert(archive)
            except GraphFileError as error:
                # The archive is a temporary file: its address says more.
                raise InputError(error.rule, origin=origin.url) from None
            check_statistics(dataset, graph, origin.url)
    except InputError as error:
        raise InputError(f"{dataset.name}: {error}; or {place}") from None
    content = write_npz(graph)
    path = _real_folder() / f"{dataset.name}@{hashlib.sha256(content).hexdigest()}.npz"
    with file_errors(path, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        store(path, content)
    return path


def _real_folder() -> Path:
    return cache_folder() / "real"
