from __future__ import annotations

from pathlib import Path

import pytest
import typer

from annealco.cli.file_argument import file_name


def test_a_name_is_a_path() -> None:
    assert file_name("graphs/a.col") == Path("graphs/a.col")
    assert file_name(".") == Path()


def test_an_empty_name_is_not_the_current_folder() -> None:
    with pytest.raises(typer.BadParameter, match="the file name is empty"):
        file_name("")
