from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from annealco.errors import InputError
from annealco.experiments import networks as sets
from annealco.experiments.networks import present_sets
from annealco.experiments.run_folder import RunFolder
from tests.experiments.tiny import TINY


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ANNEALCO_DATA", raising=False)
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "cache"))


def test_what_is_absent_is_left_out_with_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = RunFolder(tmp_path / "run", name="mis", scale=TINY)
    assert present_sets(folder, ["rb-small", "twitter", "ba-small"]) == ["rb-small", "ba-small"]
    [note] = folder.notes
    assert note == "twitter is left out: there is no TWITTER.npz in a folder that ANNEALCO_DATA names"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "TWITTER.npz").touch()
    monkeypatch.setenv("ANNEALCO_DATA", str(tmp_path / "data"))
    assert present_sets(folder, ["twitter"]) == ["twitter"]


def test_or_it_is_downloaded_or_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = RunFolder(tmp_path / "run", name="mis", scale=replace(TINY, skips_absent=False))
    # There is no public archive of this one.
    with pytest.raises(InputError, match=r"put SF-295-subset\.npz into a folder and name it by ANNEALCO_DATA"):
        present_sets(folder, ["rb-small", "sf295-subset"])
    asked = []
    monkeypatch.setattr(sets, "download", asked.append)
    assert present_sets(folder, ["twitter"]) == ["twitter"]
    assert [each.name for each in asked] == ["twitter"]
    assert folder.notes == []
