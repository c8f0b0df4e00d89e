from __future__ import annotations

import json

import pytest

from annealco.graph.errors import InputError
from annealco.models import pretrained


@pytest.fixture
def weights(tmp_path, monkeypatch):
    for name, task in (("a", "colour"), ("b", "pack")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.json").write_text(json.dumps({"problem": task}))
    monkeypatch.setattr(pretrained, "WEIGHTS", tmp_path)
    pretrained.shipped.cache_clear()
    yield tmp_path
    pretrained.shipped.cache_clear()


def test_what_a_network_is_for_stands_in_its_file(weights):
    assert pretrained.shipped_folder("pack") == weights / "b"
    (weights / "b").rename(weights / "colour")
    pretrained.shipped.cache_clear()
    assert pretrained.shipped_folder("pack") == weights / "colour"


def test_a_task_without_a_network_is_told(weights):
    with pytest.raises(InputError, match=r"no network comes with annealco for route: there are some for colour, pack"):
        pretrained.shipped_folder("route")


def test_a_package_without_networks_says_so(weights):
    for name in ("a", "b"):
        (weights / name / "model.json").unlink()
    pretrained.shipped.cache_clear()
    with pytest.raises(InputError, match="there are none; 'annealco train route' makes one"):
        pretrained.shipped_folder("route")
