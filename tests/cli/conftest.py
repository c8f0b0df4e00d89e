"""Settings for the tests of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _plain_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Write one good file, one that needs normalising and one that is broken."""
    contents = {
        "path.col": "p edge 4 2\ne 1 2\ne 2 3\n",
        "twice.col": "p edge 3 3\ne 1 2\ne 2 1\ne 2 3\n",
        "broken.col": "p edge 3 1\ne 1 9\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    return {name.partition(".")[0]: tmp_path / name for name in contents}


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the user's cache and data folder out of the tests."""
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.delenv("ANNEALCO_DATA", raising=False)
