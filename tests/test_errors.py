from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

from annealco.errors import GraphFileError, InputError, NormalisationWarning

CLONES = [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))]


def test_an_input_error_says_origin_and_rule_and_keeps_the_place() -> None:
    error = InputError("weights must be finite", origin="karate", edge=3, node=7)
    assert str(error) == "karate: weights must be finite"
    assert (error.rule, error.edge, error.node) == ("weights must be finite", 3, 7)
    assert isinstance(error, ValueError)


def test_an_input_error_without_origin_is_its_rule() -> None:
    error = InputError("weights must be finite")
    assert str(error) == error.rule == "weights must be finite"
    assert error.edge is None
    assert error.node is None


@pytest.mark.parametrize("path", ["dir/a.col", Path("dir") / "a.col"])
def test_a_file_error_names_path_and_line(path: str | Path) -> None:
    error = GraphFileError(path, "node 9 is outside 1..5", line=3)
    assert str(error) == "dir/a.col:3: node 9 is outside 1..5"
    assert (error.path, error.line, error.rule) == ("dir/a.col", 3, "node 9 is outside 1..5")
    assert isinstance(error, InputError)


def test_a_file_error_may_have_no_line() -> None:
    error = GraphFileError("a.col", "the file is empty")
    assert str(error) == "a.col: the file is empty"
    assert error.line is None


@pytest.mark.parametrize("clone", CLONES)
def test_an_input_error_reaches_another_process_whole(clone: Any) -> None:
    twin = clone(InputError("weights must be finite", origin="karate", edge=3, node=7))
    assert str(twin) == "karate: weights must be finite"
    assert (type(twin), twin.rule, twin.edge, twin.node) == (InputError, "weights must be finite", 3, 7)


@pytest.mark.parametrize("clone", CLONES)
@pytest.mark.parametrize("line", [None, 3])
def test_a_file_error_reaches_another_process_whole(clone: Any, line: int | None) -> None:
    error = GraphFileError("a.col", "too short", line=line)
    twin = clone(error)
    assert str(twin) == str(error)
    assert (type(twin), twin.path, twin.rule, twin.line) == (GraphFileError, "a.col", "too short", line)


def test_the_warning_can_be_made_an_error() -> None:
    assert issubclass(NormalisationWarning, UserWarning)
