from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annealco.datasets.cache import (
    CHUNK,
    MOST_BYTES,
    all_chunks,
    cache_folder,
    check_count,
    check_disk,
    check_memory,
    data_folder,
    download,
    file_digest,
    find_file,
    fingerprint,
    is_cached,
    make_chunk,
    make_chunks,
    present_chunks,
    read_chunk,
    read_file,
    remove_damaged,
    set_folder,
    split_folder,
)
from annealco.datasets.readers import tu_reader
from annealco.datasets.registry import DATASETS, Dataset
from annealco.errors import GraphFileError, InputError
from annealco.graph.formats import write_graph
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from tests.datasets.samples import TU_FILES, paths, small_set, write_zip
from tests.waiting import PATIENCE


def test_the_data_folder_is_given_or_named_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANNEALCO_DATA", raising=False)
    assert data_folder() is None
    (tmp_path / "own").mkdir()
    monkeypatch.setenv("ANNEALCO_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    assert data_folder(tmp_path / "own") == tmp_path / "own"


def test_a_missing_data_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANNEALCO_DATA", str(tmp_path / "x"))
    with pytest.raises(InputError, match=r"x: the data folder \(ANNEALCO_DATA\) does not exist"):
        data_folder()
    with pytest.raises(InputError, match="y: the data folder does not exist"):
        data_folder(tmp_path / "y")


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("linux", "home/.cache/annealco"),
        ("darwin", "home/Library/Caches/annealco"),
        ("win32", "home/AppData/Local/annealco/Cache"),
    ],
)
def test_the_cache_is_where_the_system_has_it(
    platform: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANNEALCO_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    assert cache_folder() == tmp_path / expected


def test_the_environment_moves_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a"))
    assert cache_folder().name.startswith("cache")
    monkeypatch.delenv("ANNEALCO_CACHE")
    if sys.platform == "linux":
        assert cache_folder() == tmp_path / "a" / "annealco"


def test_everything_counts_but_the_type_that_holds_it() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2]], graph_data={"name": ["a"], "y": np.array([1], np.uint8)})
    first = fingerprint(graph)
    assert fingerprint(replace(graph, graph_data={"name": np.array(["a"]), "y": np.array([1])})) == first
    others = [
        graph.with_weights(node_weight=[1, 2, 1]),
        graph.with_weights(edge_weight=[1, 2]),
        Graph.from_edges([[0, 1], [1, 2]], 4, graph_data=graph.graph_data),
        Graph.from_edges([[0, 0], [1, 2]], graph_data=graph.graph_data),
        replace(graph, graph_data={"name": np.array(["b"]), "y": np.array([1])}),
        replace(graph, graph_data={"name": np.array(["a"]), "z": np.array([1])}),
        replace(graph, node_data={"y": np.zeros(3)}),
    ]
    assert len({first, *map(fingerprint, others)}) == 1 + len(others)


def test_it_is_what_the_arrays_written_out_give() -> None:
    graph = generate("rb-small", count=2, seed=1)
    text = hashlib.sha256()
    arrays = {
        "edge_weight": (graph.edge_weight, "<f8"),
        "edges": (graph.edges, "<i8"),
        "graph.num_groups": (graph.graph_data["num_groups"], "<i8"),
        "graph.planted_size": (graph.graph_data["planted_size"], "<i8"),
        "node.group": (graph.node_data["group"], "<i8"),
        "node.planted": (graph.node_data["planted"], "<i8"),
        "node_ptr": (graph.node_ptr, "<i8"),
        "node_weight": (graph.node_weight, "<f8"),
    }
    for name, (array, kind) in arrays.items():
        text.update(f"{name} {list(array.shape)} ".encode() + array.astype(kind).tobytes())
    assert fingerprint(graph) == text.hexdigest()


