from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from annealco.errors import InputError
from annealco.models.pretrained import read_json
from annealco.training.checkpoint import read_bundle, save_model, write_bundle
from annealco.training.state import (
    COLUMNS,
    State,
    check_folder,
    load_state,
    prepare_folder,
    remove_run,
    run_files,
    save_state,
)
from annealco.training.trained import TrainedModel
from tests.training.small_runs import assert_same_run, new_model, new_recipe, small_train

# Three batches an epoch.
DATA = {"source": ["x"], "train": 11, "validation": 2}
RECIPE = new_recipe(data=DATA)
ROW: dict[str, float | None] = {**dict.fromkeys(COLUMNS, 0.1), "epoch": 0, "ratio": 0.75}
NAN, INFINITE = float("nan"), float("inf")


def trained_state() -> tuple[State, Any, Any]:
    """A state after the first epoch and two steps of the second."""
    model = new_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(3 + 2):
        optimizer.zero_grad()
        sum(each.square().sum() for each in model.parameters()).backward()
        optimizer.step()
    state = State(1, 2, (0.1, 1 / 3, -2.5, 8.0), (ROW,), (0.75, 0), (2.0, NAN), (3.0, NAN), False, 12.5)
    return state.with_tensors(model, optimizer), model, optimizer


def test_a_state_comes_back_exactly(tmp_path: Path) -> None:
    state, model, _ = trained_state()
    save_state(tmp_path, state, RECIPE)
    found = load_state(tmp_path, RECIPE, model)
    assert (found.epoch, found.step, found.sums, found.history, found.best) == (1, 2, state.sums, (ROW,), (0.75, 0))
    assert str(found.known) == str(state.known)
    assert found.tensors.keys() == state.tensors.keys()
    assert all(torch.equal(found.tensors[name], state.tensors[name]) for name in state.tensors)


def test_rows_of_a_version_without_a_greedy_rule_are_read(tmp_path: Path) -> None:
    state, model, _ = trained_state()
    old = {name: value for name, value in ROW.items() if name != "greedy"}
    save_state(tmp_path, replace(state, history=(old,)), RECIPE)
    assert load_state(tmp_path, RECIPE, model).history == ({**ROW, "greedy": None},)


def test_an_optimizer_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    state, model, optimizer = trained_state()
    save_state(tmp_path, state, RECIPE)
    other = new_model()
    found = load_state(tmp_path, RECIPE, other)
    other.load_state_dict(found.weights)
    again = torch.optim.Adam(other.parameters(), lr=0.1)
    found.restore(other, again)
    for network, its in ((model, optimizer), (other, again)):
        its.zero_grad()
        sum((each - 1).square().sum() for each in network.parameters()).backward()
        its.step()
    for first, second in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(first, second)


def test_another_recipe_is_refused_by_what_differs(tmp_path: Path) -> None:
    state, model, _ = trained_state()
    save_state(tmp_path, state, RECIPE)
    with pytest.raises(InputError, match=r"cannot be resumed with another recipe: epochs was 5 and is now 6"):
        load_state(tmp_path, replace(RECIPE, epochs=6), model)
    with pytest.raises(InputError, match="data validation was 2 and is now 3; give what was given, or --force"):
        load_state(tmp_path, replace(RECIPE, data={**DATA, "validation": 3}), model)


def test_what_is_not_learned_has_no_moments(tmp_path: Path) -> None:
    state, model, _ = trained_state()
    model.update.bias.requires_grad_(False)
    kept = {name: each for name, each in state.tensors.items() if name.startswith("model") or "update.bias" not in name}
    save_state(tmp_path, replace(state, tensors=kept), RECIPE)
    assert load_state(tmp_path, RECIPE, model).tensors.keys() == kept.keys()


