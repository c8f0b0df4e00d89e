"""Settings for the tests of the sets."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep the user's cache out of the tests."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("ANNEALCO_CACHE", str(folder))
    return folder
