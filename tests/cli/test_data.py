from __future__ import annotations

from pathlib import Path

import pytest

from annealco.cli.data import data_app
from annealco.graph.datasets import DATASETS
from annealco.graph.formats import FORMATS
from tests.cli.program import Output, assert_one_line, call


def test_the_commands_are_there() -> None:
    assert [command.name for command in data_app.registered_commands] == ["list", "info", "make", "verify", "reference"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["data"], "Missing command"),
        (["--nonsense"], "No such option: --nonsense"),
        (["data", "info"], "Missing argument 'NAME|FILE...'"),
        (["data", "make", "rb-small", "--count", "many", "--out", "x"], "Invalid value for '--count'"),
        (["data", "make", "rb-small", "--count", "-1", "--out", "x"], "count must be at least 0, not -1"),
        (["data", "make", "rb-small", "--count", "1", "--seed", "-1", "--out", "x"], "seed must be at least 0, not -1"),
        (["data", "make", "rb", "--count", "1", "--out", "x"], f"choose one of {', '.join(DATASETS)}"),
        (["data", "make", "rb-small", "--count", "1", "--out", "x", "--format", "y"], ", ".join(FORMATS)),
        (["data", "make", "rb-small", "--count", "1", "--out", "file"], "file: it is not a folder"),
        (["data", "make", "rb-small", "--count", "1", "--out", "file/below"], "file/below: not a directory"),
        (["data", "info", "missing.col"], "missing.col: cannot be read: no such file"),
        (["data", "info", "a\nb.col"], "a\\nb.col: cannot be read"),
        (["data", "info", "file", "--format", "y"], ", ".join(FORMATS)),
    ],
)
def test_bad_usage_is_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert call(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert_one_line(err)
    assert message in err
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
