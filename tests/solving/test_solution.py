import json

import pytest

from annealco.solving.solution import Solution, gap_between, is_reached


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
        (1e12, 1e12 + 1, 1e-12),
    ],
)
def test_gaps(value, bound, gap):
    assert gap_between(value, bound) == (None if gap is None else pytest.approx(gap, rel=1e-9, abs=0))


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
    assert gap_between(10 * scale, 10 * scale * (1 + 1e-15)) > 0.0
    assert gap_between(10 * scale, 10 * scale * (1 + 1e-15), excused=1e-13 * scale) == 0.0
    assert gap_between(10 * scale, 0.0) == 1.0


def test_whole_values_reach_a_reference_only_where_they_are_equal():
    assert is_reached(1e12, 1e12)
    assert not is_reached(1e12, 1e12 + 1)
    assert not is_reached(2.0**52, 2.0**52 + 1)
    assert is_reached(sum([0.1] * 10), 1.0)
    assert not is_reached(0.1, 0.1000001)
    assert is_reached(0, 0)
