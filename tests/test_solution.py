import json

import pytest

from annealco.solution import Solution, gap_between


@pytest.mark.parametrize(
    ("value", "bound", "gap"),
    [
        (10, 10, 0.0),
        (9, 10, 0.1),
        (10, 9, 0.1),
        (0, 0, 0.0),
        (0, 5, 1.0),
        (-4, -5, 0.2),
        (3, None, None),
        (1e9, 1e9 + 0.1, 0.0),
    ],
)
def test_gaps(value, bound, gap):
    assert gap_between(value, bound) == (None if gap is None else pytest.approx(gap))


def test_json_has_exactly_the_promised_fields():
    solution = Solution("mis", [1, "a"], 2.0, True, 3.0, 1 / 3, False, "search", 0.1, 0, "g", [(0.0, 2.0)])
    fields = json.loads(json.dumps(solution.as_json()))
    assert list(fields) == [
        *("graph", "problem", "nodes", "value", "feasible", "bound"),
        *("gap", "optimal", "method", "seconds", "seed"),
    ]
    assert fields["nodes"] == [1, "a"]


@pytest.mark.parametrize("scale", [1e-300, 1e-11, 1.0, 1e11, 1e300])
def test_a_gap_does_not_depend_on_the_unit_of_weights(scale):
    assert gap_between(9 * scale, 10 * scale) == pytest.approx(0.1)
    assert gap_between(10 * scale, 10 * scale * (1 + 1e-15)) == 0.0
    assert gap_between(10 * scale, 0.0) == 1.0
