from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import pytest

from annealco.arguments import as_integer, checked, fits, in_words, plain_hints
from annealco.errors import InputError


@pytest.mark.parametrize(
    ("annotation", "good", "bad"),
    [
        (int, [0, -3, 10**30], [1.0, True, "1", None, [1]]),
        (float, [0.5, 2, math.nan], [True, "0.5", None, 1j]),
        (bool, [True, False], [0, 1, "no", None]),
        (str, ["", "none"], [None, 3, b"none"]),
        (int | None, [None, 4], [False, 4.0]),
    ],
)
def test_only_the_type_itself_fits(annotation, good, bad):
    assert all(fits(value, annotation) for value in good)
    assert not any(fits(value, annotation) for value in bad)


def test_annotations_are_told_in_words():
    assert in_words(bool) == "True or False"
    assert in_words(float | None) == "a number or None"
    assert in_words(int | None, {int: "a count"}) == "a count or NoneType"
    assert in_words(list) == "list"


@checked
def given(
    anything: Any,
    *,
    count: int = 1,
    size: float | Literal["auto"] = "auto",
    loud: bool = False,
    name: str | None = None,
) -> tuple[Any, ...]:
    """Return what was given."""
    return anything, count, size, loud, name


def test_only_numbers_flags_and_text_are_looked_at() -> None:
    assert plain_hints(given) == {"count": int, "size": float | str, "loud": bool, "name": str | None}
    assert given.__doc__ == "Return what was given."
    assert given([1], count=2, size=3, loud=True, name="x") == ([1], 2, 3, True, "x")


def test_numbers_of_numpy_become_python_s() -> None:
    found = given(np.int64(1), count=np.int64(2), size=np.float32(0.5), loud=np.bool_(True))
    assert [type(each) for each in found[:4]] == [np.int64, int, float, bool]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 2.0}, "count must be a whole number, it is 2.0"),
        ({"count": True}, "count must be a whole number, it is True"),
        ({"count": np.float64(2.0)}, "count must be a whole number, it is np.float64"),
        ({"size": None}, "size must be a number or text, it is None"),
        ({"loud": 1}, "loud must be True or False, it is 1"),
        ({"name": 5}, "name must be text or None, it is 5"),
    ],
)
def test_others_are_refused_by_name(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        given(0, **options)


@pytest.mark.parametrize("value", [0, 7, np.int64(7), np.uint8(3)])
def test_integers_in_range_pass(value: int) -> None:
    number = as_integer("count", value, 0, 7)
    assert number == value
    assert type(number) is int


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-1, "count must be at least 0, not -1"),
        (8, "count must be at most 7, not 8"),
        (2.0, "count must be an integer, not 2.0"),
        ("3", "count must be an integer, not '3'"),
        (None, "count must be an integer, not None"),
    ],
)
def test_everything_else_is_named(value: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        as_integer("count", value, 0, 7)  # type: ignore[arg-type]
    assert str(caught.value) == message
