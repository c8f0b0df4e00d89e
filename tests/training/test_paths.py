from __future__ import annotations

from pathlib import Path

import pytest

from annealco.graph.errors import InputError
from annealco.training.paths import as_folder, is_there, make_folder


def test_a_folder_need_not_be_there(tmp_path: Path) -> None:
    assert as_folder(str(tmp_path), "out") == as_folder(tmp_path, "out") == tmp_path
    folder = as_folder(tmp_path / "a" / "b", "out")
    make_folder(folder)
    make_folder(folder)
    assert folder.is_dir()


@pytest.mark.parametrize("path", [None, 5, b"bytes", "", ["a"]])
def test_what_is_no_path_is_refused(path: object) -> None:
    with pytest.raises(InputError, match="out must be the path of a folder, it is"):
        as_folder(path, "out")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a\0b", "this is not a possible file name"),
        ("x" * 5000, "cannot be used: file name too long"),
        (__file__, "it is not a folder"),
        (f"{__file__}/sub", "cannot be used: not a directory"),
    ],
)
def test_what_no_folder_can_be_is_refused(path: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        as_folder(path, "out")
    with pytest.raises(InputError):
        make_folder(Path(path))


def test_a_link_that_leads_nowhere_is_there(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    assert is_there(tmp_path / "link")
    assert not is_there(tmp_path / "nowhere")