@pytest.mark.parametrize(
    ("entries", "tensors", "message"),
    [
        ({"version": 2}, {}, "version 2 of the format"),
        ({"epoch": "one"}, {}, "'epoch' must be of type int"),
        ({"epoch": 9}, {}, "there is no step 2 of epoch 9 in this run"),
        ({"step": 3}, {}, "there is no step 3 of epoch 1"),
        ({"step": -1}, {}, "there is no step -1 of epoch 1"),
        ({"history": [], "best": None}, {}, "there is no step 2 of epoch 1"),
        ({"history": [3]}, {}, "'history' must be a list of rows of epoch, loss"),
        ({"history": [{**ROW, "extra": 1}]}, {}, "'history' must be a list of rows of epoch, loss"),
        ({"history": [{**ROW, "loss": "low"}]}, {}, "'loss' must be of type int or float, it is 'low'"),
        ({"history": [{**ROW, "loss": NAN}]}, {}, "'loss' must be a number from"),
        ({"history": [{**ROW, "distance": -1}]}, {}, "'distance' must be a number from 0"),
        ({"history": [{**ROW, "epoch": 1}]}, {}, "row 0 of 'history' must be of epoch 0, it is of 1"),
        ({"sums": [1, 2]}, {}, "'sums' must be four numbers"),
        ({"sums": [1, 2, 3, "4"]}, {}, "'sums' must be a list of numbers"),
        ({"sums": [NAN, 2, 3, 8]}, {}, "'sums' must be four numbers that are finite, the last of them 8"),
        ({"sums": [1, 2, 3, -8]}, {}, "'sums' must be four numbers that are finite, the last of them 8"),
        ({"known": [3.0]}, {}, "'known' must be a list of 2 numbers"),
        ({"known": [True, False]}, {}, "'known' must be a list of numbers"),
        ({"known": [3.0, INFINITE]}, {}, "'known' must be a list of numbers"),
        ({"best": None}, {}, r"'best' must be a ratio and an epoch of 'history' that reached it, it is None"),
        ({"best": [2.0, 0]}, {}, r"'best' must be a ratio and an epoch of 'history' that reached it, it is \[2.0, 0\]"),
        ({"best": [0.75, 99]}, {}, "'best' must be a ratio and an epoch of 'history'"),
        ({"best": [0.75, NAN]}, {}, "'best' must be a ratio and an epoch of 'history'"),
        ({"best": [0.75, INFINITE]}, {}, "'best' must be a ratio and an epoch of 'history'"),
        ({"best": [-0.5, 0]}, {}, "'best' must be a ratio and an epoch of 'history'"),
        ({"best": ["high", 0]}, {}, "'best' must be a ratio and an epoch of 'history'"),
        ({"best_values": [1.0]}, {}, "'best_values' must be a list of 2 numbers"),
        ({"best_values": "many"}, {}, "'best_values' must be of type list"),
        ({"history": [{**ROW, "ratio": 1.1}]}, {}, "'ratio' must be a number from 0 to 1, it is 1.1"),
        ({"history": [{**ROW, "greedy": 1.1}]}, {}, "'greedy' must be a number from 0 to 1, it is 1.1"),
        ({"seconds": NAN}, {}, r"'seconds' must be a number from 0 to 1e\+12, it is nan"),
        ({"seconds": -5}, {}, "'seconds' must be a number from 0"),
        ({"cpu_seconds": 10**400}, {}, "'cpu_seconds' must be a number from 0"),
        ({"finished": 0}, {}, "'finished' must be of type bool"),
        ({"finished": True}, {}, "'finished' cannot be true after 1 of 5 epochs"),
        (
            {"epoch": 5, "step": 0, "sums": [0] * 4, "history": [{**ROW, "epoch": epoch} for epoch in range(5)]},
            {},
            "'finished' cannot be false after 5 of 5 epochs",
        ),
        ({}, {"exp_avg.first.bias": torch.zeros(2)}, r"'exp_avg.first.bias' must have shape \[1\], it has \[2\]"),
        ({}, {"exp_avg.first.bias": None}, "its weights lack the tensor 'exp_avg.first.bias'"),
        ({}, {"exp_avg_sq.first.bias": None}, "its weights lack the tensor 'exp_avg_sq.first.bias'"),
        ({}, {"step.first.bias": None}, "its weights lack the tensor 'step.first.bias'"),
        ({}, {"exp_avg.first.bias": torch.zeros(1).double()}, "'exp_avg.first.bias' must be torch.float32"),
        ({}, {"exp_avg.first.bias": torch.tensor([NAN])}, "'exp_avg.first.bias' has entries that are not finite"),
        ({}, {"exp_avg_sq.first.bias": torch.tensor([-1.0])}, "'exp_avg_sq.first.bias' has entries below 0"),
        ({}, {"step.first.bias": torch.tensor(5)}, "'step.first.bias' must be torch.float32, it is torch.int64"),
        ({}, {"step.first.bias": torch.tensor(-1.0)}, "'step.first.bias' must be 5, the number of steps so far"),
        ({}, {"momentum.first.bias": torch.zeros(1)}, "tensor 'momentum.first.bias' that the network does not know"),
        ({}, {"model.first.bias": torch.zeros(3)}, "'model.first.bias' must have shape"),
        ({}, {"model.first.bias": torch.zeros(1).half()}, "'model.first.bias' must be torch.float32, it is"),
    ],
)
def test_broken_states_are_refused(
    entries: dict[str, Any], tensors: dict[str, Any], message: str, tmp_path: Path
) -> None:
    state, model, _ = trained_state()
    save_state(tmp_path, state, RECIPE)
    content, old = read_bundle(tmp_path / "state.json")
    kept = {name: tensor for name, tensor in (old | tensors).items() if tensor is not None}
    write_bundle(tmp_path / "state.json", content | entries, kept)
    with pytest.raises(InputError, match=message):
        load_state(tmp_path, RECIPE, model)


