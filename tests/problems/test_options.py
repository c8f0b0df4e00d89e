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
        (Option("x", kind="range"), "3", "x must be D0:D1, such as 10:20, it is '3'"),
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
    ],
)
def test_declarations_are_checked(given, rule):
    with pytest.raises(InputError, match=rule):
        Option(**given)
