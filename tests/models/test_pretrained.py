from __future__ import annotations

import json

import pytest

from annealco.errors import InputError
from annealco.graph.generators import generate
from annealco.models import pretrained
from annealco.problems import PROBLEMS
from annealco.solving.solve import solve

MOST_BYTES = 2**20


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


@pytest.mark.parametrize("text", ["{", "[]", "{}", ""])
def test_a_damaged_file_is_named(weights, text):
    (weights / "b" / "model.json").write_text(text)
    with pytest.raises(InputError, match=r"b.model\.json: this does not describe a network; install annealco anew"):
        pretrained.shipped_folder("colour")


def test_of_two_networks_for_a_task_none_is_chosen_by_name(weights):
    (weights / "c").mkdir()
    (weights / "c" / "model.json").write_text(json.dumps({"problem": "pack"}))
    with pytest.raises(InputError, match=r"two networks are here for pack, .*b and .*c: one must go"):
        pretrained.shipped_folder("colour")


def test_a_package_without_networks_says_so(weights):
    for name in ("a", "b"):
        (weights / name / "model.json").unlink()
    pretrained.shipped.cache_clear()
    with pytest.raises(InputError, match="there are none; 'annealco train route' makes one"):
        pretrained.shipped_folder("route")


def test_there_is_a_small_network_with_a_card_for_every_problem_of_the_paper():
    assert set(pretrained.shipped()) == {"mis", "clique", "mds", "max_cut", "cut"}
    for task, folder in pretrained.shipped().items():
        assert sum(file.stat().st_size for file in folder.iterdir()) < MOST_BYTES
        assert f"for `{task}`" in (folder / "README.md").read_text()


@pytest.mark.parametrize("task", ["mis", "clique", "mds", "max_cut", "cut"])
def test_shipped_networks_propose_feasible_sets_better_than_none(task):
    """On a few drawn graphs that no training saw: seeds of training data are 0."""
    graphs = generate("rb-small" if task in {"mis", "clique"} else "ba-small", count=5, seed=987)
    options = {"polish": False, "bound": False, "time_limit": 60, "num_threads": 1}
    alone = solve(list(graphs), task, **options)
    proposed = solve(list(graphs), task, model="auto", restarts=4, **options)
    sign = 1 if PROBLEMS[task].sense == "max" else -1
    assert sign * sum(each.value for each in proposed) > sign * sum(each.value for each in alone)