def test_a_run_that_stopped_early_is_finished(tmp_path: Path) -> None:
    state, model, _ = trained_state()
    rows = tuple({**ROW, "epoch": epoch, "ratio": None if epoch else 0.75} for epoch in range(3))
    tensors = {name: torch.tensor(9.0) if name.startswith("step") else each for name, each in state.tensors.items()}
    state = replace(state, epoch=3, step=0, sums=(0.0,) * 4, history=rows, finished=True, tensors=tensors)
    for patience, possible in ((2, True), (3, False)):
        recipe = replace(RECIPE, early_stop=patience)
        save_state(tmp_path, state, recipe)
        if possible:
            assert load_state(tmp_path, recipe, model).finished
        else:
            with pytest.raises(InputError, match="'finished' cannot be true after 3 of 5 epochs"):
                load_state(tmp_path, recipe, model)


def remove(folder: Path, pattern: str) -> None:
    for file in folder.glob(pattern):
        file.unlink()


def rewrite(folder: Path, record: dict[str, Any]) -> None:
    content, tensors = read_bundle(folder / "model.json")
    write_bundle(folder / "model.json", content | {"record": record}, tensors)


def link_to_nowhere(folder: Path) -> None:
    (folder / "state.json").unlink()
    (folder / "state.json").symlink_to("nowhere")


def test_a_network_without_a_run_is_not_replaced(tmp_path: Path) -> None:
    trained = small_train(epochs=1)
    networks = {
        "another seed": trained,
        "no record": TrainedModel(new_model(), "mis"),
        "more steps": trained.with_settings(num_steps=9),
    }
    for name, network in networks.items():
        network.save(tmp_path / name)
        before = read_json(tmp_path / name / "model.json")
        with pytest.raises(InputError, match=r"there is a network in it, model.json, but no run to resume, state.json"):
            small_train(tmp_path / name, epochs=1, resume=True, seed=5 if name == "another seed" else 0)
        assert read_json(tmp_path / name / "model.json") == before