def test_files_are_hashed_whole(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    assert file_digest(tmp_path / "file") == hashlib.sha256(b"abc").hexdigest()
    assert file_digest(tmp_path / "file", place="x/") == hashlib.sha256(b"x/abc").hexdigest()


def test_files_that_are_too_large_are_not_read(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(GraphFileError, match=r"it has 4,294,967,297 bytes, the most are 4,294,967,296"):
        file_digest(tmp_path / "file")


def test_usual_sets_fit(tmp_path: Path) -> None:
    check_memory(DATASETS["rb-small"], 100)
    check_disk(DATASETS["rb-small"], 100, tmp_path / "not" / "there")
    assert check_count(2000) == 2000


def test_absurd_sets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"^1,000,000,000 graphs of rb-small need about .* GiB of memory, .* a smaller"
    ):
        check_memory(DATASETS["rb-small"], 10**9)
    with pytest.raises(InputError, match="GiB of room in"):
        check_disk(DATASETS["rb-large"], 10**9, tmp_path / "not" / "there")
    with pytest.raises(InputError, match="count must be at most 1073741824, not 1000000000000"):
        check_count(10**12)
    with pytest.raises(InputError, match="count must be at least 0, not -1"):
        check_count(-1)


BA = DATASETS["ba-small"]


def test_a_chunk_holds_the_drawn_graphs_and_tells_its_checksum(cache: Path) -> None:
    make_chunk(BA, "train", seed=1, start=CHUNK)
    folder = split_folder(BA, "train", 1)
    assert cache in folder.parents
    (path,) = folder.iterdir()
    digest = hashlib.sha256(b"ba-small-v1/seed1/train/20" + path.read_bytes()).hexdigest()
    assert path.name == f"{CHUNK:010d}-{digest}.npz"
    assert present_chunks(folder) == {CHUNK: path}
    expected = generate("ba-small", count=CHUNK, seed=1, start=CHUNK)
    assert fingerprint(read_chunk(path)) == fingerprint(expected)


def test_what_is_there_is_not_made_again() -> None:
    make_chunk(BA, "test", seed=0, start=0)
    (path,) = split_folder(BA, "test", 0).iterdir()
    before = path.stat().st_mtime_ns
    make_chunk(BA, "test", seed=0, start=0)
    assert path.stat().st_mtime_ns == before
    make_chunk(BA, "validation", seed=0, start=0)
    make_chunk(BA, "test", seed=5, start=0)
    assert len(list(all_chunks(BA))) == 3


def test_unfinished_and_foreign_files_do_not_count() -> None:
    folder = split_folder(BA, "train", 0)
    folder.mkdir(parents=True)
    for name in (".0123.tmp", "0000000000.npz", "0000000000-abc.npz", "notes.txt"):
        (folder / name).touch()
    assert present_chunks(folder) == {}


def test_every_flipped_byte_is_noticed() -> None:
    make_chunk(BA, "train", seed=0, start=0)
    (path,) = split_folder(BA, "train", 0).iterdir()
    good = path.read_bytes()
    for position in range(0, len(good), 997):
        path.write_bytes(good[:position] + bytes([good[position] ^ 1]) + good[position + 1 :])
        with pytest.raises(GraphFileError, match="it is damaged: its SHA-256"):
            read_chunk(path)
    path.write_bytes(good)
    assert read_chunk(path).num_graphs == CHUNK


@pytest.mark.parametrize("place", ["ba-large-v1/seed0/train", "ba-small-v1/seed0/test", "ba-small-v1/seed1/train"])
def test_a_file_of_another_set_split_or_seed_is_noticed(place: str) -> None:
    make_chunk(BA, "train", seed=0, start=0)
    (path,) = split_folder(BA, "train", 0).iterdir()
    folder = set_folder(BA).parent / place
    folder.mkdir(parents=True)
    moved = path.rename(folder / path.name)
    with pytest.raises(GraphFileError, match="it is damaged: its SHA-256"):
        read_chunk(moved)
    with pytest.raises(GraphFileError, match="it is damaged: its SHA-256"):
        read_chunk(moved.rename(path.with_name(f"{CHUNK:010d}{path.name[10:]}")))
    assert read_chunk(path.with_name(f"{CHUNK:010d}{path.name[10:]}").rename(path)).num_graphs == CHUNK


def test_damaged_files_are_removed_and_others_kept() -> None:
    for start in (0, CHUNK, 2 * CHUNK):
        make_chunk(BA, "train", seed=0, start=start)
    folder = split_folder(BA, "train", 0)
    assert remove_damaged(folder) == 0
    chunks = present_chunks(folder)
    chunks[0].write_bytes(b"other")
    chunks[CHUNK].unlink()
    os.mkfifo(chunks[CHUNK])
    assert remove_damaged(folder) == 2
    assert present_chunks(folder) == {2 * CHUNK: chunks[2 * CHUNK]}
    assert remove_damaged(folder / "none") == 0


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "file"))
    with pytest.raises(GraphFileError, match="cannot be written"):
        make_chunk(BA, "train", seed=0, start=0)


