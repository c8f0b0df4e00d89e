from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

from annealco.graph.errors import InputError
from annealco.training.arguments import checked, plain_hints


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
