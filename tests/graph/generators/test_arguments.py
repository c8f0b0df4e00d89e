from __future__ import annotations

import numpy as np
import pytest

from annealco.graph.errors import InputError
from annealco.graph.generators.arguments import as_integer


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