def test_a_kill_before_the_first_state_leaves_a_network_of_the_same_recipe(tmp_path: Path) -> None:
    small_train(tmp_path / "whole", epochs=2)
    small_train(tmp_path / "cut", epochs=2)
    remove(tmp_path / "cut", "state*")
    small_train(tmp_path / "cut", epochs=2, resume=True)
    assert_same_run(tmp_path / "whole", tmp_path / "cut")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: remove(folder, "model*"), "the best network of this run is gone, model.json"),
        (lambda folder: remove(folder, "model-*"), "cannot be read: no such file"),
        (lambda folder: save_model(folder, new_model(), problem="mis", record={}), "another recipe: problem was None"),
        (lambda folder: rewrite(folder, {"recipe": 5}), "'recipe' must be of type dict, it is 5"),
        (
            lambda folder: rewrite(folder, {"recipe": read_json(folder / "state.json")["recipe"]}),
            "model.json: 'metrics' is missing",
        ),
        (link_to_nowhere, "state.json: cannot be read: no such file"),
    ],
    ids=["no network", "no weights", "another network", "no recipe", "no metrics", "no state"],
)
def test_a_run_without_its_best_network_is_refused_at_the_start(
    damage: Callable[[Path], None], message: str, tmp_path: Path
) -> None:
    small_train(tmp_path, epochs=1)
    damage(tmp_path)
    with pytest.raises(InputError, match=message):
        small_train(tmp_path, epochs=1, resume=True)


def test_the_log_of_a_finished_run_is_complete_again(tmp_path: Path) -> None:
    small_train(tmp_path, epochs=2)
    log = tmp_path / "log.csv"
    whole = log.read_text()
    # A kill after the last state and before its log leaves the log of the epoch before.
    log.write_text("".join(whole.splitlines(keepends=True)[:-1]))
    small_train(tmp_path, epochs=2, resume=True)
    assert log.read_text() == whole


def test_a_run_is_not_replaced_by_accident(tmp_path: Path) -> None:
    check_folder(tmp_path / "new", resume=False, force=False)
    (tmp_path / "state.json").symlink_to("nowhere")
    with pytest.raises(InputError, match="there is a run in it; --resume continues it, --force replaces it"):
        check_folder(tmp_path, resume=False, force=False)
    check_folder(tmp_path, resume=True, force=False)
    check_folder(tmp_path, resume=False, force=True)
    with pytest.raises(InputError, match="not both"):
        check_folder(tmp_path, resume=True, force=True)


def test_what_was_left_behind_is_removed_but_no_folder(tmp_path: Path) -> None:
    (tmp_path / ".0123456789abcdef.tmp").write_text("left behind")
    (tmp_path / ".1123456789abcdef.tmp").mkdir()
    prepare_folder(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == [".1123456789abcdef.tmp"]
    prepare_folder(tmp_path / "new" / "one")
    assert (tmp_path / "new" / "one").is_dir()


def test_a_run_is_removed_and_nothing_else(tmp_path: Path) -> None:
    small_train(tmp_path, epochs=1, tensorboard=True)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "model-0123456789abcdef.safetensors").mkdir()
    remove_run(tmp_path, run_files(tmp_path))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["model-0123456789abcdef.safetensors", "notes.txt"]


def test_force_replaces_a_run_when_the_new_one_is_first_saved(tmp_path: Path) -> None:
    small_train(tmp_path, epochs=2, tensorboard=True)
    before = {each: each.read_bytes() for each in run_files(tmp_path)}
    # A new run whose loss is no number leaves the old one as it was.
    with pytest.raises(InputError, match="the loss became nan in epoch 0: a lower learning rate may help"):
        small_train(tmp_path, epochs=1, force=True, learning_rate=1e30, clip=1e30)
    assert {each: each.read_bytes() for each in run_files(tmp_path)} == before
    small_train(tmp_path, epochs=1, force=True)
    assert len(read_json(tmp_path / "state.json")["history"]) == 1
    names = {each.name.partition("-")[0] for each in tmp_path.iterdir()}
    assert names == {"model.json", "model", "state.json", "state", "log.csv"}
    assert len(list(tmp_path.iterdir())) == 5
