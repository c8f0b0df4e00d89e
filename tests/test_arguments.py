import math

import pytest

from annealco.arguments import fits, in_words


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
