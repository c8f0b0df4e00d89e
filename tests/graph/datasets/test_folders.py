from __future__ import annotations

import sys
from pathlib import Path

import pytest

from annealco.graph.datasets.folders import cache_folder, data_folder
from annealco.graph.errors import InputError


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
