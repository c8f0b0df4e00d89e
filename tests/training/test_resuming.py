from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annealco.graph.errors import InputError
from annealco.training.bundle import read_bundle, read_json, write_bundle
from annealco.training.checkpoint import save_model
from annealco.training.trained import TrainedModel
from tests.training.small_runs import assert_same_run, new_model, small_train


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
