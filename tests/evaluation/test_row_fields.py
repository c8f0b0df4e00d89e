from __future__ import annotations

from typing import Any

import pytest

from annealco.evaluation.row_fields import check_row
from tests.evaluation.comparison_rows import row


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"wall": "fast"}, "wall must be seconds"),
        ({"cpu": -1.0}, "cpu must be seconds"),
        ({"value": float("nan")}, "value must be a number or null"),
        ({"value": -float("inf")}, "value must be a number or null"),
        ({"value": 10**400}, "value must be a number or null"),
        ({"cpu": 10**400}, "cpu must be seconds"),
        ({"seed": 10**400}, "seed must be a number from 0 on"),
        ({"reference": True}, "reference must be a number or null"),
        ({"note": None}, "note must be text"),
        ({"case": 1.5}, "case must be a number from 0 on"),
        ({"feasible": 1}, "feasible must be true or false"),
        ({"trace": [[0.1]]}, "trace must be pairs of seconds and a value"),
        ({"trace": [[0.1, float("inf")]]}, "trace must be pairs of seconds and a value"),
        ({"data": "nothing"}, "unknown data set 'nothing'"),
        ({"problem": "nothing"}, "unknown problem 'nothing'"),
    ],
)
def test_the_field_that_is_wrong_is_named(changes: dict[str, Any], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        check_row(row("greedy", 1, 15.0) | changes)


def test_a_row_is_an_object() -> None:
    with pytest.raises(ValueError, match="it is no object"):
        check_row([row("greedy", 1, 15.0)])


def test_a_missing_field_is_named() -> None:
    whole = row("greedy", 0, 15.0)
    check_row(whole)
    check_row(whole | {"trace": [[0.1, 3]], "conductance": None, "volume": 3})
    for field in set(whole) - {"ratio"}:
        with pytest.raises(ValueError, match=f"{field} is missing"):
            check_row({name: value for name, value in whole.items() if name != field})
