from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import annealco
from annealco.graph.errors import InputError
from annealco.models import MODELS, build_model
from annealco.problems import PROBLEMS
from annealco.training.bundle import read_bundle, write_bundle
from annealco.training.checkpoint import load, save_model
from annealco.training.trained import TrainedModel
from tests.training.small_runs import new_model, small_graphs

SMALL: dict[str, dict[str, Any]] = {
    "field": {"width": 4, "num_steps": 6},
    "erdos": {"width": 8},
    "run_csp": {"width": 4},
    "two_sided": {"width": 4, "num_steps": 2},
    "tiny": {},
}


@pytest.mark.parametrize("name", SMALL)
def test_every_network_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    assert set(SMALL) == set(MODELS)
    model = build_model(name, **SMALL[name])
    # Erdos draws its seed nodes, so the instance must be the same object's.
    graph = small_graphs(3)
    instance = PROBLEMS["mis"].declare(graph)
    trained = TrainedModel(model, "mis", num_restarts=3, record={"metrics": {"ratio": 0.5}})
    trained.save(tmp_path / "a" / "b")
    again = annealco.load(tmp_path / "a" / "b")
    assert again.problem == "mis"
    assert again.record == {"metrics": {"ratio": 0.5}}
    assert again.model.settings == model.settings
    assert not again.model.training
    assert np.array_equal(trained(graph, instance), again.with_settings(num_restarts=3)(graph, instance))


def test_the_file_says_what_it_is(tmp_path: Path) -> None:
    save_model(tmp_path, new_model(), problem="mds", record={})
    content = json.loads((tmp_path / "model.json").read_text())
    assert content["format"] == "annealco model"
    assert content["annealco"] == annealco.__version__
    assert (content["problem"], content["model"], content["settings"]) == ("mds", "tiny", {"width": 4, "num_steps": 3})


def change(folder: Path, entries: dict[str, Any], tensors: dict[str, Any]) -> None:
    content, old = read_bundle(folder / "model.json")
    kept = {name: tensor for name, tensor in (old | tensors).items() if tensor is not None}
    write_bundle(folder / "model.json", content | entries, kept)


@pytest.mark.parametrize(
    ("entries", "tensors", "message"),
    [
        ({"version": 9}, {}, "it has version 9 of the format, this package reads version 1"),
        ({"format": "other"}, {}, "'format' must be 'annealco model'"),
        ({"problem": 3}, {}, "'problem' must be of type str"),
        ({"settings": [1]}, {}, "'settings' must be of type dict"),
        ({"record": None}, {}, "'record' must be of type dict"),
        ({"model": "transformer"}, {}, "unknown model 'transformer'; choose one of field"),
        ({"settings": {"depth": 3}}, {}, "unknown setting 'depth' of model tiny"),
        ({"settings": {"width": "wide"}}, {}, "setting width of model tiny must be a whole number"),
        ({"settings": {"width": -2}}, {}, "the settings of model tiny are not possible"),
        ({"settings": {"width": 60_000}}, {}, r"'first.weight' must have shape \[1, 60001\], it has \[1, 5\]"),
        ({}, {"update.bias": None}, "its weights lack the tensor 'update.bias'"),
        ({}, {"extra": torch.zeros(1)}, "its weights have a tensor 'extra' that the network does not know"),
        ({}, {"update.bias": torch.zeros(2)}, r"'update.bias' must have shape \[1\], it has \[2\]"),
        ({}, {"update.bias": torch.zeros(1, dtype=torch.int64)}, "'update.bias' must be torch.float32"),
        ({}, {"update.bias": torch.zeros(1, dtype=torch.float16)}, "must be torch.float32, it is torch.float16"),
        ({}, {"update.bias": torch.zeros(1, dtype=torch.bfloat16)}, "must be torch.float32, it is torch.bfloat16"),
        ({}, {"update.bias": torch.full((1,), 1e300, dtype=torch.float64)}, "float32, it is torch.float64"),
        ({}, {"update.bias": torch.zeros(1).to(torch.float8_e4m3fn)}, "float32, it is torch.float8_e4m3fn"),
        ({"record": {"recipe": 5}}, {}, "'recipe' must be of type dict, it is 5"),
        ({"record": {"recipe": {"loss": 5}}}, {}, "'loss' of the recipe must be text, it is 5"),
        ({"record": {"recipe": {"tau0": "hot"}}}, {}, "'tau0' of the recipe must be a number, it is 'hot'"),
        ({"record": {"metrics": []}}, {}, r"'metrics' must be of type dict, it is \[\]"),
        ({"record": {"metrics": {"ratio": "good"}}}, {}, "'ratio' must be of type int or float, it is 'good'"),
        ({}, {"update.bias": torch.tensor([float("nan")])}, "'update.bias' has entries that are not finite"),
    ],
)
def test_files_that_break_a_rule_are_refused(
    entries: dict[str, Any], tensors: dict[str, Any], message: str, tmp_path: Path
) -> None:
    save_model(tmp_path, new_model(), problem="mis", record={})
    change(tmp_path, entries, tensors)
    with pytest.raises(InputError, match=message) as caught:
        load(tmp_path)
    assert str(caught.value).startswith(str(tmp_path / "model.json"))
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no trained model in it, model.json is missing"):
        load(tmp_path)
    (tmp_path / "file").touch()
    for path, rule in {
        tmp_path / "file": "it is not a folder",
        tmp_path / "file" / "sub": "cannot be used: not a directory",
        "x" * 5000: "cannot be used: file name too long",
        "a\0b": "this is not a possible file name",
        "": "must be the path of a folder, it is ''",
        None: "must be the path of a folder, it is None",
    }.items():
        with pytest.raises(InputError, match=rule):
            save_model(path, new_model(), problem="mis", record={})  # type: ignore[arg-type]
        with pytest.raises(InputError, match=rule):
            load(path)  # type: ignore[arg-type]
