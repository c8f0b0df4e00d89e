from __future__ import annotations

from pathlib import Path

import pytest

from annealco.datasets.cache import download, find_file, is_cached, read_file
from annealco.datasets.readers import tu_reader
from annealco.datasets.registry import Dataset
from annealco.errors import GraphFileError, InputError
from annealco.graph.formats import write_graph
from tests.datasets.samples import TU_FILES, paths, small_set, write_zip


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANNEALCO_DATA", raising=False)


def tiny(tmp_path: Path, **changes: object) -> Dataset:
    path = write_zip(tmp_path / "TINY.zip", TU_FILES)
    facts = {"name": "tiny", "graphs": 2, "mean_nodes": 3.5, "mean_edges": 3.0}
    return small_set(path.as_uri(), tu_reader("TINY"), **{**facts, **changes})


def test_the_data_folder_comes_before_the_cache(tmp_path: Path) -> None:
    dataset = tiny(tmp_path)
    assert find_file(dataset) is None
    cached = download(dataset)
    assert find_file(dataset, tmp_path) == cached
    (tmp_path / "PATHS.npz").touch()
    assert find_file(dataset, tmp_path) == tmp_path / "PATHS.npz"
    assert is_cached(cached)
    assert not is_cached(tmp_path / "PATHS.npz")


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


def test_an_archive_of_another_size_is_not_kept(tmp_path: Path, cache: Path) -> None:
    dataset = tiny(tmp_path, mean_edges=3.5)
    with pytest.raises(InputError, match=r"TINY\.zip: tiny has 3\.5 edges on average, this has 3\.00; or put PATHS"):
        download(dataset)
    assert list(cache.iterdir()) == []


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


def test_a_broken_archive_is_named_by_its_address(tmp_path: Path) -> None:
    dataset = tiny(tmp_path)
    (tmp_path / "TINY.zip").write_bytes(b"<html>")
    with pytest.raises(InputError, match=r"tiny: file://.*TINY\.zip: the archive is damaged"):
        download(dataset)


def test_a_set_without_an_archive_says_where_to_put_it() -> None:
    with pytest.raises(InputError, match=r"paths has no public archive; put PATHS\.npz into a folder"):
        download(small_set())


def test_a_file_of_another_size_is_refused(tmp_path: Path) -> None:
    write_graph(paths(), tmp_path / "PATHS.npz")
    assert read_file(small_set(), tmp_path / "PATHS.npz").num_graphs == 10
    write_graph(paths()[1:], tmp_path / "PATHS.npz")
    with pytest.raises(InputError, match=r"PATHS\.npz: paths has 10 graphs, this has 9"):
        read_file(small_set(), tmp_path / "PATHS.npz")
