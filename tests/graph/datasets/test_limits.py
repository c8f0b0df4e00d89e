from __future__ import annotations

from pathlib import Path

import pytest

from annealco.graph.datasets.limits import check_count, check_disk, check_memory
from annealco.graph.datasets.registry import DATASETS
from annealco.graph.errors import InputError


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
