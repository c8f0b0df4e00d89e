from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import annealco
from annealco.errors import InputError
from annealco.files import DiskError
from annealco.models import MODELS, build_model
from annealco.models.pretrained import check_format, require, require_number
from annealco.problems import PROBLEMS
from annealco.training.checkpoint import (
    load,
    read_bundle,
    save_model,
    tensor_files,
    write_bundle,
)
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


TENSORS = {"a": torch.arange(6.0).reshape(2, 3), "b.c": torch.tensor(3, dtype=torch.int64)}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    write_bundle(path, {"x": [1, 2.5, None]}, TENSORS)
    content, tensors = read_bundle(path)
    assert content["x"] == [1, 2.5, None]
    assert tensors.keys() == TENSORS.keys()
    assert all(torch.equal(tensors[name], TENSORS[name]) for name in TENSORS)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(["some.json", content["tensors"]])


def test_a_new_one_takes_the_place_of_the_old_with_its_tensors(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    other = tmp_path / "some-where.safetensors"
    other.write_bytes(b"not ours")
    write_bundle(path, {}, TENSORS)
    write_bundle(path, {}, {"a": torch.zeros(2)})
    assert read_bundle(path)[1]["a"].tolist() == [0.0, 0.0]
    assert len(tensor_files(path)) == 1
    assert other.exists()


@pytest.mark.parametrize("renames", [0, 1])
def test_a_write_that_fails_on_the_way_leaves_the_old_one(
    renames: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "some.json"
    write_bundle(path, {"n": 1}, TENSORS)
    done = []

    def fail(self: Path, target: Path) -> Path:
        if len(done) == renames:
            raise OSError(28, "No space left on device")
        done.append(target)
        return self.rename(target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(DiskError, match="cannot be written: no space left"):
        write_bundle(path, {"n": 2}, {"a": torch.zeros(2)})
    content, tensors = read_bundle(path)
    assert content["n"] == 1
    assert torch.equal(tensors["a"], TENSORS["a"])


def test_shared_and_transposed_tensors_are_written_as_they_are(tmp_path: Path) -> None:
    whole = torch.arange(6.0).reshape(2, 3)
    write_bundle(tmp_path / "x.json", {}, {"a": whole, "b": whole.T, "c": whole[0]})
    tensors = read_bundle(tmp_path / "x.json")[1]
    assert torch.equal(tensors["b"], whole.T)
    assert torch.equal(tensors["c"], whole[0])


def replace_tensors(path: Path, packed: bytes) -> None:
    """Put other bytes in the place of the tensors, and vouch for them."""
    content = json.loads(path.read_text())
    path.with_name(content["tensors"]).write_bytes(packed)
    path.write_text(json.dumps({**content, "sha256": hashlib.sha256(packed).hexdigest()}))


def tensors_of(path: Path) -> Path:
    return path.with_name(json.loads(path.read_text())["tensors"])


def edit(path: Path, **entries: object) -> None:
    content = json.loads(path.read_text()) | entries
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))


BREAKING: dict[str, Callable[[Path], object]] = {
    "cut tensors": lambda path: tensors_of(path).write_bytes(tensors_of(path).read_bytes()[:-3]),
    "changed tensors": lambda path: tensors_of(path).write_bytes(tensors_of(path).read_bytes()[:-1] + b"\x07"),
    "no tensors": lambda path: tensors_of(path).unlink(),
    "not safetensors": lambda path: replace_tensors(path, b"garbage that is long enough"),
    "huge header": lambda path: replace_tensors(path, b"\xff" * 8 + b"{}"),
    "cut json": lambda path: path.write_text(path.read_text()[:-5]),
    "list": lambda path: path.write_text("[1]"),
    "deep": lambda path: path.write_text("[" * 100_000),
    "elsewhere": lambda path: edit(path, tensors="../../etc/passwd"),
    "no digest": lambda path: edit(path, sha256=None),
    "number": lambda path: edit(path, tensors=3),
}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("cut tensors", r"some-\w+.safetensors: this is not the file that some.json describes: it is truncated"),
        ("changed tensors", "truncated or was changed"),
        ("no tensors", "cannot be read: no such file"),
        ("not safetensors", "this is no safetensors file"),
        ("huge header", "this is no safetensors file"),
        ("cut json", "some.json: this is not JSON, or it is truncated"),
        ("list", "a JSON object is needed, not a list"),
        ("deep", "this is not JSON"),
        ("elsewhere", "must be named some-DIGEST.safetensors, not '../../etc/passwd'"),
        ("no digest", "'sha256' is missing"),
        ("number", "'tensors' must be of type str, it is 3"),
    ],
)
def test_broken_files_are_refused(how: str, message: str, tmp_path: Path) -> None:
    write_bundle(tmp_path / "some.json", {}, TENSORS)
    BREAKING[how](tmp_path / "some.json")
    with pytest.raises(InputError, match=message) as caught:
        read_bundle(tmp_path / "some.json")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("which", ["json", "tensors"])
def test_pipes_and_devices_are_not_waited_for(which: str, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    write_bundle(path, {}, TENSORS)
    file = path if which == "json" else tensors_of(path)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(InputError, match=f"{file.name}: cannot be read: it is no regular file"):
        read_bundle(path)
    file.unlink()
    file.symlink_to("/dev/zero")
    with pytest.raises(InputError, match="it is no regular file"):
        read_bundle(path)


def test_a_folder_of_the_name_of_tensors_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "some-0123456789abcdef.safetensors").mkdir()
    write_bundle(tmp_path / "some.json", {}, TENSORS)
    write_bundle(tmp_path / "some.json", {}, {"a": torch.zeros(2)})
    assert (tmp_path / "some-0123456789abcdef.safetensors").is_dir()
    assert len(tensor_files(tmp_path / "some.json")) == 1


def test_types_and_versions_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    assert require(path, {"n": 2}, "n", (int, float)) == 2
    with pytest.raises(InputError, match="'n' must be of type int, it is True"):
        require(path, {"n": True}, "n", int)
    assert require_number(path, {"n": 2}, "n", 0, 2) == 2.0
    for bad in (float("nan"), float("inf"), -1, 10**400):
        with pytest.raises(InputError, match="'n' must be a number from 0 to 2, it is"):
            require_number(path, {"n": bad}, "n", 0, 2)
    check_format(path, {"format": "it", "version": 1}, "it", 1)
    with pytest.raises(InputError, match="'format' must be 'it', it is None"):
        check_format(path, {}, "it", 1)
    with pytest.raises(InputError, match="it has version 2 of the format, this package reads version 1"):
        check_format(path, {"format": "it", "version": 2}, "it", 1)
