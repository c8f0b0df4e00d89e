from __future__ import annotations

from pathlib import Path

import pytest

from annealco.graph.errors import InputError
from annealco.training.folder import check_folder, has_state, prepare_folder
from tests.training.small_runs import small_train


def test_a_run_is_not_replaced_by_accident(tmp_path: Path) -> None:
    check_folder(tmp_path / "new", resume=False, force=False)
    small_train(tmp_path, epochs=1)
    assert has_state(tmp_path)
    with pytest.raises(InputError, match="there is a run in it; --resume continues it, --force replaces it"):
        check_folder(tmp_path, resume=False, force=False)
    check_folder(tmp_path, resume=True, force=False)
    check_folder(tmp_path, resume=False, force=True)
    with pytest.raises(InputError, match="not both"):
        check_folder(tmp_path, resume=True, force=True)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="it is not a folder"):
        check_folder(tmp_path / "file", resume=False, force=True)


def test_force_removes_the_run_and_nothing_else(tmp_path: Path) -> None:
    small_train(tmp_path, epochs=1, tensorboard=True)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / ".0123456789abcdef.tmp").write_text("left behind")
    prepare_folder(tmp_path, force=False)
    assert has_state(tmp_path)
    assert not (tmp_path / ".0123456789abcdef.tmp").exists()
    prepare_folder(tmp_path, force=True)
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]