ER = DATASETS["er-small"]


def contents(split: str = "train") -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in split_folder(ER, split, 0).iterdir()}


def test_processes_make_what_one_makes() -> None:
    done = list(make_chunks(ER, "train", seed=0, count=4 * CHUNK + 1, processes=1))
    assert done == [CHUNK * place for place in range(5)]
    alone = contents()
    for path in split_folder(ER, "train", 0).iterdir():
        path.unlink()
    make_chunk(ER, "train", seed=0, start=CHUNK)
    # Chunks that are there are reported by whoever has their turn.
    assert sorted(make_chunks(ER, "train", seed=0, count=4 * CHUNK + 1, processes=2)) == done
    assert contents() == alone
    assert list(make_chunks(ER, "train", seed=0, count=5 * CHUNK, processes=2)) == []


def test_a_process_that_fails_is_told(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    with pytest.raises(InputError, match="seed must be at most"):
        list(make_chunks(ER, "train", seed=2**64, count=3 * CHUNK, processes=2))


def test_absurd_counts_are_refused_before_anything_is_made(cache: Path) -> None:
    with pytest.raises(InputError, match="ask for a smaller count"):
        list(make_chunks(ER, "train", seed=0, count=10**9))
    assert list(cache.iterdir()) == []


def test_old_unfinished_files_are_removed() -> None:
    folder = split_folder(ER, "train", 0)
    folder.mkdir(parents=True)
    for name in (".old.tmp", ".new.tmp"):
        (folder / name).touch()
    os.utime(folder / ".old.tmp", (0, 0))
    list(make_chunks(ER, "train", seed=0, count=1))
    assert not (folder / ".old.tmp").exists()
    assert (folder / ".new.tmp").exists()


DYING = """
import os, signal, sys
from annealco.datasets import DATASETS
from annealco.datasets.cache import make_chunks

dataset, count, chunks = DATASETS["er-small"], int(sys.argv[1]), int(sys.argv[2])
for number, _ in enumerate(make_chunks(dataset, "train", seed=0, count=count, processes=2), 1):
    if number == chunks:
        # The group has the program and the processes that draw for it.
        os.killpg(0, signal.SIGKILL)
"""


@pytest.mark.processes
@pytest.mark.parametrize("chunks", [1, 3])
def test_a_killed_program_leaves_nothing_corrupt_and_goes_on(chunks: int) -> None:
    count, folder = 12 * CHUNK, split_folder(ER, "train", 0)
    command = [sys.executable, "-c", DYING, str(count), str(chunks)]
    killed = subprocess.run(command, start_new_session=True, timeout=PATIENCE, check=False)
    assert killed.returncode == -signal.SIGKILL
    left = present_chunks(folder)
    assert chunks <= len(left)
    for start, path in left.items():
        assert read_chunk(path).equals(generate("er-small", count=CHUNK, seed=0, start=start))
    list(make_chunks(ER, "train", seed=0, count=count))
    whole = present_chunks(folder)
    assert sorted(whole) == list(range(0, count, CHUNK))
    assert whole.items() >= left.items()
    assert read_chunk(whole[11 * CHUNK]).equals(generate("er-small", count=CHUNK, seed=0, start=11 * CHUNK))


@pytest.mark.processes
def test_processes_end_with_the_program_that_started_them() -> None:
    program = (
        "from annealco.datasets.cache import make_chunks; from annealco.datasets import DATASETS\n"
        "for _ in make_chunks(DATASETS['er-large'], 'train', seed=0, count=20000, processes=2): print(flush=True)"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.kill()
        # They share the error stream: it ends with the last of them.
        assert process.stderr.read() == b""
    assert len(present_chunks(split_folder(DATASETS["er-large"], "train", 0))) < 20000 / CHUNK


@pytest.fixture
def _no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANNEALCO_DATA", raising=False)


def tiny(tmp_path: Path, **changes: object) -> Dataset:
    path = write_zip(tmp_path / "TINY.zip", TU_FILES)
    facts = {"name": "tiny", "graphs": 2, "mean_nodes": 3.5, "mean_edges": 3.0}
    return small_set(path.as_uri(), tu_reader("TINY"), **{**facts, **changes})


@pytest.mark.usefixtures("_no_data")
def test_the_data_folder_comes_before_the_cache(tmp_path: Path) -> None:
    dataset = tiny(tmp_path)
    assert find_file(dataset) is None
    cached = download(dataset)
    assert find_file(dataset, tmp_path) == cached
    (tmp_path / "PATHS.npz").touch()
    assert find_file(dataset, tmp_path) == tmp_path / "PATHS.npz"
    assert is_cached(cached)
    assert not is_cached(tmp_path / "PATHS.npz")


@pytest.mark.usefixtures("_no_data")
def test_an_archive_is_downloaded_converted_and_kept(tmp_path: Path) -> None:
    dataset = tiny(tmp_path)
    path = download(dataset)
    assert find_file(dataset) == path
    graph = read_file(dataset, path)
    assert (graph.num_graphs, graph.num_nodes, graph.num_edges) == (2, 7, 6)
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"x")
    with pytest.raises(GraphFileError, match="it is damaged"):
        read_file(dataset, path)


@pytest.mark.usefixtures("_no_data")
def test_an_archive_of_another_size_is_not_kept(tmp_path: Path, cache: Path) -> None:
    dataset = tiny(tmp_path, mean_edges=3.5)
    with pytest.raises(InputError, match=r"TINY\.zip: tiny has 3\.5 edges on average, this has 3\.00; or put PATHS"):
        download(dataset)
    assert list(cache.iterdir()) == []


@pytest.mark.usefixtures("_no_data")
def test_being_offline_names_set_address_and_remedy(tmp_path: Path) -> None:
    dataset = small_set("https://example.org/a.zip", tu_reader("TINY"))

    def offline(url: str) -> None:
        raise OSError("network is unreachable")

    with pytest.raises(InputError) as caught:
        download(dataset, opener=offline)
    assert str(caught.value) == (
        "paths: https://example.org/a.zip: cannot be downloaded: network is unreachable; "
        "or put PATHS.npz into a folder and name it by ANNEALCO_DATA or --data-root"
    )


@pytest.mark.usefixtures("_no_data")
def test_a_broken_archive_is_named_by_its_address(tmp_path: Path) -> None:
    dataset = tiny(tmp_path)
    (tmp_path / "TINY.zip").write_bytes(b"<html>")
    with pytest.raises(InputError, match=r"tiny: file://.*TINY\.zip: the archive is damaged"):
        download(dataset)


@pytest.mark.usefixtures("_no_data")
def test_a_set_without_an_archive_says_where_to_put_it() -> None:
    with pytest.raises(InputError, match=r"paths has no public archive; put PATHS\.npz into a folder"):
        download(small_set())


@pytest.mark.usefixtures("_no_data")
def test_a_file_of_another_size_is_refused(tmp_path: Path) -> None:
    write_graph(paths(), tmp_path / "PATHS.npz")
    assert read_file(small_set(), tmp_path / "PATHS.npz").num_graphs == 10
    write_graph(paths()[1:], tmp_path / "PATHS.npz")
    with pytest.raises(InputError, match=r"PATHS\.npz: paths has 10 graphs, this has 9"):
        read_file(small_set(), tmp_path / "PATHS.npz")
