from __future__ import annotations

from pathlib import Path

import pytest

from annealco.graph.errors import InputError
from annealco.training.bundle import read_json
from annealco.training.folder import check_folder, prepare_folder, remove_run, run_files
from tests.training.small_runs import small_train


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
