"""Say where data lies: the folder with the real sets, and the cache."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from annealco.graph.errors import InputError

DATA_VARIABLE = "ANNEALCO_DATA"
CACHE_VARIABLE = "ANNEALCO_CACHE"


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
