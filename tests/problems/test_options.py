import math

import numpy as np
import pytest

from annealco import Option
from annealco.errors import InputError


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (Option("x", kind="number"), "2.5", 2.5),
        (Option("x", kind="integer"), "-3", -3),
        (Option("x", kind="range"), "1:2.5", (1.0, 2.5)),
        (Option("x", kind="range"), "0:inf", (0.0, float("inf"))),
        (Option("x", kind="node"), "7", "7"),
        (Option("x", kind="choice", choices=("a", "b")), "b", "b"),
        (Option("x", kind="flag"), "true", True),
        (Option("x"), "any thing", "any thing"),
    ],
)
def test_text_is_read_by_kind(option, text, value):
    assert option.parse(text) == value
    assert type(option.parse(text)) is type(value)


@pytest.mark.parametrize(
    ("option", "text", "rule"),
    [
        (Option("x", kind="number"), "many", "x must be a number, it is 'many'"),
        (Option("x", kind="number"), "nan", "x must be a number, it is 'nan'"),
        (Option("x", kind="integer"), "2.5", "x must be a whole number, it is '2.5'"),
        (Option("x", kind="range"), "3", "x must be D0:D1 with D0 at most D1, such as 10:20, it is '3'"),
        (Option("x", kind="range"), "5:1", "x must be D0:D1 with D0 at most D1, such as 10:20, it is '5:1'"),
        (Option("x", kind="range"), "nan:1", "x must be D0:D1 with D0 at most D1, such as 10:20, it is 'nan:1'"),
        (Option("x", kind="number"), "inf", "x must be a number, it is 'inf'"),
        (Option("x", kind="choice", choices=("a", "b")), "c", "x must be one of a, b, it is 'c'"),
        (Option("x", kind="flag"), "maybe", "x must be true or false, it is 'maybe'"),
    ],
)
def test_what_is_no_value_is_told(option, text, rule):
    with pytest.raises(InputError, match=f"^{rule}$"):
        option.parse(text)


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"name": "seed-node"}, "must be that of a keyword argument, it is 'seed-node'"),
        ({"name": "class"}, "must be that of a keyword argument"),
        ({"name": "x", "kind": "colour"}, "unknown kind 'colour' of the option x; choose one of number, "),
        ({"name": "x", "kind": "choice"}, "of the kind 'choice' has choices, and no other has"),
        ({"name": "x", "choices": ("a",)}, "of the kind 'choice' has choices, and no other has"),
        ({"name": "x", "required": True, "default": 2}, "option x is required, so it has no default"),
        (
            {"name": "x", "kind": "integer", "default": 2.5},
            "the default of the option x must be a whole number, it is 2.5",
        ),
        (
            {"name": "x", "kind": "number", "default": math.nan},
            "the default of the option x must be a number, it is nan",
        ),
        ({"name": "x", "kind": "range", "default": (5, 1)}, "must be two numbers D0, D1 with D0 at most D1, it is"),
        ({"name": "x", "kind": "flag", "default": "yes"}, "the default of the option x must be True or False"),
        ({"name": "x", "kind": "text", "default": 3}, "the default of the option x must be text, it is 3"),
        ({"name": "x", "kind": "number", "default": [1.0, 2.0]}, "the default of the option x must be a number"),
        ({"name": "x", "kind": "choice", "choices": ("a",), "default": "b"}, "option x must be one of a, it is 'b'"),
        ({"name": "x", "kind": "choice", "choices": "ab"}, "choices must be a tuple of texts, they are 'ab'"),
        ({"name": "x", "kind": "choice", "choices": ("a", 3)}, "choices must be a tuple of texts"),
        ({"name": "x", "kind": "choice", "choices": ("a", "a")}, "choices must differ, they are a, a"),
        ({"name": "x", "help": None}, "option x: its help must be text, it is None"),
    ],
)
def test_declarations_are_checked(given, rule):
    with pytest.raises(InputError, match=rule):
        Option(**given)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("number", [2, 2.5, np.float32(1), np.int64(3), [1.0, 2], np.zeros(3), 10**30]),
        ("integer", [2, np.int32(3), [1, 2], np.arange(3), 10**30]),
        ("range", [(1, 2), [1.5, 1.5], np.array([0, 9]), (0, math.inf), (-math.inf, 3), [[0, 1], [2, 3]]]),
        ("node", ["a", 3, (1, 2), frozenset([1]), 2.5, np.int64(3), np.arange(3), [1, 2]]),
        ("flag", [True, np.False_, np.ones(2, bool)]),
        ("text", ["", "any thing", np.array(["a", "b"])]),
        ("choice", ["a", np.array(["a", "b", "a"])]),
        ("any", [None, 3, "x", object()]),
    ],
)
def test_values_in_python_are_taken_by_kind(kind, values):
    option = Option("x", kind=kind, choices=("a", "b") if kind == "choice" else ())
    for value in values:
        option.check(value)
    option.check(None)


@pytest.mark.parametrize(
    ("kind", "values", "rule"),
    [
        ("number", ["1", math.nan, math.inf, True, [math.nan], [[1.0]], {}, 10**400, 1j], "a number"),
        ("integer", ["1", 2.0, math.nan, False, [1.0], (), {}], "a whole number"),
        (
            "range",
            [
                *("abc", "12", (5, 1), (math.nan, 1), (1, math.nan), 3, (1,), (1, 2, 3), ("1", "2"), {1: 2, 3: 4}),
                *([[1, 2], [5, 1]], [[1, 2], 3], (True, False), (None, 1), np.array(3)),
            ],
            "two numbers D0, D1 with D0 at most D1",
        ),
        ("node", [True, math.nan, {}, {1}, [1.5], ["a"]], "the label of a node"),
        ("flag", [1, 0, "true", [True]], "True or False"),
        ("text", [3, b"x", ["a"]], "text"),
        ("choice", ["c", 3, ["a"], np.array(["a", "c"])], "one of a, b"),
    ],
)
def test_other_values_in_python_are_told_with_option_and_rule(kind, values, rule):
    option = Option("x", kind=kind, choices=("a", "b") if kind == "choice" else ())
    for value in values:
        with pytest.raises(InputError, match=f"^x must be {rule}, it is ") as caught:
            option.check(value)
        assert repr(value)[:20] in str(caught.value)


def test_none_is_for_what_is_not_set():
    with pytest.raises(InputError, match="x must be a number, it is None"):
        Option("x", kind="number", default=0.0).check(None)
    with pytest.raises(InputError, match="x must be a number, it is None"):
        Option("x", kind="number", required=True).check(None)
